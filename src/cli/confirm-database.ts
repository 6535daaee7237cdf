import { createHash } from "node:crypto";
import { existsSync, readFileSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline/promises";
import { misuse } from "../errors/errors.ts";
import { makePrivateFolder, writePrivateFile } from "../runtime/private-files.ts";
import { withoutPasswords } from "../runtime/redact.ts";
import { userFolder } from "../runtime/user-folder.ts";
import { sizeOf, TEST_BYTES, TEST_ROWS } from "../trial/database/size.ts";
import { isPostgres, sqliteFile } from "../trial/database/tables.ts";

const FILE = "databases.json";

/**
 * Asks once about a database that does not look like one of test data: it is on another machine, or large. The answer is
 * remembered.
 * @param yes answers yes
 * @throws SandboxError `bad_request` if the answer is no, or there is no terminal to ask on
 */
export async function confirmDatabase(source: string, yes = false): Promise<void> {
  const name = hashOf(source);
  if (known().includes(name)) return;
  const size = await sizeOf(source);
  if (!size) return;
  const { isLocal, rows, bytes } = size;
  const reasons = [
    ...(isLocal ? [] : ["is not on this machine"]),
    ...(rows > TEST_ROWS
      ? [`has ${Math.round(rows)} rows, and test data rarely more than ${TEST_ROWS}`]
      : []),
    ...(bytes > TEST_BYTES
      ? [`has ${Math.round(bytes / 1e6)} MB, and test data rarely more than ${TEST_BYTES / 1e6}`]
      : []),
  ];
  if (reasons.length === 0) return;
  const question = `The database ${withoutPasswords(source)} ${reasons.join(" and ")}.`;
  if (!yes) {
    const isAsked = process.stdin.isTTY && process.stderr.isTTY;
    if (!isAsked || !(await asked(`${question} Explore with it, hundreds of times? [y/N] `)))
      throw misuse(
        question,
        "Name a database of test data. If this is one, add --yes; it is remembered for this database.",
      );
  }
  remember(name);
}

async function asked(question: string): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(?:es)?$/i.test((await terminal.question(question)).trim());
  } finally {
    terminal.close();
  }
}

/** A hash of a database that is the same for all its users and passwords. */
function hashOf(source: string): string {
  let name = source;
  if (!isPostgres(source)) {
    const file = sqliteFile(source);
    name = existsSync(file) ? realpathSync(file) : file;
  } else if (URL.canParse(source)) {
    const { hostname, port, pathname } = new URL(source);
    name = `${hostname}:${port}${pathname}`;
  }
  return createHash("sha256").update(name).digest("hex");
}

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
    // Without a stored answer, the question is asked again.
  }
}
