import { createHash } from "node:crypto";
import type Sqlite from "better-sqlite3";
import type { Fingerprints, TableShape } from "../dialect.ts";

/** A table in SQL terms, for copying its rows, including rowids, so that every value stays exact. */
export interface SqliteTable {
  name: string;
  /** SQL names that identify rows: the rowid or, if the table has no rowid, the primary key. */
  key: string[];
  /** All writable columns; generated columns are derived from these. */
  columns: string[];
  /** The table's triggers, which must not fire while rows are restored. */
  triggers: { name: string; sql: string }[];
  /**
   * Whether the table is part of a virtual table or of SQLite itself. It is restored, but its rows are not compared.
   */
  isInner: boolean;
}

const isRowid = ({ key }: SqliteTable): boolean =>
  key.length === 1 && /^(?:rowid|_rowid_|oid)$/.test(key[0]!);

/** A string that is equal for tables between which rows can be copied unchanged. */
export const formOf = ({ key, columns }: SqliteTable): string => JSON.stringify([key, columns]);

export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

export function tablesOf(db: Sqlite.Database): SqliteTable[] {
  const tables = db
    .prepare<[], { name: string; type: string; wr: number }>(
      "select name, type, wr from pragma_table_list where schema = 'main' and type in ('table', 'shadow') and name not like 'sqlite\\_%' escape '\\'",
    )
    .all();
  const counters = db.prepare("select 1 from main.sqlite_schema where name = 'sqlite_sequence'").get();
  const columnsOf = db.prepare<[string], { name: string; pk: number; hidden: number }>(
    "select name, pk, hidden from pragma_table_xinfo(?, 'main')",
  );
  const triggersOf = db.prepare<[string], { name: string; sql: string }>(
    "select name, sql from main.sqlite_schema where type = 'trigger' and tbl_name = ? collate nocase",
  );
  return [...tables, ...(counters ? [{ name: "sqlite_sequence", type: "shadow", wr: 0 }] : [])].map(
    ({ name, type, wr }) => {
      const all = columnsOf.all(name);
      const named = all.filter(({ hidden }) => hidden === 0).map((column) => quoted(column.name));
      const primary = all.filter(({ pk }) => pk > 0).sort((one, other) => one.pk - other.pk);
      const rowid = ["rowid", "_rowid_", "oid"].find((alias) =>
        all.every((column) => column.name.toLowerCase() !== alias),
      );
      const isKeyed = wr === 1 || rowid === undefined;
      return {
        ...{ name, isInner: type === "shadow", triggers: triggersOf.all(name) },
        key: isKeyed ? primary.map((column) => quoted(column.name)) : [rowid],
        columns: isKeyed ? named : [rowid, ...named],
      };
    },
  );
}

/** Wraps statements in statements that drop a table's triggers and recreate them. */
const withoutTriggers = (triggers: SqliteTable["triggers"], changes: readonly string[]): string[] => [
  ...triggers.map(({ name }) => `drop trigger main.${quoted(name)}`),
  ...changes,
  ...triggers.map(({ sql }) => sql),
];

/**
 * An SQL expression for a value's literal. Unusual text is written as bytes, because a JavaScript string may not be
 * able to hold it.
 */
const literalOf = (value: string): string =>
  `case when typeof(${value}) = 'text' and (length(${value}) <> length(cast(${value} as blob)) or ${value} glob '*[^ -~]*')
    then 'cast(x''' || hex(cast(${value} as blob)) || ''' as text)' else quote(${value}) end`;

const valuesOf = ({ columns }: SqliteTable): string =>
  `json_array(${columns.map((column) => literalOf(`m.${column}`)).join(", ")})`;

/** How many rows to hash at once: hashing each separately takes longer than reading it. */
const AT_ONCE = 500;

export function fingerprintsIn(db: Sqlite.Database): Fingerprints {
  const print = (table: SqliteTable): string => {
    const hash = createHash("sha256").update(formOf(table));
    const rows = db.prepare(`select ${valuesOf(table)} from main.${quoted(table.name)} m`).pluck();
    let part: unknown[] = [];
    for (const row of rows.iterate()) {
      if (part.push(row) < AT_ONCE) continue;
      hash.update(part.join());
      part = [];
    }
    return hash.update(part.join()).digest("hex");
  };
  return Object.fromEntries(tablesOf(db).map((table) => [table.name, print(table)]));
}

/** Statements that copy a table into another one and back. */
interface CopyStatements {
  copy: string[];
  restore: string[];
}

/**
 * @param from the table, qualified with its schema
 * @param to the table that receives the rows, qualified. Its columns have no types, so that every value stays exact.
 */
export function copyStatements(table: SqliteTable, from: string, to: string): CopyStatements {
  const { key, columns, triggers } = table;
  const copied = columns.map((_, index) => `c${index}`);
  const ofKey = key.map((column) => [column, copied[columns.indexOf(column)]!] as const);
  const columnsOf = isRowid(table)
    ? `c0 integer primary key${copied
        .slice(1)
        .map((one) => `, ${one}`)
        .join("")}`
    : `${copied.join()}, primary key (${ofKey.map(([, one]) => one).join()})`;
  // The plus sign removes a column's affinity, which would prevent the copy's index from being used.
  const sameKey = ofKey.map(([column, one]) => `c.${one} = +m.${column} collate binary`).join(" and ");
  const sameRow = columns
    .map(
      (column, index) =>
        `m.${column} is c.c${index} collate binary and typeof(m.${column}) = typeof(c.c${index})`,
    )
    .join(" and ");
  const names = columns.join(", ");
  return {
    copy: [
      `create table ${to} (${columnsOf})${isRowid(table) ? "" : " without rowid"}`,
      `insert into ${to} select ${names} from ${from}`,
    ],
    restore: withoutTriggers(triggers, [
      `delete from ${from} as m where not exists (select 1 from ${to} c where ${sameKey} and ${sameRow})`,
      `insert into ${from} (${names}) select ${copied.join()} from ${to} c
        where not exists (select 1 from ${from} m where ${ofKey.map(([column, one]) => `m.${column} = c.${one}`).join(" and ")})`,
    ]),
  };
}

interface KeyColumn {
  name: string;
  type: string;
  /** The expression for the column's default, or null. */
  value: string | null;
}

export function shapesIn(db: Sqlite.Database): TableShape[] {
  const tables = tablesOf(db).flatMap(({ name, isInner }) => (isInner ? [] : name));
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
    // An integer primary key is the rowid, which SQLite generates itself.
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
