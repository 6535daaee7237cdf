import type { SqlValue, Statement, Store } from "./store.ts";

/** Inserts one row; its keys are the columns. */
export type Save = (table: string, row: object) => void;

/** Makes a `Save` that prepares one statement for each table, from the first row it is given. */
export function createSave(store: Store): Save {
  const known = new Map<string, { columns: string[]; insert: Statement<unknown> }>();
  return (table, row) => {
    let target = known.get(table);
    if (!target) {
      const columns = Object.keys(row);
      const marks = columns.map(() => "?").join(", ");
      target = {
        columns,
        insert: store.sql(`insert into ${table} (${columns.join(", ")}) values (${marks})`),
      };
      known.set(table, target);
    }
    const values = row as Record<string, SqlValue>;
    target.insert.run(...target.columns.map((column) => values[column]!));
  };
}
