import type { Clock } from "./clock.ts";
import { iso, repeatedIso } from "./duration.ts";
import type { SqlValue, Store } from "./store.ts";

export const JOURNAL_TABLES = `create table journal (
  seq integer primary key, type text not null, at integer not null, wall integer not null, data text not null
);`;

/** Something that happened in a world. Two runs of the same calls differ in `wall` alone. */
export interface JournalEntry {
  seq: number;
  /** `{subject}.{what happened}`, for example `delivery.failed`. */
  type: string;
  /** Virtual time, ISO 8601. */
  at: string;
  /** Real time, ISO 8601. */
  wall: string;
  data: Record<string, unknown>;
}

/** The append-only record of a world, and the one place others learn from what happened. */
export interface Journal {
  /** Writes an entry in the current transaction; listeners hear of it once that is committed. */
  append(type: string, data: Record<string, unknown>): void;
  /** Entries after `after`, oldest first; `types` may end in `*` (`delivery.*`). */
  list(query: { after?: number; types?: string[]; limit?: number }): JournalEntry[];
  lastSeq(): number;
  /** When the newest entry was written, virtual milliseconds; 0 for an empty journal. */
  lastAt(): number;
  /** Hears every committed entry, in order. Returns the unsubscribe. */
  subscribe(listener: (entry: JournalEntry) => void): () => void;
  /** Runs synchronous `work`; what it appends goes to `ledger` too. */
  collect<T>(ledger: JournalEntry[] | undefined, work: () => T): T;
}

interface JournalRow {
  seq: number;
  type: string;
  at: number;
  wall: number;
  data: string;
}

const ROW = "(?, ?, ?, ?, ?)";
const VALUES_IN_ROW = 5;
/** Long runs of entries are written this many at once, which costs half as much. */
const ROWS_AT_ONCE = 32;

export function createJournal(store: Store, clock: Clock): Journal {
  const insert = "insert into journal (seq, type, at, wall, data) values ";
  const insertOne = store.sql(insert + ROW);
  const insertMany = store.sql(insert + Array(ROWS_AT_ONCE).fill(ROW).join(", "));
  /** Values of the rows that the next commit writes. */
  let unwritten: SqlValue[] = [];
  const atText = repeatedIso();
  const wallText = repeatedIso();
  const newest = store.sql<{ seq: number; at: number }>(
    "select seq, at from journal order by seq desc limit 1",
  );
  const listeners = new Set<(entry: JournalEntry) => void>();
  let pending: JournalEntry[] = [];
  let ledger: JournalEntry[] | undefined;
  let seq = newest.get()?.seq ?? 0;

  const fromRow = (row: JournalRow): JournalEntry => ({
    seq: row.seq,
    type: row.type,
    at: iso(row.at),
    wall: iso(row.wall),
    data: JSON.parse(row.data) as Record<string, unknown>,
  });

  function flush(): void {
    if (unwritten.length === 0) return;
    const values = unwritten;
    unwritten = [];
    const step = ROWS_AT_ONCE * VALUES_IN_ROW;
    let from = 0;
    for (; from + step <= values.length; from += step) insertMany.run(...values.slice(from, from + step));
    for (; from < values.length; from += VALUES_IN_ROW)
      insertOne.run(...values.slice(from, from + VALUES_IN_ROW));
  }

  store.beforeCommit(flush);
  store.onRestore(() => {
    unwritten = [];
    pending = [];
    seq = newest.get()?.seq ?? 0;
  });
  store.afterTransaction((committed) => {
    if (!committed && unwritten.length > 0) {
      unwritten = [];
      seq = newest.get()?.seq ?? 0;
    }
    if (pending.length === 0) return;
    const entries = pending;
    pending = [];
    if (!committed) {
      seq = newest.get()?.seq ?? 0;
      return;
    }
    for (const entry of entries) for (const listener of listeners) listener(entry);
  });

  return {
    append(type, data) {
      store.transaction(() => {
        seq += 1;
        const at = clock.now();
        const wall = clock.wall();
        unwritten.push(seq, type, at, wall, JSON.stringify(data));
        if (listeners.size === 0 && !ledger) return;
        const entry = { seq, type, at: atText(at), wall: wallText(wall), data };
        if (listeners.size > 0) pending.push(entry);
        ledger?.push(entry);
      });
    },
    list({ after = 0, types = [], limit = 1_000 }) {
      flush();
      const filters = types.map((type) => (type.endsWith("*") ? "substr(type, 1, ?) = ?" : "type = ?"));
      const values = types.flatMap((type) =>
        type.endsWith("*") ? [type.length - 1, type.slice(0, -1)] : [type],
      );
      const where = filters.length > 0 ? ` and (${filters.join(" or ")})` : "";
      const rows = store.sql<JournalRow>(`select * from journal where seq > ?${where} order by seq limit ?`);
      return rows.all(after, ...values, limit).map(fromRow);
    },
    lastSeq: () => seq,
    lastAt: () => newest.get()?.at ?? 0,
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    collect(into, work) {
      const outer = ledger;
      ledger = into;
      try {
        return work();
      } finally {
        ledger = outer;
      }
    },
  };
}
