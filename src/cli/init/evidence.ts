import { createHash } from "node:crypto";
import { resolveConfig } from "../../config/config.ts";
import { SandboxError, unreachable } from "../../errors/errors.ts";
import { readSender } from "../../senders/files.ts";
import { ofVersion } from "../../senders/generations.ts";
import { knowing } from "../../senders/known.ts";
import { stateSource } from "../../trial/database/source.ts";
import { isEnding } from "../../trial/subject/instances.ts";
import { printedWords } from "../../trial/subject/output.ts";
import { otherPort } from "../../trial/subject/server.ts";
import type { FileSender } from "../../webhooks/described.ts";
import { wallNow } from "../../world/clock.ts";
import { MINUTE, SECOND } from "../../world/duration.ts";
import { note } from "../output.ts";
import { confirmDatabase } from "../trial/confirm-database.ts";
import { openChecked } from "../trial/open-subject.ts";
import { noteOutside } from "../trial/outside-note.ts";
import type { SubjectFacts } from "../trial/subject.ts";
import { variablesOf } from "./database.ts";
import { addressOf, isCopied, isServer } from "./database-kinds.ts";
import type { Handler } from "./handler.ts";
import { idsIn, type KnownValue, knownOf, valuesFor } from "./known.ts";
import { ANSWER_MS, type HandledBy, senderSeen, stateOf } from "./sender-evidence.ts";

/** Starts the server to confirm values that the sources only suggest. */

/**
 * How long a server may listen only on unexpected ports before one of them is assumed to be the right one, and how long
 * to wait for another after that.
 */
const ELSEWHERE_MS = 5 * SECOND;

/**
 * Starts the server on a copy of its database, sends it events, and marks the values that this confirms.
 * @returns the handler with the confirmed values and, if the server could not be started, the reason
 */
export async function gatherEvidence(
  handler: Handler,
): Promise<{ handler: Handler; problem: SandboxError | undefined }> {
  try {
    return { handler: await seenBy(handler), problem: undefined };
  } catch (error) {
    if (!(error instanceof SandboxError)) throw error;
    const port = otherPort(error);
    if (port === undefined || handler.senders.some(({ url }) => new URL(url.value).port === String(port)))
      return { handler, problem: error };
    return gatherEvidence(atPort(handler, port));
  }
}

const atPort = (handler: Handler, port: number): Handler => ({
  ...handler,
  senders: handler.senders.map((one) => ({
    ...one,
    url: { ...one.url, value: Object.assign(new URL(one.url.value), { port: String(port) }).href },
  })),
});

async function seenBy(handler: Handler): Promise<Handler> {
  const { envFile } = handler.database;
  if (envFile) loadVariables(envFile);
  const senders = await Promise.all(
    handler.senders.map(async ({ name, signature }) =>
      name.value === "" || signature ? undefined : readSender(name.value),
    ),
  );
  const secrets = secretsFor(handler, senders[0]);
  const facts = factsOf(handler, Object.fromEntries(secrets));
  if (isCopied(handler.database.kind)) await confirmDatabase(facts);
  const subject = await openChecked(facts, ANSWER_MS, senders[0]);
  const until = wallNow() + ELSEWHERE_MS;
  try {
    const tables = isCopied(handler.database.kind) ? await stateOf(subject.state) : undefined;
    const seen: HandledBy[] = [];
    let hasChanged = false;
    for (const [index, one] of handler.senders.entries()) {
      const sender = senders[index];
      const known = sender ? [...idsIn(sender, tables), ...valuesFor(one.known ?? [], sender, tables)] : [];
      const found =
        sender &&
        (await senderSeen(one, senderOf(sender, known, handler), secrets, subject, { ...handler, until }));
      seen.push({ ...(found?.handled ?? one), ...(known.length > 0 && { known }) });
      hasChanged ||= found?.hasChanged === true;
    }
    const { server } = subject;
    const taken = seen.find(({ url }) => url.seen);
    if (server && !taken && (await isEnding(server))) {
      const printed = server.output.last();
      throw unreachable(
        `The server started, but exited before it responded${printedWords(printed)}.`,
        "Once it runs, delete the configuration and run init again to replace these guesses, or continue with them.",
      );
    }
    const bypass = await subject.state.checkCopy?.().then(
      () => undefined,
      (error) => {
        if (!(error instanceof SandboxError)) throw error;
        return error;
      },
    );
    if (bypass) {
      const { kind, state, variable } = handler.database;
      const isWritten = kind === "sqlite" && state.at !== undefined && variable.at === undefined;
      const hint = isWritten
        ? `Its path is set in ${state.at}: read it from ${variable.value} there, with this file as the default.`
        : bypass.hintFor("command");
      for (const line of [bypass.message, hint]) note(line);
    }
    const used = bypass
      ? undefined
      : hasChanged
        ? "seen: an event changed its copy"
        : (subject.statements?.connections ?? 0) > 0
          ? "seen: it is connected to its copy"
          : undefined;
    const database = used
      ? { ...handler.database, state: { ...handler.database.state, seen: used } }
      : handler.database;
    // The command may start a different server from the one that receives webhooks.
    const start = taken
      ? { ...handler.start, seen: `seen: it listens on port ${new URL(taken.url.value).port}` }
      : handler.start;
    return { ...handler, start, senders: seen, database };
  } finally {
    noteOutside(subject);
    await subject.close();
  }
}

/** Loads the variables from a file that the configuration also loads. An unreadable file is ignored. */
function loadVariables(file: string): void {
  try {
    process.loadEnvFile(file);
  } catch (error) {
    note(`Skipped: ${file}. ${(error as Error).message}`);
  }
}

/**
 * A copy of the sender whose events refer to the database's own rows, preferably the rows that the project's code looks
 * up.
 */
function senderOf(sender: FileSender, known: readonly KnownValue[], { sources }: Handler): FileSender {
  const isNamed = (type: string) => sources.some(({ text }) => text.includes(type));
  const own = knowing(ofVersion(sender), knownOf(known));
  return { ...own, events: own.events.toSorted((a, b) => Number(isNamed(b)) - Number(isNamed(a))) };
}

/** A different secret for each variable, so that an accepted event reveals which variable the server reads. */
function secretsFor({ senders }: Handler, sender: FileSender | undefined): Map<string, string> {
  const names = new Set(senders.flatMap(({ secrets }) => secrets));
  const bytes = (name: string) => createHash("sha256").update(name).digest();
  return new Map(
    [...names].map((name) => [
      name,
      sender?.newSecret(bytes(name)) ?? `whsec_${bytes(name).toString("base64")}`,
    ]),
  );
}

function factsOf({ senders, start, database }: Handler, env: Record<string, string>): SubjectFacts {
  const { state } = database;
  const settings = resolveConfig({ senders: [], subject: { at: "now" } }, wallNow());
  const { secret: _, at: _at, budget: _budget, startTimeout: _timeout, ...subject } = settings.subject;
  return {
    ...{ ...subject, settings, file: undefined, url: senders[0]!.url.value, start: start.value },
    ...{ secret: "", secretFrom: "generated for this start", secretVariables: [], env },
    ...(isCopied(database.kind) && {
      state: database.kind === "sqlite" ? state.value : addressIn(database),
      databaseEnv: variablesOf(database).filter((name) => name !== "DATABASE_URL"),
    }),
    ...{
      startAt: settings.startAt,
      atNow: true,
      budget: MINUTE,
      startTimeout: MINUTE,
      elsewhere: ELSEWHERE_MS,
    },
  };
}

/** A database server's URL, as the configuration determines it. */
function addressIn(database: Handler["database"]): string {
  const { kind, state, variable, parts } = database;
  if (!parts || !isServer(kind))
    return stateSource(process.env[variable.value] || state.value, variablesOf(database));
  return addressOf(kind, (name, usual) =>
    parts[name] ? encodeURIComponent(process.env[parts[name].name] || parts[name].fallback) : usual,
  );
}
