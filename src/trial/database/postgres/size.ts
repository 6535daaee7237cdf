import { using } from "../dialect.ts";
import type { DatabaseSize } from "../kind.ts";
import { isLocal } from "../size.ts";
import { connectTo } from "./client.ts";

export const sizeOfPostgres = (source: string): Promise<DatabaseSize> =>
  using(connectTo(source), async ({ query }) => {
    const [{ bytes, rows, foreign, objects }] = await query(
      `select pg_database_size(current_database())::float8 as bytes,
         coalesce(sum(greatest(c.reltuples, s.n_live_tup)), 0)::float8 as rows,
         array(select oid::regclass::text from pg_class where relkind = 'f') as foreign,
         exists (select 1 from pg_largeobject_metadata) as objects
       from pg_class c left join pg_stat_user_tables s on s.relid = c.oid join pg_namespace n on n.oid = c.relnamespace
       where c.relkind in ('r', 'p') and n.nspname !~ '^(pg_|information_schema$)'`,
    );
    const unrestored = [
      ...foreign.map((name: string) => `the foreign table ${name}`),
      ...(objects ? ["large objects"] : []),
    ];
    return { isLocal: isLocal(source), bytes, rows, unrestored };
  });
