import type Sqlite from "better-sqlite3";
import type { TableShape } from "./rows.ts";

interface KeyColumn {
  name: string;
  type: string;
  /** The expression of its default, or null. */
  value: string | null;
}

/** How the rows of tables are told apart, as their schema says. */
export function shapesIn(db: Sqlite.Database, tables: readonly string[]): TableShape[] {
  const keyOf = db.prepare<[string], KeyColumn>(
    "select name, type, dflt_value as value from pragma_table_xinfo(?) where pk > 0 order by pk",
  );
  const hasRowid = db.prepare<[string], { name: string }>(
    "select name from pragma_table_list where schema = 'main' and name = ? and wr = 0",
  );
  const links = db.prepare<[string], { column: string; table: string; to: string | null }>(
    `select "from" as column, "table", "to" from pragma_foreign_key_list(?) group by id having count(*) = 1`,
  );
  const keys = new Map(tables.map((name) => [name, keyOf.all(name)]));

  function drawnBy(name: string): TableShape["draws"] {
    const [column, second] = keys.get(name)!;
    if (!column || second) return null;
    // Such a column is the rowid, which SQLite draws.
    if (/^integer$/i.test(column.type) && hasRowid.get(name)) return "next";
    return column.value?.includes("(") ? "any" : null;
  }

  return tables.map((name) => ({
    name,
    key: keys.get(name)!.map((column) => column.name),
    draws: drawnBy(name),
    references: links.all(name).flatMap(({ column, table, to }) => {
      const target = tables.find((one) => one.toLowerCase() === table.toLowerCase());
      const [key, second] = keys.get(target ?? "") ?? [];
      const isKey = key && !second && (to === null || to.toLowerCase() === key.name.toLowerCase());
      return target !== undefined && isKey ? [{ column, table: target }] : [];
    }),
  }));
}
