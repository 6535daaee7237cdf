import { PREFIX } from "../copy-names.ts";
import { literal, quoted } from "./client.ts";

/** A table, for comparing and copying its rows in SQL in Postgres's text format. */
export interface PostgresTable {
  /** The table's name, qualified with its schema unless that is the default schema. */
  name: string;
  /** The table's name with its schema, as SQL. */
  sql: string;
  /** The SQL source of the table's rows: `only` the table, unless it has partitions. */
  from: string;
  /** The writable columns, as SQL. */
  columns: string[];
  /** All columns with their types. If this differs, a copy's rows do not fit the table. */
  form: string;
  /** Whether the table is a materialized view, which is refreshed instead of compared. */
  isView: boolean;
  /** Statements that disable or re-enable the triggers and rules that fire even for a replica. */
  off: string[];
  on: string[];
}

/** An SQL condition that an object belongs to an extension. */
const isOfExtension = (oid: string, catalog: string): string =>
  `exists (select 1 from pg_depend e where e.classid = '${catalog}'::regclass and e.objid = ${oid} and e.deptype = 'e')`;

/** An SQL condition that schema `n` belongs to the user. */
const IS_OWN_SCHEMA = `n.nspname !~ '^(pg_|information_schema$|${PREFIX})' and not ${isOfExtension("n.oid", "pg_namespace")}`;

const NAME = (relation: string, schema: string): string =>
  `case when ${schema}.nspname = $1 then ${relation}.relname else ${schema}.nspname || '.' || ${relation}.relname end`;

const SOURCE = `from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where ${IS_OWN_SCHEMA} and not c.relispartition and not ${isOfExtension("c.oid", "pg_class")}`;

/**
 * Statements for the triggers and rules of a table and its partitions that fire even for a replica. @param how returns
 * the clause for a setting
 */
const switches = (how: (setting: string) => string): string => `
    array(select format('alter table %s %s trigger %I', tgrelid::regclass, ${how("tgenabled")}, tgname) from pg_trigger
        where (tgrelid = c.oid or tgrelid in (select relid from pg_partition_tree(c.oid)))
          and not tgisinternal and tgparentid = 0 and tgenabled in ('A', 'R')
      union all select format('alter table %s %s rule %I', ev_class::regclass, ${how("ev_enabled")}, rulename) from pg_rewrite
        where (ev_class = c.oid or ev_class in (select relid from pg_partition_tree(c.oid)))
          and rulename <> '_RETURN' and ev_enabled in ('A', 'R'))`;

/** Selects all user tables and populated materialized views. `$1` is the default schema. */
export const TABLES = `
  select ${NAME("c", "n")} as name, format('%I.%I', n.nspname, c.relname) as sql,
    case c.relkind when 'r' then 'only ' else '' end || format('%I.%I', n.nspname, c.relname) as from,
    array(select quote_ident(attname) from pg_attribute
      where attrelid = c.oid and attnum > 0 and not attisdropped and attgenerated = '' order by attnum) as columns,
    array(select quote_ident(attname) || ' ' || format_type(atttypid, atttypmod) from pg_attribute
      where attrelid = c.oid and attnum > 0 and not attisdropped order by attnum)::text as form,
    c.relkind = 'm' as "isView",
    ${switches(() => "'disable'")} as off,
    ${switches((setting) => `case ${setting} when 'A' then 'enable always' else 'enable replica' end`)} as on
  ${SOURCE} and (c.relkind in ('r', 'p') or c.relkind = 'm' and c.relispopulated) order by n.nspname = $1 desc, 1`;

/** Selects the SQL names of the user's sequences. */
export const SEQUENCES = `select format('%I.%I', n.nspname, c.relname) as sql ${SOURCE} and c.relkind = 'S' order by 1`;

/** Selects tables' keys as JSON. `$1` is the default schema. A partition counts as part of its table. */
export const SHAPES = `
  select ${NAME("c", "n")} as name, array_to_json(array(
      select attname from unnest(k.conkey) with ordinality as part(number, place)
      join pg_attribute on attrelid = c.oid and attnum = number order by place)) as key,
    case when cardinality(k.conkey) = 1 and exists (
      select 1 from pg_attribute a left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
      where a.attrelid = c.oid and a.attnum = k.conkey[1]
        and (a.attidentity <> '' or pg_get_expr(d.adbin, d.adrelid) like '%(%')) then 'any' end as draws,
    array_to_json(array(
      select json_build_object('column', a.attname, 'table', ${NAME("t", "m")}) from pg_constraint f
      join pg_class t on t.oid = f.confrelid join pg_namespace m on m.oid = t.relnamespace
      join pg_constraint p on p.conrelid = t.oid and p.contype = 'p' and p.conkey = f.confkey
      join pg_attribute a on a.attrelid = c.oid and a.attnum = f.conkey[1]
      where f.conrelid = c.oid and f.contype = 'f' and cardinality(f.conkey) = 1)) as "references",
    array_to_json(array(
      select array_to_json(array(select attname from pg_attribute where attrelid = c.oid and attnum = any(i.indkey)))
      from pg_index i where i.indrelid = c.oid and i.indisunique and i.indexprs is null)) as "unique"
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
    left join pg_constraint k on k.conrelid = c.oid and k.contype = 'p'
  where ${IS_OWN_SCHEMA} and not c.relispartition and not ${isOfExtension("c.oid", "pg_class")} and c.relkind in ('r', 'p')
  order by n.nspname = $1 desc, 1`;

/** Orders rows by when they were written, as far as Postgres knows. */
export const IN_ORDER = "order by xmin::text::bigint, ctid";

/** Selects each table's name and fingerprint, independent of row order. */
export const fingerprintsOf = (tables: readonly PostgresTable[]): string =>
  tables
    .map(
      ({ name, from, form }) =>
        `select ${literal(name)} as name, md5(${literal(form)}) || count(*) || ':' ||
           coalesce(sum(hashtextextended(sandglass_row::text, 0)::numeric), 0) || ':' ||
           coalesce(sum(hashtextextended(sandglass_row::text, 1)::numeric), 0) as rows
         from ${from} sandglass_row`,
    )
    .join(" union all ");

/** Statements that copy a table's rows to a table in a schema, and restore them. */
export function copyStatements({ sql, from, columns }: PostgresTable, schema: string, kept: string) {
  const copy = `${quoted(schema)}.${quoted(kept)}`;
  const list = columns.join(", ");
  const into = `insert into ${sql} ${list && `(${list}) overriding system value`} select ${list} from ${copy}`;
  return {
    copy: `create table ${copy} as select * from ${from} ${IN_ORDER}`,
    restore: [`delete from ${from}`, `${into} order by ctid`],
    /** Fails whenever restoring would fail, but changes nothing. */
    rehearse: [`delete from ${from} where false`, `${into} where false`],
  };
}
