import type { SqlValue, Store } from "./store.ts";

/** A new row. @typeParam Later nullable columns that an update sets */
export type NewRow<Row, Later extends keyof Row = never> = Omit<Row, Later> & Partial<Pick<Row, Later>>;

/** A row from fixtures or from the seed, in which nullable columns can be omitted. */
export type MadeRow<Row> = {
  [Column in keyof Row as null extends Row[Column] ? never : Column]: Row[Column];
} & { [Column in keyof Row as null extends Row[Column] ? Column : never]?: Row[Column] };

/**
 * Creates a function that inserts rows into one table and returns whether the row was written.
 * @param unique a column with unique values: a row with an existing value is skipped
 */
export const inserter =
  <Row extends object, Later extends keyof Row = never>(
    store: Store,
    table: string,
    unique?: keyof Row & string,
  ) =>
  (row: NewRow<Row, Later>): boolean => {
    const columns = Object.keys(row);
    const conflict = unique === undefined ? "" : ` on conflict (${unique}) do nothing`;
    const insert = `insert into ${table} (${columns.join()}) values (${columns.map(() => "?").join()})${conflict}`;
    return store.sql(insert).run(...(Object.values(row) as SqlValue[])).changes > 0;
  };

/** The number of rows in each table, by name. @param prefix what the tables' names start with */
export const countRows = (store: Store, names: readonly string[], prefix = "") =>
  Object.fromEntries(
    names.map((name) => [
      name,
      store.sql<{ n: number }>(`select count(*) as n from ${prefix}${name}`).get()!.n,
    ]),
  );

/** Inserts one row; its keys are the columns. */
export type Save = (table: string, row: object) => void;

/** Creates a `Save` for all tables. */
export const createSave =
  (store: Store): Save =>
  (table, row) =>
    void inserter<object>(store, table)(row);
