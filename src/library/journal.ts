import type { Static } from "typebox";
import type * as records from "../operations/records.ts";
import type { ENTRY_NAMES } from "../sandbox/entry-names.ts";

/**
 * The name of a journal entry: `{subject}.{what happened}`.
 * @example
 * await sandbox.clock.advance({ until: "webhook.disabled" satisfies JournalEntryName });
 */
export type JournalEntryName = (typeof ENTRY_NAMES)[number];

/**
 * Something that happened in a world. Two runs with the same seed and the same calls differ in `wall` alone.
 * @example
 * const entries: JournalEntry[] = await sandbox.events({ types: "delivery.*" });
 * const failed = entries.filter(({ type }) => type === "delivery.failed");
 */
export type JournalEntry = Static<typeof records.JournalEntry>;

/**
 * The name of a journal entry, or the beginning of several names with a `*`.
 * @example
 * const pattern: JournalPattern = "payment.*";
 */
export type JournalPattern = JournalEntryName | `${string}*`;

/**
 * Which journal entries to read: everything without it.
 * @example
 * const query: EventsQuery = { types: ["delivery.*", "webhook.disabled"], after: 12 };
 */
export interface EventsQuery {
  types?: JournalPattern | readonly JournalPattern[];
  /** Returns only entries after the one with this `seq`. */
  after?: number;
}
