import type { Static } from "typebox";
import type * as records from "../operations/records.ts";
import type { ENTRY_NAMES } from "../sandbox/entry-names.ts";

/**
 * A journal entry's name: `{subject}.{what happened}`.
 * @example
 * await sandbox.clock.advance({ until: "webhook.disabled" satisfies JournalEntryName });
 */
export type JournalEntryName = (typeof ENTRY_NAMES)[number];

/**
 * Something that happened in a world. Two runs with the same seed and the same calls differ only in `wall`.
 * @example
 * const entries: JournalEntry[] = await sandbox.events({ types: "delivery.*" });
 * const failed = entries.filter(({ type }) => type === "delivery.failed");
 */
export type JournalEntry = Static<typeof records.JournalEntry>;

/**
 * A journal entry's name, or a prefix followed by `*`.
 * @example
 * const pattern: JournalPattern = "payment.*";
 */
export type JournalPattern = JournalEntryName | `${string}*`;

/**
 * Which journal entries to read. Default: all.
 * @example
 * const query: EventsQuery = { types: ["delivery.*", "webhook.disabled"], after: 12 };
 */
export interface EventsQuery {
  types?: JournalPattern | readonly JournalPattern[];
  /** Returns only entries after the entry with this `seq`. */
  after?: number;
}
