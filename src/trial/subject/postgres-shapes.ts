/** How the rows of the tables of a schema are told apart, as JSON; `$1` is the schema. Partitions count as their table. */
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
      where f.conrelid = c.oid and f.contype = 'f' and cardinality(f.conkey) = 1)) as "references"
  from pg_class c left join pg_constraint k on k.conrelid = c.oid and k.contype = 'p'
  where relnamespace = $1::regnamespace and relkind in ('r', 'p') and not relispartition order by relname`;
