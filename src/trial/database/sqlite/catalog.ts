import { createHash } from "node:crypto";
import type Sqlite from "better-sqlite3";
import type { TableShape } from "../../subject/rows.ts";
import type { CopiedTable, Side } from "../dialect.ts";
import type { Fingerprints } from "../record.ts";

/** A table, for copying its rows in SQL, including rowids, so that every value stays exact. */
export interface SqliteTable {
  name: string;
  /** Identifies rows, as SQL: by the rowid, or by the primary key if there is no rowid. */
  key: string[];
  /** All writable columns; generated columns follow from these. */
  columns: string[];
  /** The table's triggers, which restoring rows must not fire. */
  triggers: { name: string; sql: string }[];
  /** A part of a virtual table or of SQLite itself. It is restored, and its rows are not shown. */
  isInner: boolean;
}

type Schema = "main" | "copy";

export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** @param only the user's choice of tables; SQLite's own tables are always included */
export function tablesOf(db: Sqlite.Database, schema: Schema, only?: readonly string[]): SqliteTable[] {
  const tables = db
    .prepare<[string], { name: string; type: string; wr: number }>(
      "select name, type, wr from pragma_table_list where schema = ? and type in ('table', 'shadow') and name not like 'sqlite\\_%' escape '\\'",
    )
    .all(schema);
  const counters = db.prepare(`select 1 from ${schema}.sqlite_schema where name = 'sqlite_sequence'`).get();
  return [...tables, ...(counters ? [{ name: "sqlite_sequence", type: "shadow", wr: 0 }] : [])]
    .filter(({ name, type }) => only === undefined || type === "shadow" || only.includes(name))
    .map(({ name, type, wr }) => {
      const all = db
        .prepare<[string, string], { name: string; pk: number; hidden: number }>(
          "select name, pk, hidden from pragma_table_xinfo(?, ?)",
        )
        .all(name, schema);
      const named = all.filter(({ hidden }) => hidden === 0).map((column) => quoted(column.name));
      const primary = all.filter(({ pk }) => pk > 0).sort((one, other) => one.pk - other.pk);
      const rowid = ["rowid", "_rowid_", "oid"].find((alias) =>
        all.every((column) => column.name.toLowerCase() !== alias),
      );
      const isKeyed = wr === 1 || rowid === undefined;
      return {
        ...{ name, isInner: type === "shadow" },
        key: isKeyed ? primary.map((column) => quoted(column.name)) : [rowid],
        columns: isKeyed ? named : [rowid, ...named],
        triggers: db
          .prepare<[string], { name: string; sql: string }>(
            `select name, sql from ${schema}.sqlite_schema where type = 'trigger' and tbl_name = ? collate nocase`,
          )
          .all(name),
      };
    });
}

/** Whether rows can be copied between two tables unchanged. */
export const hasSameColumns = (one: SqliteTable, other: SqliteTable | undefined): boolean =>
  one.columns.join() === other?.columns.join() && one.key.join() === other.key.join();

/** Surrounds statements with statements that drop the table's triggers, and create them again. */
export function withoutTriggers(
  triggers: SqliteTable["triggers"],
  schema: Schema,
  changes: readonly string[],
): string[] {
  return [
    ...triggers.map(({ name }) => `drop trigger ${schema}.${quoted(name)}`),
    ...changes,
    ...triggers.map(({ sql }) => inSchema(sql, schema)),
  ];
}

/** The statement that creates a trigger in an attached schema. */
const inSchema = (sql: string, schema: Schema): string =>
  schema === "main"
    ? sql
    : sql.replace(/^(\s*create\s+trigger\s+(?:if\s+not\s+exists\s+)?)/i, `$1${schema}.`);

/** A literal of a value. Unusual texts are written as bytes, because JavaScript strings cannot hold all of them. */
const literalOf = (value: string): string =>
  `case when typeof(${value}) = 'text' and (length(${value}) <> length(cast(${value} as blob)) or ${value} glob '*[^ -~]*')
    then 'cast(x''' || hex(cast(${value} as blob)) || ''' as text)' else quote(${value}) end`;

const valuesOf = ({ columns }: SqliteTable): string =>
  `json_array(${columns.map((column) => literalOf(`m.${column}`)).join(", ")})`;

export function fingerprintsIn(db: Sqlite.Database): Fingerprints {
  const print = (table: SqliteTable): string => {
    const hash = createHash("sha256").update(table.columns.join());
    const rows = db.prepare(`select ${valuesOf(table)} from main.${quoted(table.name)} m`).pluck();
    for (const row of rows.iterate()) hash.update(row as string);
    return hash.digest("hex");
  };
  return Object.fromEntries(tablesOf(db, "main").map((table) => [table.name, print(table)]));
}

export interface SqliteCopied extends CopiedTable {
  table: SqliteTable;
  /** Deletes the rows with the collected keys. */
  removal: string;
}

const SCHEMAS: Record<Side, Schema> = { database: "main", copy: "copy" };

/**
 * The statements about a table: `main` is the user's database, and `copy` has the earlier rows. In the ledger, the values of a
 * row are a JSON list of literals.
 * @param copied the table in the copy
 * @param collected the table of collected keys
 */
export function statementsOf(
  table: SqliteTable,
  copied: SqliteTable,
  number: number,
  collected: string,
): SqliteCopied {
  const { name, key, columns, isInner } = table;
  const of = (side: Side) => `${SCHEMAS[side]}.${quoted(name)}`;
  const isRowid = key.length === 1 && /^(?:rowid|_rowid_|oid)$/.test(key[0]!);
  const keyOf = (row = "") =>
    isRowid
      ? `cast(${row}${key} as text)`
      : key.map((column) => literalOf(row + column)).join(" || ', ' || ");
  const sameKey = key.map((column) => `m.${column} = c.${column}`).join(" and ");
  const sameRow = columns
    .map((one) => `m.${one} is c.${one} collate binary and typeof(m.${one}) = typeof(c.${one})`)
    .join(" and ");
  const keys = `from ${collected} where tbl = ${number}`;
  const isCollected = isRowid
    ? `${key} in (select cast(k as integer) ${keys})`
    : `${keyOf()} in (select k ${keys})`;
  const names = columns.join(", ");
  const removalFrom = (side: Side) => `delete from ${of(side)} where ${isCollected}`;
  const moveTo = (side: Side) =>
    withoutTriggers((side === "copy" ? copied : table).triggers, SCHEMAS[side], [
      removalFrom(side),
      `insert into ${of(side)} (${names}) select ${names} from ${of(side === "copy" ? "database" : "copy")} where ${isCollected}`,
    ]);
  return {
    ...{ name, number, isInner, table, moveTo },
    before: of("copy"),
    keys: {
      database: `select ${keyOf()} as k from ${of("database")}`,
      copy: `select ${keyOf()} as k from ${of("copy")}`,
    },
    changes: `select ${number} as tbl, ${keyOf("m.")} as k, ${valuesOf(table)} as v from ${of("database")} m
        where not exists (select 1 from ${of("copy")} c where ${sameKey} and ${sameRow})
      union all select ${number}, ${keyOf("c.")}, '' from ${of("copy")} c
        where not exists (select 1 from ${of("database")} m where ${sameKey})`,
    masked(noted, own) {
      // SQLite assigns rowids.
      const left = columns.flatMap((column, index) =>
        own.map(quoted).includes(column) || (isRowid && index === 0) ? `'$[${index}]'` : [],
      );
      // Start with the last: each removal moves the later ones.
      return left.length === 0 ? noted : `json_remove(${noted}, ${left.reverse().join(", ")})`;
    },
    removal: removalFrom("database"),
    restore: moveTo("database"),
  };
}

interface KeyColumn {
  name: string;
  type: string;
  /** The expression of the column's default, or null. */
  value: string | null;
}

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
  const indexes = db
    .prepare<[string], string>(
      `select json_group_array(x.name) from pragma_index_list(?) i, pragma_index_info(i.name) x where i."unique" = 1
        group by i.name having count(x.name) = count(*)`,
    )
    .pluck();
  const keys = new Map(tables.map((name) => [name, keyOf.all(name)]));

  function drawnBy(name: string): TableShape["draws"] {
    const [column, second] = keys.get(name)!;
    if (!column || second) return null;
    // An integer primary key is the rowid, which SQLite generates.
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
    unique: indexes.all(name).map((columns) => JSON.parse(columns)),
  }));
}
