import type { SqlValue, Store } from "./store.ts";

/** Rows that are only ever added to a table, written many at once. */
export interface AppendedRows {
  /** Adds a row in the current transaction; a rollback takes it back. */
  add(...values: SqlValue[]): void;
}

/** Rows written by one statement, which costs half as much as one by one. */
const ROWS_AT_ONCE = 32;
/** Rows that may wait in memory. */
const MOST_WAITING = 256;

/**
 * A file gets the rows with each commit, so that a crash loses none. In memory they wait until a statement
 * names the table, the store is serialized, or too many wait: the difference cannot be seen.
 * @param columns in the order in which `add` takes their values
 */
export function createAppendedRows(store: Store, table: string, columns: readonly string[]): AppendedRows {
  const width = columns.length;
  const row = `(${columns.map(() => "?").join(", ")})`;
  const insert = `insert into ${table} (${columns.join(", ")}) values `;
  const insertOne = store.sql(insert + row);
  const insertMany = store.sql(insert + Array(ROWS_AT_ONCE).fill(row).join(", "));
  /** Values of rows that the table does not have yet; the first `committed` of them belong to ended transactions. */
  let waiting: SqlValue[] = [];
  let committed = 0;
  /** Values of ended transactions that the current one wrote: a rollback would take them along. */
  let carried: SqlValue[] = [];

  function flush(): void {
    if (waiting.length === 0) return;
    const values = waiting;
    if (store.inTransaction) carried = carried.concat(values.slice(0, committed));
    waiting = [];
    committed = 0;
    const step = ROWS_AT_ONCE * width;
    let from = 0;
    for (; from + step <= values.length; from += step) insertMany.run(...values.slice(from, from + step));
    for (; from < values.length; from += width) insertOne.run(...values.slice(from, from + width));
  }

  store.writeBehind(table, flush);
  store.afterTransaction((isCommitted) => {
    if (!isCommitted) waiting = carried.concat(waiting.slice(0, committed));
    carried = [];
    committed = waiting.length;
  });

  return {
    add: (...values) =>
      store.transaction(() => {
        waiting.push(...values);
        if (waiting.length >= MOST_WAITING * width) flush();
      }),
  };
}
