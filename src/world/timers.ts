import type { Store } from "./store.ts";

export const TIMER_TABLES = `create table timers (
  id integer primary key, due integer not null, kind text not null, key text not null, payload text not null
);
create index timers_due on timers (due, id);
create unique index timers_key on timers (kind, key);`;

/** Something due at an instant of virtual time: a row, so that it survives a restart and a snapshot. */
export interface Timer {
  id: number;
  /** Virtual milliseconds since the epoch. */
  due: number;
  /** Which handler runs it, for example `payments.session_expiry`. */
  kind: string;
  /** What it is about; a kind has one timer for each key. */
  key: string;
  payload: Record<string, unknown>;
}

export interface Timers {
  /** Sets the timer of (kind, key), in place of an earlier one. */
  set(kind: string, key: string, due: number, payload?: Record<string, unknown>): void;
  /** Removes it; tells whether there was one. */
  cancel(kind: string, key: string): boolean;
  get(kind: string, key: string): Timer | undefined;
  /** The earliest timer, by due time, then by the order in which they were set. */
  first(): Timer | undefined;
  /** Every timer due up to `until`, in the order they fire. */
  due(until: number, limit?: number): Timer[];
  count(): number;
  /** Takes a timer out before it runs; false when it was cancelled or replaced meanwhile. */
  take(timer: Timer): boolean;
  /** Called after a timer was set, in the same tick. */
  onSet(listener: () => void): void;
}

interface TimerRow extends Omit<Timer, "payload"> {
  payload: string;
}

export function createTimers(store: Store): Timers {
  const insert = store.sql("insert or replace into timers (due, kind, key, payload) values (?, ?, ?, ?)");
  const remove = store.sql("delete from timers where kind = ? and key = ?");
  const removeById = store.sql("delete from timers where id = ?");
  const one = store.sql<TimerRow>("select * from timers where kind = ? and key = ?");
  const first = store.sql<TimerRow>("select * from timers order by due, id limit 1");
  const due = store.sql<TimerRow>("select * from timers where due <= ? order by due, id limit ?");
  const count = store.sql<{ n: number }>("select count(*) as n from timers");
  const listeners: (() => void)[] = [];
  const fromRow = (row: TimerRow): Timer => ({
    ...row,
    payload: row.payload === "{}" ? {} : JSON.parse(row.payload),
  });
  const optional = (row: TimerRow | undefined) => row && fromRow(row);

  return {
    set(kind, key, at, payload = {}) {
      insert.run(at, kind, key, JSON.stringify(payload));
      for (const listener of listeners) listener();
    },
    cancel: (kind, key) => remove.run(kind, key).changes > 0,
    get: (kind, key) => optional(one.get(kind, key)),
    first: () => optional(first.get()),
    due: (until, limit = 10_000) => due.all(until, limit).map(fromRow),
    count: () => count.get()!.n,
    take: (timer) => removeById.run(timer.id).changes > 0,
    onSet: (listener) => void listeners.push(listener),
  };
}
