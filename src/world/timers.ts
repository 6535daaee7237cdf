import { LAST_INSTANT } from "./duration.ts";
import type { Store } from "./store.ts";

export const TIMER_TABLES = `create table timers (
  due integer instant not null, id integer not null, kind text not null, key text not null, payload text not null,
  primary key (due, id)
) without rowid;
create unique index timers_key on timers (kind, key);`;

/** Work due at a virtual instant, stored as a row so that it survives restarts and snapshots. */
export interface Timer {
  id: number;
  /** Virtual milliseconds since the epoch. */
  due: number;
  /** The kind of handler that runs the timer, for example `payments.session_expiry`. */
  kind: string;
  /** The timer's subject. Each kind has at most one timer per key. */
  key: string;
  payload: Record<string, unknown>;
}

export interface Timers {
  /** Sets the timer of (kind, key), replacing an earlier one. */
  set(kind: string, key: string, due: number, payload?: Record<string, unknown>): void;
  /** Removes the timer. @returns whether there was one */
  cancel(kind: string, key: string): boolean;
  get(kind: string, key: string): Timer | undefined;
  /** The earliest timer that the clock can reach, by due time and then in the order they were set. */
  first(): Timer | undefined;
  /** The first timers due up to `until`, in firing order. */
  due(until: number, limit: number): Timer[];
  /** All timers due up to `until`, in that order, read in batches. */
  walk(until: number): Iterable<Timer>;
  countDue(until: number): number;
  /** When the last timer up to `until` is due. */
  lastDue(until: number): number | undefined;
  /** The id of the newest timer; 0 if there are no timers. */
  newestId(): number;
  /** Removes fired timers: all up to `last` in firing order, except those with an id above `upTo`. */
  removeFired(last: Timer, upTo: number): void;
  /** Calls the listener synchronously after a timer was set (with its due time) or cancelled (without). */
  onChange(listener: (due?: number) => void): void;
}

interface TimerRow extends Omit<Timer, "payload"> {
  payload: string;
}

const NO_PAYLOAD = "{}";
/** How many timers a walk reads at a time. */
const WALK_BATCH = 1_024;

export function createTimers(store: Store): Timers {
  const insert = store.sql(
    "insert or replace into timers (id, due, kind, key, payload) values (?, ?, ?, ?, ?)",
  );
  const remove = store.sql("delete from timers where kind = ? and key = ?");
  const newest = store.sql<{ id: number }>("select coalesce(max(id), 0) as id from timers");
  const removeFired = store.sql("delete from timers where (due, id) <= (?, ?) and id <= ?");
  const one = store.sql<TimerRow>("select * from timers where kind = ? and key = ?");
  const earliest = store.sql<TimerRow>(
    `select * from timers where due <= ${LAST_INSTANT} order by due, id limit 1`,
  );
  const due = store.sql<TimerRow>("select * from timers where due <= ? order by due, id limit ?");
  const after = store.sql<TimerRow>(
    "select * from timers where (due, id) > (?, ?) and due <= ? order by due, id limit ?",
  );
  const countDue = store.sql<{ n: number }>("select count(*) as n from timers where due <= ?");
  const lastDue = store.sql<{ due: number | null }>("select max(due) as due from timers where due <= ?");
  const listeners: ((due?: number) => void)[] = [];
  const fromRow = (row: TimerRow): Timer => {
    const timer = row as unknown as Timer;
    timer.payload = row.payload === NO_PAYLOAD ? {} : (JSON.parse(row.payload) as Timer["payload"]);
    return timer;
  };
  const newestId = store.memo(() => newest.get()!.id);
  // A file without the table is damaged. Fail now, when the world is opened.
  newestId.get();
  const optional = (row: TimerRow | undefined) => row && fromRow(row);
  /** Cached, because an advance reads it several times between changes. */
  const first = store.remember((_: "first") => optional(earliest.get()) ?? null);

  function* walk(until: number): Iterable<Timer> {
    let rows = due.all(until, WALK_BATCH);
    while (rows.length > 0) {
      const last = rows.at(-1)!;
      for (const row of rows) yield fromRow(row);
      rows = rows.length < WALK_BATCH ? [] : after.all(last.due, last.id, until, WALK_BATCH);
    }
  }

  return {
    set(kind, key, at, payload) {
      const id = newestId.get() + 1;
      newestId.set(id);
      insert.run(id, at, kind, key, payload === undefined ? NO_PAYLOAD : JSON.stringify(payload));
      first.clear();
      for (const listener of listeners) listener(at);
    },
    cancel(kind, key) {
      const found = remove.run(kind, key).changes > 0;
      first.clear();
      if (found) for (const listener of listeners) listener();
      return found;
    },
    get: (kind, key) => optional(one.get(kind, key)),
    first: () => first.get("first") ?? undefined,
    due: (until, limit) => due.all(until, limit).map(fromRow),
    walk,
    countDue: (until) => countDue.get(until)!.n,
    lastDue: (until) => lastDue.get(until)!.due ?? undefined,
    newestId: newestId.get,
    removeFired({ due: at, id }, upTo) {
      removeFired.run(at, id, upTo);
      first.clear();
    },
    onChange: (listener) => void listeners.push(listener),
  };
}
