import type { IncomingHttpHeaders } from "node:http";
import { misuse } from "../errors/errors.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import { REPLACEMENTS } from "../timeline/entries.ts";
import type { Journal, JournalEntry } from "../world/journal.ts";

/**
 * An entry that a client has received. After a reset, restore or undo, another entry may have the same `seq`, but not
 * the same real time.
 */
export interface Position {
  seq: number;
  /** The entry's real time in ISO 8601 format. If absent, any entry with this `seq` matches. */
  wall: string | undefined;
}

const POSITION = /^(\d{1,15})(?:@(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z))?$/;

/** An entry's id in a stream of server-sent events. */
export const positionOf = ({ seq, wall }: JournalEntry): string => `${seq}@${wall}`;

function parsePosition(text: string): Position | undefined {
  const [, seq, wall] = POSITION.exec(text) ?? [];
  return seq === undefined ? undefined : { seq: Number(seq), wall };
}

/** Parses the `after` parameter of a live stream. @throws SandboxError `bad_request` */
export function readAfter(text: string | undefined): Position | undefined {
  if (text === undefined) return undefined;
  const position = parsePosition(text);
  if (position) return position;
  throw misuse(
    `after must be a whole number of at least 0, or the id of an event, not '${text.slice(0, 40)}'.`,
    "Send an entry's seq, or its seq and wall time, for example 6@2026-01-15T09:00:00.000Z.",
  );
}

/** The last event that a reconnecting EventSource received. */
export function lastEventId(headers: IncomingHttpHeaders): Position | undefined {
  const position = parsePosition(String(headers["last-event-id"] ?? ""));
  return position && position.seq > 0 ? position : undefined;
}

/**
 * The `seq` after which a client continues. If the journal was replaced, this is just before the entry that reports the
 * replacement.
 */
export function resumeAfter(journal: Journal, { seq, wall }: Position): number {
  if (seq === 0) return 0;
  const [entry] = journal.list({ after: seq - 1, before: seq + 1 });
  if (entry && (wall ?? entry.wall) === entry.wall) return seq;
  const [replaced] = journal.list({ types: REPLACEMENTS, order: "desc", limit: 1 });
  if (replaced) return replaced.seq - 1;
  return wall === undefined ? seq : 0;
}

/** A value of `types` that is not an entry name. A client that requests only this type follows only the clock. */
const CLOCK = "clock";

/**
 * The requested entry types, or an empty list for all types. @throws SandboxError `bad_request` for a name that no
 * entry has
 */
export function readTypes(sandbox: Sandbox, types: string | undefined): string[] {
  const asked = (types ?? "")
    .split(",")
    .map((type) => type.trim())
    .filter((type) => type !== "");
  sandbox.checkTypes(asked.filter((type) => type !== CLOCK));
  return asked;
}

/** A note that entries after `after` have been removed; undefined if none have. */
export function noteOfRemoved(journal: Journal, after: number): string | null {
  const first = journal.firstSeq();
  if (after + 1 >= first) return null;
  return `The entries from ${after + 1} to ${first - 1} were removed. The journal now starts with ${first}; worlds.journalEntries in the configuration sets how many it stores.`;
}
