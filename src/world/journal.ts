import type { Clock } from "./clock.ts";
import { iso } from "./duration.ts";
import type { Store } from "./store.ts";

export const JOURNAL_TABLES = `create table journal (
  seq integer primary key, type text not null, at integer instant not null, wall integer instant not null, data text not null
);
create index journal_type on journal (type);`;

/** Something that happened in a world. Two runs of the same calls differ only in `wall`. */
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

/** A message to journal followers that is not a journal entry. */
export interface JournalNotice {
  type: "notice";
  data: { message: string };
}

/**
 * The log of everything that happens in a world; other parts react to it. It is append-only, and the oldest entries are
 * trimmed.
 */
export interface Journal {
  /** Writes an entry in the current transaction. Listeners are called once the transaction is committed. */
  append(type: string, data: Record<string, unknown>): void;
  /** Entries after `after` and before `before`, oldest first unless `order` says otherwise; `types` may end in `*` (`delivery.*`). */
  list(query: JournalQuery): JournalEntry[];
  lastSeq(): number;
  /** The seq of the oldest entry, or of the next one in an empty journal. */
  firstSeq(): number;
  /** When the newest entry was written, in virtual milliseconds; 0 for an empty journal. */
  lastAt(): number;
  /** Passes every committed entry to a listener, in order. @returns a function that unsubscribes it */
  subscribe(listener: JournalListener): () => void;
  /** Sets the only listener for committed entries of a type. It runs after the `subscribe` listeners. */
  on(type: string, listener: JournalListener): void;
  /** Calls `act` for each entry of a type, within the entry's transaction and right after it is written. */
  follow(type: string, act: (data: Record<string, unknown>) => void): void;
  /** Runs synchronous `work`; entries that it appends are also added to `ledger`. */
  collect<T>(ledger: JournalEntry[] | undefined, work: () => T): T;
}

export type JournalListener = (entry: JournalEntry) => void;

export interface JournalQuery {
  after?: number | undefined;
  before?: number | undefined;
  types?: string[];
  order?: "asc" | "desc";
  limit?: number;
}

interface JournalRow {
  seq: number;
  type: string;
  at: number;
  wall: number;
  data: string;
}

/** Whether an entry's type matches a requested type, which may end in `*`. */
export const isOf = (type: string, asked: string): boolean =>
  asked.endsWith("*") ? type.startsWith(asked.slice(0, -1)) : type === asked;

/** How many entries are written before old ones are removed together. */
const TRIM_EVERY = 1_000;
/** The maximum number of entries removed at once, so that an oversized journal shrinks gradually. */
const MOST_TRIMMED = 2 * TRIM_EVERY;

/** @param mostEntries how many entries to retain, plus up to 1,000 more; by default, all */
export function createJournal(store: Store, clock: Clock, mostEntries = Number.POSITIVE_INFINITY): Journal {
  const insert = store.sql("insert into journal (seq, type, at, wall, data) values (?, ?, ?, ?, ?)");
  const newest = store.sql<{ seq: number; at: number }>(
    "select seq, at from journal order by seq desc limit 1",
  );
  /** Selects the existing types, using one index step per type. */
  const typesThere = store.sql<{ type: string }>(
    `with recursive types (type) as (select min(type) from journal
       union all select (select min(type) from journal where type > types.type) from types where type is not null)
     select type from types where type is not null`,
  );
  const { hears, announce, ...listening } = createAnnouncer(store);
  const followers = new Map<string, ((data: Record<string, unknown>) => void)[]>();
  let ledger: JournalEntry[] | undefined;
  const lastSeq = store.memo(() => newest.get()?.seq ?? 0);
  const oldest = store.sql<{ seq: number }>("select seq from journal order by seq limit 1");
  const firstSeq = store.memo(() => oldest.get()?.seq ?? 1);
  const removeBefore = store.sql("delete from journal where seq < ?");

  const fromRow = (row: JournalRow): JournalEntry => ({
    seq: row.seq,
    type: row.type,
    at: iso(row.at),
    wall: iso(row.wall),
    data: JSON.parse(row.data) as Record<string, unknown>,
  });

  function trim(): void {
    const from = firstSeq.get();
    const first = Math.min(lastSeq.get() + 1 - mostEntries, from + MOST_TRIMMED);
    if (first <= from) return;
    removeBefore.run(first);
    firstSeq.set(first);
  }

  return {
    ...listening,
    append(type, data) {
      store.transaction(() => {
        const seq = lastSeq.get() + 1;
        lastSeq.set(seq);
        const at = clock.now();
        const wall = clock.wall();
        insert.run(seq, type, at, wall, JSON.stringify(data));
        if (seq % TRIM_EVERY === 0) trim();
        if (ledger || hears(type)) {
          const entry = { seq, type, at: iso(at), wall: iso(wall), data };
          announce(entry);
          ledger?.push(entry);
        }
        for (const act of followers.get(type) ?? []) act(data);
      });
    },
    list({ after = 0, before = Number.MAX_SAFE_INTEGER, types = [], order = "asc", limit = 1_000 }) {
      const part = (where: string) =>
        store.sql<JournalRow>(
          `select * from journal where ${where}seq > ? and seq < ? order by seq ${order} limit ?`,
        );
      if (types.length === 0) return part("").all(after, before, limit).map(fromRow);
      // The index finds rare types quickly; for common types, no more rows are read than can be listed.
      const named = typesThere.all().filter(({ type }) => types.some((one) => isOf(type, one)));
      const ofType = part("type = ? and ");
      return named
        .flatMap(({ type }) => ofType.all(type, after, before, limit))
        .sort((a, b) => (order === "asc" ? a.seq - b.seq : b.seq - a.seq))
        .slice(0, limit)
        .map(fromRow);
    },
    lastSeq: lastSeq.get,
    firstSeq: firstSeq.get,
    lastAt: () => newest.get()?.at ?? 0,
    follow: (type, act) => void followers.set(type, [...(followers.get(type) ?? []), act]),
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

/** Passes entries to listeners once their transaction is committed, in order, even if a listener appends entries itself. */
function createAnnouncer(store: Store) {
  const listeners = new Set<JournalListener>();
  const byType = new Map<string, JournalListener>();
  /** Entries of the open transaction. */
  const pending = store.memo<JournalEntry[]>(() => []);
  /** Committed entries that some listeners have yet to receive. */
  const unheard: JournalEntry[] = [];
  let notifying = false;

  const hears = (type: string) => listeners.size > 0 || byType.has(type);

  store.onCommitted(() => {
    for (const entry of pending.get().splice(0)) unheard.push(entry);
    if (notifying) return;
    notifying = true;
    try {
      for (const entry of unheard) {
        for (const listener of listeners) listener(entry);
        byType.get(entry.type)?.(entry);
      }
    } finally {
      notifying = false;
      unheard.length = 0;
    }
  });

  return {
    hears,
    announce(entry: JournalEntry): void {
      if (hears(entry.type)) pending.get().push(entry);
    },
    subscribe(listener: JournalListener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    on: (type: string, listener: JournalListener) => void byType.set(type, listener),
  };
}
