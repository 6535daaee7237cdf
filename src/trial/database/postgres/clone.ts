import { invalidState } from "../../../errors/errors.ts";
import { clip } from "../../../timeline/text.ts";
import { PREFIX } from "../copy-names.ts";
import { type Connection, literal, quoted } from "./client.ts";

/** An SQL condition that an object is created by an extension or by another object. */
const isMember = (oid: string, catalog: string, by = "'e'"): string =>
  `exists (select 1 from pg_depend e where e.classid = ${catalog} and e.objid = ${oid} and e.deptype in (${by}))`;
const isMemberSpace = (oid: string): string => isMember(oid, "'pg_namespace'::regclass");

/** All user objects that have rows or a definition. */
const OWN = `
  spaces as (select * from pg_namespace where nspname !~ '^(pg_|information_schema$|${PREFIX})'),
  relations as (select c.*, c.oid::regclass as named from pg_class c
    where relnamespace in (select oid from spaces) and not ${isMember("c.oid", "'pg_class'::regclass")}),
  types as (select t.*, t.oid::regtype as named from pg_type t
    where typnamespace in (select oid from spaces) and not ${isMember("t.oid", "'pg_type'::regclass")}),
  functions as (select p.*, p.oid::regprocedure as named from pg_proc p
    where pronamespace in (select oid from spaces) and prokind <> 'a' and not ${isMember("p.oid", "'pg_proc'::regclass", "'e', 'i'")}),
  drawing as (select s.*, d.deptype, d.refobjid, d.refobjsubid, c.named, format('as %s start %s increment %s minvalue %s maxvalue %s cache %s%s',
      seqtypid::regtype, seqstart, seqincrement, seqmin, seqmax, seqcache, case when seqcycle then ' cycle' end) as how
    from pg_sequence s join relations c on c.oid = seqrelid
    left join pg_depend d on d.classid = 'pg_class'::regclass and d.objid = seqrelid and d.refobjsubid > 0 and d.deptype in ('a', 'i'))`;

const COLLATION = (given: string, usual: string) =>
  `case when ${given} <> 0 and ${given} <> ${usual} then ' collate ' || ${given}::regcollation end`;

/** A relation's columns, as written in its definition. */
const COLUMNS = `(select string_agg(concat(quote_ident(attname), ' ', format_type(atttypid, atttypmod),
      ${COLLATION("attcollation", "(select typcollation from pg_type where oid = atttypid)")},
      case when attgenerated <> '' then format(' generated always as (%s)%s', pg_get_expr(adbin, adrelid), case attgenerated when 's' then ' stored' end)
        when attidentity <> '' then (select format(' generated %s as identity (sequence name %s %s)',
          case attidentity when 'a' then 'always' else 'by default' end, s.named, regexp_replace(s.how, '^as \\S+ ', ''))
          from drawing s where s.refobjid = attrelid and s.refobjsubid = attnum and s.deptype = 'i')
        else ' default ' || pg_get_expr(adbin, adrelid) end,
      case when attnotnull then ' not null' end), ', ' order by attnum)
    from pg_attribute left join pg_attrdef on adrelid = attrelid and adnum = attnum
    where attrelid = c.oid and attnum > 0 and not attisdropped)`;

const OPTIONS = `case when c.reloptions is not null then format(' with (%s)', array_to_string(c.reloptions, ', ')) end`;

/** Statements that create objects with rows, each with its position in the execution order. */
const DEFINITIONS = `with ${OWN}
  select 1 as step, oid, format('create schema if not exists %I', nspname) as sql from spaces s where not ${isMemberSpace("s.oid")}
  union all select 2, x.oid, concat('create extension if not exists ', quote_ident(extname),
      case when not ${isMemberSpace("extnamespace")} then ' schema ' || extnamespace::regnamespace end, ' version ', quote_literal(extversion))
    from pg_extension x
  union all select 3, oid, format('create type %s as enum (%s)', named,
      (select string_agg(quote_literal(enumlabel), ', ' order by enumsortorder) from pg_enum where enumtypid = t.oid))
    from types t where typtype = 'e'
  union all select 3, c.oid, format('create type %s as (%s)', named, ${COLUMNS}) from relations c where relkind = 'c'
  union all select 3, oid, concat('create domain ', named, ' as ', format_type(typbasetype, typtypmod),
      ${COLLATION("typcollation", "(select typcollation from pg_type b where b.oid = t.typbasetype)")},
      ' default ' || pg_get_expr(typdefaultbin, 0), case when typnotnull then ' not null' end,
      (select string_agg(format(' constraint %I %s', conname, pg_get_constraintdef(k.oid)), '') from pg_constraint k where contypid = t.oid and contype = 'c'))
    from types t where typtype = 'd'
  union all select 3, t.oid, concat('create type ', named, ' as range (subtype = ', rngsubtype::regtype,
      case when rngsubdiff <> 0 then ', subtype_diff = ' || rngsubdiff::regproc end,
      ', multirange_type_name = ' || (to_jsonb(r)->>'rngmultitypid')::oid::regtype, ')')
    from types t join pg_range r on rngtypid = t.oid where typtype = 'r'
  union all select 4, oid, pg_get_functiondef(oid) from functions
  union all select 5, seqrelid, format('create sequence %s %s', named, how) from drawing where deptype is distinct from 'i'
  union all select 6, c.oid, concat('create ', case relpersistence when 'u' then 'unlogged ' end, 'table ', named, ' (', ${COLUMNS}, ')',
      ' partition by ' || case relkind when 'p' then pg_get_partkeydef(c.oid) end, ${OPTIONS})
    from relations c where relkind in ('r', 'p')
  union all select 7, c.oid, concat('create view ', named, ${OPTIONS}, ' as ', pg_get_viewdef(c.oid)) from relations c where relkind = 'v'
  union all select 7, c.oid, concat('create materialized view ', named, ${OPTIONS}, ' as ', rtrim(pg_get_viewdef(c.oid), ';'), ' with no data')
    from relations c where relkind = 'm'
  order by step, oid`;

/** Tables with their own rows, and their writable columns. */
const TABLES = `with ${OWN} select named::text as sql, array(select quote_ident(attname) from pg_attribute
      where attrelid = c.oid and attnum > 0 and not attisdropped and attgenerated = '' order by attnum) as columns
  from relations c where relkind = 'r'`;

/** Grants to roles other than the owner. */
const grants = (kind: string, named: string, acl: string, owner: string, from: string): string => `
  select format('revoke all on ${kind} %s from public', ${named}) as sql, 8 as step from ${from} where ${acl} is not null
  union all select format('grant %s on ${kind} %s to %s%s', privilege_type, ${named}, case grantee when 0 then 'public' else quote_ident(pg_get_userbyid(grantee)) end,
    case when is_grantable then ' with grant option' end), 9 from ${from}, aclexplode(${acl}) where grantee <> ${owner}`;

/** Statements that create constraints, triggers and permissions after all rows were copied. */
const RULES = `with ${OWN}, rules as (
  select case contype when 'c' then 1 when 'f' then 5 else 3 end as step,
      format('alter table %s%s add constraint %I %s', case when contype <> 'f' then 'only ' end, named, conname, pg_get_constraintdef(k.oid)) as sql
    from pg_constraint k join relations c on c.oid = conrelid
    where contype in ('c', 'f', 'p', 'u', 'x') and (contype <> 'f' or conparentid = 0)
  union all select case when relkind = 'i' or relkind = 'I' then 4 else 2 end, case
      when relkind in ('i', 'I') then format('alter index %s attach partition %s', inhparent::regclass, named)
      when relispartition then format('alter table only %s attach partition %s %s', inhparent::regclass, named, pg_get_expr(relpartbound, c.oid))
      else format('alter table only %s inherit %s', named, inhparent::regclass) end
    from pg_inherits join relations c on c.oid = inhrelid
  union all select 3, pg_get_indexdef(indexrelid) from pg_index i join relations c on c.oid = indrelid
    where (indisvalid or relkind = 'p') and not exists (select 1 from pg_constraint where conindid = indexrelid and contype in ('p', 'u', 'x'))
  union all select 4, format('alter sequence %s owned by %s.%I', s.named, refobjid::regclass, attname)
    from drawing s join pg_attribute on attrelid = refobjid and attnum = refobjsubid where deptype = 'a'
  union all select 6, pg_get_triggerdef(g.oid) from pg_trigger g join relations c on c.oid = tgrelid where not tgisinternal and tgparentid = 0
  union all select 7, format('alter table %s %s trigger %I', named, case tgenabled when 'D' then 'disable' when 'R' then 'enable replica' else 'enable always' end, tgname)
    from pg_trigger join relations c on c.oid = tgrelid where not tgisinternal and tgparentid = 0 and tgenabled <> 'O'
  union all select 6, pg_get_ruledef(r.oid) from pg_rewrite r join relations c on c.oid = ev_class where rulename <> '_RETURN'
  union all select 6, format('alter table %s %s row level security', named, way)
    from relations, unnest(array['enable', 'force']) way where case way when 'force' then relforcerowsecurity else relrowsecurity end
  union all select 6, concat('create policy ', quote_ident(policyname), ' on ', named, ' as ', permissive, ' for ', cmd, ' to ',
      (select string_agg(case role when 'public' then role else quote_ident(role) end, ', ') from unnest(roles) role),
      ' using (' || qual || ')', ' with check (' || with_check || ')')
    from pg_policies join relations c on c.relname = tablename and c.relnamespace::regnamespace::text = quote_ident(schemaname)
  union all select 6, format('refresh materialized view %s', named) from relations where relkind = 'm' and relispopulated
  union all select 10, format('alter %s owner to %I', what, pg_get_userbyid(owner)) from (
    select 'schema ' || quote_ident(nspname) as what, nspowner as owner from spaces s where nspname <> 'public' and not ${isMemberSpace("s.oid")}
    union all select 'table ' || named, relowner from relations where relkind in ('r', 'p')
    union all select 'view ' || named, relowner from relations where relkind = 'v'
    union all select 'materialized view ' || named, relowner from relations where relkind = 'm'
    union all select 'sequence ' || named, relowner from relations join drawing using (named) where deptype is null
    union all select 'type ' || named, typowner from types where typtype in ('e', 'd', 'r') or typtype = 'c' and typrelid in (select oid from relations where relkind = 'c')
    union all select 'routine ' || named, proowner from functions) owned
    where pg_get_userbyid(owner) not in (current_user, 'pg_database_owner')
  union all select step, sql from (
    ${grants("schema", "quote_ident(nspname)", "nspacl", "nspowner", "spaces")}
    union all ${grants("table", "named", "relacl", "relowner", "(select * from relations where relkind in ('r', 'p', 'v', 'm')) t")}
    union all ${grants("sequence", "named", "relacl", "relowner", "(select * from relations where relkind = 'S') t")}
    union all ${grants("routine", "named", "proacl", "proowner", "functions")}) granted
  union all select 9, format('grant %s (%I) on table %s to %s', privilege_type, attname, named, case grantee when 0 then 'public' else quote_ident(pg_get_userbyid(grantee)) end)
    from pg_attribute join relations c on c.oid = attrelid, aclexplode(attacl))
  select sql from rules order by step`;

/** Lists objects that these statements do not copy. */
const LEFT_OUT = `select pg_describe_object(catalog, object, 0) as what from (
    select 'pg_proc'::regclass as catalog, oid as object from pg_proc where prokind = 'a'
    union all select 'pg_class', oid from pg_class where relkind = 'f'
    union all select 'pg_type', oid from pg_type where typtype = 'b' and typcategory <> 'A'
    union all select 'pg_class', unnest(extconfig) from pg_extension
    ${["operator", "cast", "collation", "ts_config", "ts_dict", "event_trigger", "publication"].map((one) => `union all select 'pg_${one}', oid from pg_${one}`).join(" ")}) o
  where object >= 16384 and (catalog = 'pg_class'::regclass or not ${isMember("object", "catalog", "'e', 'i'")})
  union all select 'large objects' where exists (select 1 from pg_largeobject_metadata)`;

const BATCH = 500;
/** The maximum length of a statement in an error. */
const SHOWN = 100;

/**
 * Copies a database that is in use to an empty one: definitions from the catalogue, and rows as Postgres text, all from one
 * consistent snapshot.
 * @returns what was not copied
 */
export async function cloneDatabase(from: Connection, to: Connection): Promise<string[]> {
  await from.query(
    "begin isolation level repeatable read read only; set local search_path = ''; set local row_security = off",
  );
  await to.query("set search_path = ''; set check_function_bodies = off; set synchronous_commit = off");
  await runAll(to, await from.query(DEFINITIONS));
  for (const table of await from.query(TABLES)) await copyRows(from, to, `only ${table.sql}`, table);
  const numbers = await from.query(`with ${OWN} select named::text from drawing`);
  for (const { named } of numbers) {
    const [{ last_value: last, is_called: isCalled }] = await from.query(`select * from ${named}`);
    await to.query("select setval($1, $2, $3)", [named, last, isCalled]);
  }
  await runAll(to, await from.query(RULES));
  const leftOut = await from.query(LEFT_OUT);
  await from.query("commit");
  return leftOut.map(({ what }) => what);
}

/** Copies rows into a table in the order they were written. @param source the SQL source of the rows */
export async function copyRows(
  from: Connection,
  to: Connection,
  source: string,
  { sql, columns }: { sql: string; columns: readonly string[] },
): Promise<void> {
  await from.query(
    `declare sandglass_rows no scroll cursor with hold for select sandglass_row::text as row from ${source} sandglass_row order by xmin::text::bigint, ctid`,
  );
  const insert =
    columns.length === 0
      ? `insert into ${sql} select from unnest($1::text[])`
      : `insert into ${sql} (${columns.join(", ")}) overriding system value select ${columns.map((column) => `(r).${column}`).join(", ")} from (select unnest($1::${sql}[]) as r) rows`;
  for (let count = BATCH; count === BATCH; ) {
    const rows = await from.query(`fetch ${BATCH} from sandglass_rows`);
    count = rows.length;
    if (count > 0) await to.query(insert, [rows.map(({ row }) => row)]);
  }
  await from.query("close sandglass_rows");
}

/** Runs statements, retrying those that depend on a later one. @throws SandboxError `invalid_state` if no order works */
async function runAll({ query }: Connection, statements: readonly { sql: string }[]): Promise<void> {
  for (let open = statements; open.length > 0; ) {
    const failed: { sql: string; reason: string }[] = [];
    for (const { sql } of open)
      await query(sql).catch(({ message }: Error) => failed.push({ sql, reason: message }));
    if (failed.length === open.length)
      throw invalidState(
        `${failed[0]!.reason}, at ${clip(failed[0]!.sql, SHOWN)}`,
        "If nothing else is using the database, it is copied as a whole instead.",
      );
    open = failed;
  }
}

/** Creates an empty database with another one's settings. */
export async function createEmpty({ query }: Connection, from: string, to: string): Promise<void> {
  const [{ how }] = await query(
    `select format('template template0 encoding %L lc_collate %L lc_ctype %L', pg_encoding_to_char(encoding), datcollate, datctype)
       || case to_jsonb(d)->>'datlocprovider' when 'i' then format(' locale_provider icu icu_locale %L', coalesce(to_jsonb(d)->>'datlocale', to_jsonb(d)->>'daticulocale'))
         when 'b' then format(' locale_provider builtin builtin_locale %L', to_jsonb(d)->>'datlocale') else '' end as how
     from pg_database d where datname = ${literal(from)}`,
  );
  await query(`create database ${quoted(to)} ${how}`);
}
