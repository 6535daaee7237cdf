import type { CopiedTable } from "./dialect.ts";
import { type Noting, sharedStatements } from "./ledger.ts";
import { literal, quoted } from "./postgres-client.ts";

/** A table of a schema, as its rows are compared and copied: in SQL, as the text that Postgres has for a row. */
export interface PostgresTable {
  name: string;
  /** With its schema, as SQL takes it. */
  sql: string;
  /** What its rows are read from: it alone, unless it has partitions. */
  from: string;
  /** The columns that can be written, as SQL takes them. */
  columns: string[];
  /** All of its columns, with their types: a copy of another form holds other rows. */
  form: string;
  /** The columns of its primary key; none without one. */
  key: string[];
}

/** The tables of a schema. */
export const TABLES = `
  select relname as name, relkind = 'p' as partitioned,
    array(select quote_ident(attname) from pg_attribute
      where attrelid = c.oid and attnum > 0 and not attisdropped and attgenerated = '' order by attnum) as columns,
    array(select attname || ' ' || format_type(atttypid, atttypmod) from pg_attribute
      where attrelid = c.oid and attnum > 0 and not attisdropped order by attnum) as form,
    array(select quote_ident(attname) from pg_index i join pg_attribute a on a.attrelid = i.indrelid and a.attnum = any(i.indkey)
      where i.indrelid = c.oid and i.indisprimary order by attnum) as key
  from pg_class c where relnamespace = $1::regnamespace and relkind in ('r', 'p') and not relispartition order by relname`;

/** @param row of the tables of a schema */
export function tableOf(
  schema: string,
  {
    partitioned,
    form,
    ...row
  }: Pick<PostgresTable, "name" | "columns" | "key"> & { partitioned: boolean; form: string[] },
): PostgresTable {
  const sql = `${quoted(schema)}.${quoted(row.name)}`;
  return { ...row, sql, from: partitioned ? sql : `only ${sql}`, form: form.join() };
}

/** A name that no column has. */
const ROW = "sandglass_row";

/** Rows with what tells them apart: the primary key, else the row itself and which of several equal ones it is. */
const rowsIn = (from: string, key: readonly string[]): string => {
  const text = `${ROW}::text`;
  const number = `row_number() over (partition by ${text} order by tableoid, ctid)`;
  const of =
    key.length > 0
      ? `row(${key.map((one) => `${ROW}.${one}`).join(", ")})::text`
      : `${text} || ' ' || ${number}`;
  return `(select tableoid as place, ctid as at, ${of} as k, ${text} as v from ${from} ${ROW})`;
};

/** A table of the database, and the copy of it. */
export interface PostgresCopied extends CopiedTable {
  table: PostgresTable;
  /** Makes the copy. */
  copy: string;
  /** Selects what differs from the copy, as the ledger has it. */
  changes: string;
}

/** The statements about one table and its copy; the ledger is in the schema of the copy. */
export function statementsOf(table: PostgresTable, schema: string, number: number): PostgresCopied {
  const { name, sql, from, columns, key } = table;
  const copy = `${schema}.${quoted(`before ${number}`)}`;
  const [now, before] = [rowsIn(from, key), rowsIn(copy, key)];
  const changed = `from ${now} m where not exists (select 1 from ${before} c where c.k = m.k and c.v = m.v)`;
  const missing = `from ${before} c where not exists (select 1 from ${now} m where m.k = c.k)`;
  const noted = (kind: Noting) => `(select * from ${schema}.${kind} where tbl = ${number})`;
  /** What the trial left: what was noted, and what is as before. */
  const expected = `(select k, v from ${noted("last")} l where not gone union all
    select k, v from ${before} c where not exists (select 1 from ${noted("last")} l where l.k = c.k))`;
  const list = columns.join(", ");
  const keys = `pg_temp.${quoted(`keys ${number}`)}`;
  const inKeys = (target: string, rows: string) =>
    `from ${target} where (tableoid, ctid) in (select place, at from ${rows} m where k in (select k from ${keys}))`;
  const inserted = (select: string) =>
    `insert into ${sql} ${columns.length > 0 ? `(${list}) overriding system value` : ""} select ${select}`;
  const removed = `delete ${inKeys(from, now)}`;
  const masked = (value: string, own: readonly string[]) =>
    `to_jsonb(cast(${value} as ${sql})) - ${literal(`{${own.join()}}`)}::text[]`;

  return {
    ...sharedStatements({
      ...{ name, number, noted, changed, missing, added: "last" },
      add: (kind, select) => `insert into ${schema}.${kind} ${select}`,
      drop: (kind, where = "true") => `delete from ${schema}.${kind} d where tbl = ${number} and ${where}`,
      keyOf: (row) => `${row}.k`,
      hasKey: (row, one) => `${one}.k = ${row}.k`,
      isIn: (where, one) =>
        `exists (select 1 from ${where === "copy" ? before : now} r where r.k = ${one}.k)`,
      same: (one, other) => `${other}.k = ${one}.k and ${other}.v is not distinct from ${one}.v`,
      without: (kind, other) => `select * from ${noted(kind)} l except select * from ${noted(other)} o`,
      isAmong: (row, kind, own, and = "true") =>
        `exists (select 1 from ${noted(kind)} o where o.gone = ${row}.gone and ${and}
          and (o.gone and o.k = ${row}.k or not o.gone and (o.v = ${row}.v or ${masked("o.v", own)} = ${masked(`${row}.v`, own)})))`,
      equals: (one, own) =>
        own ? `${masked(`${one}.v`, own)} = ${masked("m.v", own)}` : `${one}.k = m.k and ${one}.v = m.v`,
      collect: (select) => [
        `drop table if exists ${keys}; create temp table ${quoted(`keys ${number}`)} on commit drop as ${select}`,
      ],
      intoCopy: [
        `delete ${inKeys(copy, before)}`,
        `insert into ${copy} select * ${inKeys(from, now)} order by ctid`,
      ],
      intoDatabase: [removed, inserted(`${list} ${inKeys(copy, before)} order by ctid`)],
      asideIntoDatabase: [
        removed,
        inserted(`${columns.map((column) => `(r).${column}`).join(", ")}
          from (select distinct on (k) cast(v as ${sql}) as r from ${noted("aside")} a where not gone and k in (select k from ${keys})) g`),
      ],
      unexpected: `select coalesce(m.k, e.k) as k from ${now} m full join ${expected} e on e.k = m.k where m.v is distinct from e.v`,
    }),
    ...{ table, isInner: false, before: copy },
    copy: `create table ${copy} as select * from ${from} order by xmin::text::bigint, ctid`,
    changes: `select ${number}, false, m.k, m.v ${changed} union all select ${number}, true, c.k, null ${missing}`,
    left: `select ${literal(name)} as name, k from (select m.k ${changed} union select c.k ${missing}) d`,
    // As a whole, so that the rows are in the order in which they were.
    restore: [`delete from ${from}`, inserted(`${list} from ${copy} order by ctid`)],
    adoptAll: [
      `delete from ${copy}`,
      `insert into ${copy} select * from ${from} order by xmin::text::bigint, ctid`,
    ],
  };
}
