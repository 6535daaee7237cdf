import { createHash } from "node:crypto";
import { PREFIX } from "../copy-names.ts";
import type { Fingerprints, TableShape } from "../dialect.ts";
import { type Connection, literal, quoted } from "./client.ts";

export interface MysqlColumn {
  name: string;
  /** The type without its size, such as `varchar`. Text columns that must be JSON also have type `json`. */
  type: string;
  /** The size in bytes of a fixed-size binary column. */
  size: number | undefined;
  /** Whether the column is computed and therefore cannot be written. */
  isComputed: boolean;
}

/** A table, for comparing and copying its rows in SQL. */
export interface MysqlTable {
  name: string;
  /** The table's name with its database, as SQL. */
  sql: string;
  columns: readonly MysqlColumn[];
  /** All columns with their types. If this differs, a copy's rows do not fit the table. */
  form: string;
  /** The next auto-increment value; null if there is no auto-increment column. */
  next: string | null;
  /** An `order by` clause for the order in which rows were written, as far as it is known. */
  inOrder: string;
}

/** Columns that can be written, as SQL. */
export const writableOf = ({ columns }: MysqlTable): string =>
  columns.flatMap(({ name, isComputed }) => (isComputed ? [] : quoted(name))).join(", ");

const IS_TABLE = "table_type in ('BASE TABLE', 'SYSTEM VERSIONED')";

export async function tablesIn({ query }: Connection, database: string): Promise<MysqlTable[]> {
  const [tables, columns, checks, keys] = [
    await query(
      `select table_name as name, cast(auto_increment as char) as next from information_schema.tables
       where table_schema = ? and ${IS_TABLE} order by table_name`,
      [database],
    ),
    await query(
      `select table_name as of, column_name as name, data_type as type, column_type as full, extra,
         coalesce(generation_expression, '') <> '' as isComputed, character_octet_length as size
       from information_schema.columns where table_schema = ? order by table_name, ordinal_position`,
      [database],
    ),
    await jsonChecks(query, database),
    await query(
      `select table_name as of, column_name as name from information_schema.statistics
       where table_schema = ? and index_name = 'PRIMARY' order by table_name, seq_in_index`,
      [database],
    ),
  ];
  return tables.map(({ name, next }) => {
    const own = columns.filter(({ of }) => of === name);
    const counted = own.filter(({ extra }) => /auto_increment/i.test(extra));
    const key = keys.filter(({ of }) => of === name);
    const order = (counted.length > 0 ? counted : key).map((one) => quoted(one.name));
    return {
      ...{ name, sql: `${quoted(database)}.${quoted(name)}`, next },
      columns: own.map((one) => ({
        name: one.name,
        type: checks.has(`${name}.${one.name}`) ? "json" : String(one.type).toLowerCase(),
        size: /^binary/i.test(one.full) ? Number(one.size) : undefined,
        isComputed: Boolean(one.isComputed) || /\bas row (?:start|end)\b/i.test(one.extra),
      })),
      form: createHash("md5")
        .update(own.map((one) => `${one.name} ${one.full} ${one.extra}`).join("\n"))
        .digest("hex"),
      inOrder: order.length > 0 ? `order by ${order.join(", ")}` : "",
    };
  });
}

/** MariaDB's JSON columns, which are text columns with a check. */
async function jsonChecks(query: Connection["query"], database: string): Promise<Set<string>> {
  const found = await query(
    `select table_name as of, check_clause as clause from information_schema.check_constraints
     where constraint_schema = ?`,
    [database],
    // This query fails on MySQL, whose view has no table name. MySQL has a native JSON type instead.
  ).catch(() => []);
  return new Set(
    found.flatMap(({ of, clause }) => {
      const [, name] = /^json_valid\(`((?:[^`]|``)+)`\)$/i.exec(clause) ?? [];
      return name === undefined ? [] : `${of}.${name.replaceAll("``", "`")}`;
    }),
  );
}

/** Determines how the rows of each table are identified. */
export async function shapesIn({ query }: Connection, database: string): Promise<TableShape[]> {
  const tables = await query(
    `select table_name as name from information_schema.tables where table_schema = ? and ${IS_TABLE} order by table_name`,
    [database],
  );
  const indexes = await query(
    `select table_name as of, index_name as name, column_name as \`column\` from information_schema.statistics
     where table_schema = ? and non_unique = 0 order by table_name, index_name, seq_in_index`,
    [database],
  );
  const drawn = await query(
    `select table_name as of, column_name as \`column\` from information_schema.columns
     where table_schema = ? and column_key = 'PRI' and (extra like '%auto_increment%' or column_default like '%(%')`,
    [database],
  );
  const references = await query(
    `select table_name as of, constraint_name as name, column_name as \`column\`,
       referenced_table_name as \`table\`, referenced_column_name as to_column
     from information_schema.key_column_usage where table_schema = ? and referenced_table_schema = ?`,
    [database, database],
  );
  const keyOf = (table: string): string[] =>
    indexes.filter(({ of, name }) => of === table && name === "PRIMARY").map(({ column }) => column);
  return tables.map(({ name: table }) => {
    const own = Map.groupBy(
      indexes.filter(({ of }) => of === table),
      ({ name }) => name as string,
    );
    const key = keyOf(table);
    const isDrawn = key.length === 1 && drawn.some(({ of, column }) => of === table && column === key[0]);
    const foreign = Map.groupBy(
      references.filter(({ of }) => of === table),
      ({ name }) => name as string,
    );
    return {
      ...{ name: table, key, draws: isDrawn ? ("any" as const) : null },
      references: [...foreign.values()].flatMap(([one, ...more]) =>
        one && more.length === 0 && String(keyOf(one.table)) === one.to_column
          ? [{ column: one.column as string, table: one.table as string }]
          : [],
      ),
      unique: [...own.values()]
        // Skip indexes on expressions, which have no column.
        .filter((parts) => parts.every(({ column }) => column !== null))
        .map((parts) => parts.map(({ column }) => column as string)),
    };
  });
}

/** An SQL expression that distinguishes a column's values. */
function distinct({ name, type }: MysqlColumn): string {
  const sql = quoted(name);
  if (type === "float") return `cast(${sql} as double)`;
  return type === "enum" || type === "set" ? `${sql} + 0` : sql;
}

/** Each table's name and fingerprint, independent of row order. @param locking whether to lock the rows, too */
export async function fingerprintsIn(
  { query }: Connection,
  tables: readonly MysqlTable[],
  locking = "",
): Promise<Fingerprints> {
  const all: [string, string][] = [];
  for (const { name, sql, columns, form } of tables) {
    const values = columns.map((one) => `ifnull(md5(cast(${distinct(one)} as binary)), 'n')`).join(", ");
    const half = (at: number) =>
      `coalesce(sum(cast(conv(substr(sandglass_row, ${at}, 16), 16, 10) as unsigned)), 0)`;
    const [{ rows }] = await query(
      `select concat_ws(':', ${literal(form)}, count(*), ${half(1)}, ${half(17)}) as \`rows\`
       from (select md5(concat_ws(',', ${values})) as sandglass_row from ${sql} ${locking}) sandglass_rows`,
    );
    all.push([name, rows]);
  }
  return Object.fromEntries(all);
}

export const isOwnName = (name: string): boolean => name.startsWith(PREFIX);
