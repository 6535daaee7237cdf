import type { CopiedTable } from "./dialect.ts";
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

export function tableOf(
  schema: string,
  {
    name,
    partitioned,
    columns,
    form,
    key,
  }: Record<string, never> & { name: string; columns: string[]; form: string[]; key: string[] },
): PostgresTable {
  const sql = `${quoted(schema)}.${quoted(name)}`;
  return { name, sql, from: partitioned ? sql : `only ${sql}`, columns, form: form.join(), key };
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

/** The parts of statements about one table and its copy; the ledger is in the schema of the copy. */
function partsOf({ sql, from, columns, key }: PostgresTable, schema: string, number: number) {
  const copy = `${schema}.${quoted(`before ${number}`)}`;
  const now = rowsIn(from, key);
  const before = rowsIn(copy, key);
  const changed = `${now} m where not exists (select 1 from ${before} c where c.k = m.k and c.v = m.v)`;
  const missing = `${before} c where not exists (select 1 from ${now} m where m.k = c.k)`;
  const noted = (kind: string) => `(select * from ${schema}.${kind} where tbl = ${number})`;
  /** What the trial left: what was noted, and what is as before. */
  const expected = `(select k, v from ${noted("last")} l where not gone union all
    select k, v from ${before} c where not exists (select 1 from ${noted("last")} l where l.k = c.k))`;
  const unexpected = `${now} m full join ${expected} e on e.k = m.k where m.v is distinct from e.v`;
  const list = columns.join(", ");
  const keys = `pg_temp.${quoted(`keys ${number}`)}`;
  const collect = (select: string) =>
    `drop table if exists ${keys}; create temp table ${quoted(`keys ${number}`)} on commit drop as ${select}`;
  const removed = (target: string, rows: string) =>
    `delete from ${target} where (tableoid, ctid) in (select place, at from ${rows} m where k in (select k from ${keys}))`;
  const inserted = (select: string) =>
    `insert into ${sql} ${columns.length > 0 ? `(${list}) overriding system value` : ""} select ${select}`;
  const inKeys = (rows: string, source: string) =>
    `from ${source} where (tableoid, ctid) in (select place, at from ${rows} m where k in (select k from ${keys})) order by ctid`;
  const intoCopy = [removed(copy, before), `insert into ${copy} select * ${inKeys(now, from)}`];
  const differing = `select k from ${changed} union select k from ${missing}`;
  const where = (condition: string) => `select ${number} as number where ${condition}`;
  const masked = (value: string, own: readonly string[]) =>
    `to_jsonb(cast(${value} as ${sql})) - ${literal(`{${own.join()}}`)}::text[]`;
  /** Whether the ledger has such a row, but for what differs in each run. */
  const isAmong = (row: string, kind: string, own: readonly string[], and = "true") =>
    `exists (select 1 from ${noted(kind)} o where o.gone = ${row}.gone and ${and}
      and (o.gone and o.k = ${row}.k or not o.gone and (o.v = ${row}.v or ${masked("o.v", own)} = ${masked(`${row}.v`, own)})))`;
  return {
    ...{ copy, now, before, changed, missing, noted, unexpected, list, keys, collect, removed, inserted },
    ...{ inKeys, intoCopy, differing, where, masked, isAmong },
  };
}

/** The statements about one table and its copy. */
export function statementsOf(table: PostgresTable, schema: string, number: number): PostgresCopied {
  const { sql, from, columns } = table;
  const parts = partsOf(table, schema, number);
  const { copy, now, before, changed, missing, noted, unexpected, list, keys } = parts;
  const { collect, removed, inserted, inKeys, intoCopy, differing, where, masked, isAmong } = parts;
  const stillNew = `select distinct f.* from ${noted("fresh")} f join ${noted("last")} l
    on l.gone = f.gone and l.k = f.k and l.v is not distinct from f.v`;
  /** Counts what happened to the rows that the ledger has. */
  const count = (
    rows: string,
  ) => `select ${number} as number, count(*) filter (where not gone and c.k is null) as inserted,
    count(*) filter (where not gone and c.k is not null) as updated, count(*) filter (where gone) as deleted
    from (${rows}) n left join ${before} c on c.k = n.k`;
  const asideRecurs = (own: readonly string[]) =>
    `delete from ${schema}.aside a where tbl = ${number} and ${isAmong("a", "last", own)}`;
  const dropAside = `delete from ${schema}.aside where tbl = ${number}`;

  return {
    ...{ table, number, name: table.name, isInner: false, before: copy },
    copy: `create table ${copy} as select * from ${from} order by xmin::text::bigint, ctid`,
    changes: `select ${number}, false, k, v from ${changed} union all select ${number}, true, k, null from ${missing}`,
    differs: where(`exists (select 1 from ${changed}) or exists (select 1 from ${missing})`),
    left: `select ${literal(table.name)} as name, k from (${differing}) d`,
    // As a whole, so that the rows are in the order in which they were.
    restore: [`delete from ${from}`, inserted(`${list} from ${copy} order by ctid`)],
    adoptAll: [
      `delete from ${copy}`,
      `insert into ${copy} select * from ${from} order by xmin::text::bigint, ctid`,
    ],
    unexpected: {
      count: `select ${number} as number, count(*) filter (where e.k is null) as inserted,
        count(*) filter (where e.k is not null and m.k is not null) as updated, count(*) filter (where m.k is null) as deleted
        from ${unexpected}`,
      take: [collect(`select coalesce(m.k, e.k) as k from ${unexpected}`), ...intoCopy],
    },
    fresh: { count: count(stillNew), take: [collect(`select k from (${stillNew}) n`), ...intoCopy] },
    aside: {
      count: count(`select * from ${noted("aside")} a`),
      take: [
        collect(
          `select k from ${noted("aside")} a where not exists (select 1 from ${changed} and m.k = a.k)`,
        ),
        removed(from, now),
        inserted(`${columns.map((column) => `(r).${column}`).join(", ")}
          from (select distinct on (k) cast(v as ${sql}) as r from ${noted("aside")} a where not gone and k in (select k from ${keys})) g`),
        ...intoCopy,
        dropAside,
      ],
    },
    sort: (own, isDoubtful) => [
      asideRecurs(own),
      ...(isDoubtful
        ? [
            `insert into ${schema}.fresh select * from ${noted("last")} l where not ${isAmong("l", "seen", own)}`,
          ]
        : []),
      `insert into ${schema}.seen select * from ${noted("last")} l except select * from ${noted("seen")} s`,
    ],
    dropRecurring: (own) => [
      asideRecurs(own),
      `delete from ${schema}.fresh f where tbl = ${number} and ${isAmong("f", "seen", own, "o.v is distinct from f.v")}`,
    ],
    noteRun: `insert into ${schema}.earlier select * from ${noted("last")} l except select * from ${noted("fresh")} f`,
    compareRuns: (
      own,
    ) => `select ${number} as number, count(*) filter (where ${isAmong("l", "earlier", own)}) as both,
      count(*) filter (where not ${isAmong("l", "earlier", own)}) as now,
      (select count(*) from ${noted("earlier")} e where not ${isAmong("e", "last", own)}) as earlier from ${noted("last")} l`,
    takeApart: (own) => [
      `insert into ${schema}.aside select * from ${noted("earlier")} e where not ${isAmong("e", "last", own)}`,
      `insert into ${schema}.fresh select * from ${noted("last")} l where not ${isAmong("l", "earlier", own)}`,
    ],
    forget: ["last", "fresh"].map((kind) => `delete from ${schema}.${kind} where tbl = ${number}`),
    hasNew: where(`exists (${stillNew})`),
    hasAside: where(`exists (select 1 from ${noted("aside")} a)`),
    setAside: `insert into ${schema}.aside ${stillNew}`,
    dropAside,
    settle(inDelivery, own) {
      const seen = `select 1 from ${noted("seen")} s where`;
      const selects = [
        `select m.k from ${changed} and exists (select 1 from ${noted("last")} l where not l.gone and l.k = m.k and l.v = m.v)`,
        `select c.k from ${missing} and exists (select 1 from ${noted("last")} l where l.gone and l.k = c.k)`,
        ...(inDelivery
          ? [
              `select m.k from ${changed} and exists (${seen} not s.gone and ${masked("s.v", own)} = ${masked("m.v", own)})`,
              `select c.k from ${missing} and exists (${seen} s.gone and s.k = c.k)`,
            ]
          : []),
      ];
      return [
        collect(selects.join(" union ")),
        removed(from, now),
        inserted(`${list} ${inKeys(before, copy)}`),
      ];
    },
  };
}
