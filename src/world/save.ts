import type { SqlValue, Statement, Store } from "./store.ts";

/** A new row: columns that may be null can be left out. */
export type NewRow<Row> = {
  [Column in keyof Row as null extends Row[Column] ? never : Column]: Row[Column];
} & { [Column in keyof Row as null extends Row[Column] ? Column : never]?: Row[Column] };

/**
 * Makes a function that inserts rows of one table. Rows with the columns of the one before share its statement.
 * @param unique a column with unique values: a row whose value is taken is not written
 * @returns the function; it says whether the row was written
 */
export function inserter<Row extends object>(store: Store, table: string, unique?: keyof Row & string) {
  let columns: string[] = [];
  let insert: Statement<unknown> | undefined;
  const fits = (row: object) => {
    let count = 0;
    for (const column in row) if (column !== columns[count++]) return false;
    return count === columns.length;
  };
  return (row: NewRow<Row>): boolean => {
    if (!insert || !fits(row)) {
      columns = Object.keys(row);
      const marks = columns.map(() => "?").join(", ");
      const conflict = unique === undefined ? "" : ` on conflict (${unique}) do nothing`;
      insert = store.sql(`insert into ${table} (${columns.join(", ")}) values (${marks})${conflict}`);
    }
    const values = row as Record<string, SqlValue>;
    return insert.run(...columns.map((column) => values[column]!)).changes > 0;
  };
}

/** Inserts one row; its keys are the columns. */
export type Save = (table: string, row: object) => void;

/** Makes a `Save` for tables of all kinds. */
export function createSave(store: Store): Save {
  const inserters = new Map<string, (row: object) => boolean>();
  return (table, row) => {
    let insert = inserters.get(table);
    if (!insert) {
      insert = inserter<object>(store, table);
      inserters.set(table, insert);
    }
    insert(row);
  };
}
