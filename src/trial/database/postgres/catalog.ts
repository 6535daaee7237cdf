import { PREFIX } from "../copy-names.ts";
import { literal, quoted } from "./client.ts";

/** A table, for comparing and copying its rows in SQL, as Postgres's text. */
export interface PostgresTable {
  /** Its name; with its schema before a dot, unless that is the schema of unqualified names. */
  name: string;
  /** The table's name with its schema, as SQL. */
  sql: string;
  /** The SQL source of its rows: the table only, unless it has partitions. */
  from: string;
  /** The writable columns, as SQL. */
  columns: string[];
  /** All columns with their types: with another form, a copy's rows do not fit. */
  form: string;
  /** Whether it is a materialized view, which is refreshed and not compared. */
  isView: boolean;
  /** Statements that turn triggers and rules off that run even for a replica, and on again. */
  off: string[];
  on: string[];
}

/** A condition: whether an object belongs to an extension. */
const isOfExtension = (oid: string, catalog: string): string =>
  `exists (select 1 from pg_depend e where e.classid = '${catalog}'::regclass and e.objid = ${oid} and e.deptype = 'e')`;

/** A condition: whether a schema `n` is the user's. */
const IS_OWN_SCHEMA = `n.nspname !~ '^(pg_|information_schema$|${PREFIX})' and not ${isOfExtension("n.oid", "pg_namespace")}`;

const NAME = (relation: string, schema: string): string =>
  `case when ${schema}.nspname = $1 then ${relation}.relname else ${schema}.nspname || '.' || ${relation}.relname end`;

const SOURCE = `from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where ${IS_OWN_SCHEMA} and not c.relispartition and not ${isOfExtension("c.oid", "pg_class")}`;

/** Statements about triggers and rules of a table and its partitions that run even for a replica. @param how by their setting */
const switches = (how: (setting: string) => string): string => `
    array(select format('alter table %s %s trigger %I', tgrelid::regclass, ${how("tgenabled")}, tgname) from pg_trigger
        where (tgrelid = c.oid or tgrelid in (select relid from pg_partition_tree(c.oid)))
          and not tgisinternal and tgparentid = 0 and tgenabled in ('A', 'R')
      union all select format('alter table %s %s rule %I', ev_class::regclass, ${how("ev_enabled")}, rulename) from pg_rewrite
        where (ev_class = c.oid or ev_class in (select relid from pg_partition_tree(c.oid)))
          and rulename <> '_RETURN' and ev_enabled in ('A', 'R'))`;

/** Selects all tables of the user, and filled materialized views; `$1` is the schema of unqualified names. */
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

/** Selects the sequences of the user, as SQL. */
export const SEQUENCES = `select format('%I.%I', n.nspname, c.relname) as sql ${SOURCE} and c.relkind = 'S' order by 1`;

/** Selects the keys of tables as JSON; `$1` is the schema of unqualified names. Partitions count as their table. */
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

/** The rows in the order in which they were written, as far as Postgres knows it. */
export const IN_ORDER = "order by xmin::text::bigint, ctid";

/** Selects a name and a fingerprint for each table. The order of rows does not count. */
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

/** The statements that copy a table's rows, and restore them, from a table of a schema. */
export function copyStatements({ sql, from, columns }: PostgresTable, schema: string, kept: string) {
  const copy = `${quoted(schema)}.${quoted(kept)}`;
  const list = columns.join(", ");
  const into = `insert into ${sql} ${list && `(${list}) overriding system value`} select ${list} from ${copy}`;
  return {
    copy: `create table ${copy} as select * from ${from} ${IN_ORDER}`,
    restore: [`delete from ${from}`, `${into} order by ctid`],
    /** Fails for whatever would make restoring fail, and changes nothing. */
    rehearse: [`delete from ${from} where false`, `${into} where false`],
  };
}
