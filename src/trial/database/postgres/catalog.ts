import type { CopiedTable } from "../dialect.ts";
import { literal, quoted } from "./client.ts";

/** A table of a schema, for comparing and copying its rows in SQL, as Postgres's text. */
export interface PostgresTable {
  name: string;
  /** The table's name with its schema, as SQL. */
  sql: string;
  /** The SQL source of its rows: the table only, unless it has partitions. */
  from: string;
  /** The writable columns, as SQL. */
  columns: string[];
  /** All columns with their types: with another form, a copy's rows do not fit. */
  form: string;
  /** The columns of the primary key; empty without one. */
  key: string[];
}

/** Selects the tables of a schema; `$1` is its quoted name. */
export const TABLES = `
  select relname as name, format('%s.%I', relnamespace::regnamespace, relname) as sql,
    case relkind when 'r' then 'only ' else '' end || format('%s.%I', relnamespace::regnamespace, relname) as from,
    array(select quote_ident(attname) from pg_attribute
      where attrelid = c.oid and attnum > 0 and not attisdropped and attgenerated = '' order by attnum) as columns,
    array_to_string(array(select attname || ' ' || format_type(atttypid, atttypmod) from pg_attribute
      where attrelid = c.oid and attnum > 0 and not attisdropped order by attnum), ',') as form,
    array(select quote_ident(attname) from pg_index i join pg_attribute a on a.attrelid = i.indrelid and a.attnum = any(i.indkey)
      where i.indrelid = c.oid and i.indisprimary order by attnum) as key
  from pg_class c where relnamespace = $1::regnamespace and relkind in ('r', 'p') and not relispartition order by relname`;

/** A name that no column has. */
const ROW = "sandglass_row";

/** Rows with an identity: the primary key, or else the row itself and a number among equal rows. */
const rowsIn = (from: string, key: readonly string[]): string => {
  const text = `${ROW}::text`;
  const number = `row_number() over (partition by ${text} order by tableoid, ctid)`;
  const of =
    key.length > 0
      ? `row(${key.map((one) => `${ROW}.${one}`).join(", ")})::text`
      : `${text} || ' ' || ${number}`;
  return `(select tableoid as place, ctid as at, ${of} as k, ${text} as v from ${from} ${ROW})`;
};

export interface PostgresCopied extends CopiedTable {
  table: PostgresTable;
  copy: string;
  /** Deletes the rows with the collected keys, and inserts the selected rows. */
  removal: string;
  insertion(select: string): string;
}

/** The statements about one table and its copy, which is in a schema with the ledger. */
export function statementsOf(table: PostgresTable, schema: string, number: number): PostgresCopied {
  const { name, sql, from, columns, key } = table;
  const copy = `${schema}.${quoted(`before ${number}`)}`;
  const [now, before] = [rowsIn(from, key), rowsIn(copy, key)];
  const list = columns.join(", ");
  const isCollected = (rows: string) => `(tableoid, ctid) in (select place, at from ${rows} m
    where k in (select k from ${schema}.noted_keys where tbl = ${number}))`;
  const removal = `delete from ${from} where ${isCollected(now)}`;
  const insertion = (select: string) =>
    `insert into ${sql} ${columns.length > 0 ? `(${list}) overriding system value` : ""} ${select}`;
  const inOrder = "order by xmin::text::bigint, ctid";

  return {
    ...{ name, number, table, removal, insertion, isInner: false, before: copy },
    copy: `create table ${copy} as select * from ${from} ${inOrder}`,
    keys: { database: `select k from ${now} r`, copy: `select k from ${before} r` },
    changes: `select ${number}, k, v from ${now} m where not exists (select 1 from ${before} c where c.k = m.k and c.v = m.v)
      union all select ${number}, k, '' from ${before} c where not exists (select 1 from ${now} m where m.k = c.k)`,
    masked: (values, own) =>
      own.length === 0
        ? values
        : `cast(to_jsonb(cast(${values} as ${sql})) - ${literal(`{${own.join()}}`)}::text[] as text)`,
    moveTo: (side) =>
      side === "database"
        ? [removal, insertion(`select ${list} from ${copy} where ${isCollected(before)} order by ctid`)]
        : [
            `delete from ${copy} where ${isCollected(before)}`,
            `insert into ${copy} select * from ${from} where ${isCollected(now)} ${inOrder}`,
          ],
    // Restore the whole table, so that its rows have their old order.
    restore: [`delete from ${from}`, insertion(`select ${list} from ${copy} order by ctid`)],
  };
}

/** Selects the keys of a schema's tables as JSON; `$1` is the schema. Partitions count as their table. */
export const SHAPES = `
  select relname as name, array_to_json(array(
      select attname from unnest(k.conkey) with ordinality as part(number, place)
      join pg_attribute on attrelid = c.oid and attnum = number order by place)) as key,
    case when cardinality(k.conkey) = 1 and exists (
      select 1 from pg_attribute a left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
      where a.attrelid = c.oid and a.attnum = k.conkey[1]
        and (a.attidentity <> '' or pg_get_expr(d.adbin, d.adrelid) like '%(%')) then 'any' end as draws,
    array_to_json(array(
      select json_build_object('column', a.attname, 'table', t.relname) from pg_constraint f
      join pg_class t on t.oid = f.confrelid and t.relnamespace = c.relnamespace
      join pg_constraint p on p.conrelid = t.oid and p.contype = 'p' and p.conkey = f.confkey
      join pg_attribute a on a.attrelid = c.oid and a.attnum = f.conkey[1]
      where f.conrelid = c.oid and f.contype = 'f' and cardinality(f.conkey) = 1)) as "references",
    array_to_json(array(
      select array_to_json(array(select attname from pg_attribute where attrelid = c.oid and attnum = any(i.indkey)))
      from pg_index i where i.indrelid = c.oid and i.indisunique and i.indexprs is null)) as "unique"
  from pg_class c left join pg_constraint k on k.conrelid = c.oid and k.contype = 'p'
  where relnamespace = $1::regnamespace and relkind in ('r', 'p') and not relispartition order by relname`;
