import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline/promises";
import { misuse } from "../../errors/errors.ts";
import { makePrivateFolder, writePrivateFile } from "../../runtime/private-files.ts";
import { withoutPasswords } from "../../runtime/redact.ts";
import { userFolder } from "../../runtime/user-folder.ts";
import type { DatabaseSize } from "../../trial/database/kind.ts";
import { TEST_BYTES, TEST_ROWS } from "../../trial/database/size.ts";
import { isTables, kindOf } from "../../trial/database/source.ts";
import { tellUser } from "../../trial/database/words.ts";
import { type SubjectFacts, worksOnCopy } from "./subject.ts";

const FILE = "databases.json";

/**
 * Asks once about a database that does not look like test data because it is remote or large, and about using the
 * server's own database in place. The answers are remembered.
 * @param yes accepts the first question without asking
 * @throws SandboxError `bad_request` if an answer is no, or there is no terminal to ask on
 */
export async function confirmDatabase(
  facts: Pick<SubjectFacts, "state" | "start" | "reset" | "inPlace" | "gate">,
  yes = false,
): Promise<void> {
  const { state, reset, inPlace, gate } = facts;
  if (state === undefined || !isTables(state)) return;
  const size = await kindOf(state).sizeOf(state);
  if (!size) return;
  const shown = withoutPasswords(state);
  const unusual = unusualWords(size);
  if (unusual)
    await confirm(hashOf(state), yes, {
      question: `The database ${shown} ${unusual}.`,
      ask: "Run explore on it, hundreds of times?",
      hint: "Use a test database. If this already is one, add --yes; Sandglass remembers that choice for this database.",
    });
  if (worksOnCopy(facts) || reset) return;
  const { unrestored } = size;
  const except = unrestored.length > 0 ? ` Not restored: ${unrestored.join(", ")}.` : "";
  if (inPlace && except) tellUser(`${shown} is used in place.${except}`);
  else if (!inPlace)
    await confirm(hashOf(state, "in place"), false, {
      question: `Your server works on ${shown} itself. After each schedule, and at the end, its tables are restored to their current rows.${except} Close other programs that write to it${gate.length > 0 ? "" : ", or use --start"}.`,
      ask: "Use it in place?",
      hint:
        gate.length > 0
          ? 'A store in subject.gate has its own database. To use it, add --in-place, or "inPlace": true in subject of the configuration.'
          : 'Pass the command that starts your server with --start, so that it works on a copy. To use the database itself, add --in-place, or "inPlace": true in subject of the configuration.',
    });
}

function unusualWords({ isLocal, rows, bytes }: DatabaseSize): string {
  return [
    ...(isLocal ? [] : ["is not on this machine"]),
    ...(rows > TEST_ROWS
      ? [`has ${Math.round(rows)} rows, but test data rarely has more than ${TEST_ROWS}`]
      : []),
    ...(bytes > TEST_BYTES
      ? [`takes ${Math.round(bytes / 1e6)} MB, but test data rarely takes more than ${TEST_BYTES / 1e6}`]
      : []),
  ].join(" and ");
}

interface Question {
  question: string;
  ask: string;
  /** A way to continue when there is no terminal. */
  hint: string;
}

/** Asks a question once, unless the answer was given as a flag or is remembered. */
async function confirm(name: string, isGiven: boolean, { question, ask, hint }: Question): Promise<void> {
  if (known().includes(name)) return;
  if (!isGiven) {
    const isAsked = process.stdin.isTTY && process.stderr.isTTY;
    if (!isAsked || !/^y(?:es)?$/i.test(await answerTo(`${question} ${ask} [y/N] `)))
      throw misuse(question, hint);
  }
  remember(name);
}

/** Asks a question on the terminal. */
export async function answerTo(question: string): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return (await terminal.question(question)).trim();
  } finally {
    terminal.close();
  }
}

/** A hash that identifies a database regardless of user and password. */
const hashOf = (source: string, of = ""): string =>
  createHash("sha256")
    .update(of + kindOf(source).identityOf(source))
    .digest("hex");

function known(): string[] {
  try {
    const names: unknown = JSON.parse(readFileSync(join(userFolder("state"), FILE), "utf8"));
    return Array.isArray(names) ? names : [];
  } catch {
    return [];
  }
}

function remember(name: string): void {
  try {
    makePrivateFolder(userFolder("state"), /^databases\.json$/);
    writePrivateFile(join(userFolder("state"), FILE), JSON.stringify([...known(), name]));
  } catch {
    // If no answer is stored, ask the question again.
  }
}
