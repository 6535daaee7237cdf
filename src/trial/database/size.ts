import { existsSync, statSync } from "node:fs";
import { loadSqlite } from "../../world/sqlite.ts";
import { isPostgres, sqliteFile } from "./source.ts";
import { quoted, tablesOf } from "./sqlite/catalog.ts";

export interface DatabaseSize {
  isLocal: boolean;
  rows: number;
  bytes: number;
  /** What a trial cannot restore, as phrases. */
  unrestored: readonly string[];
}

/** The most rows that a test database has. */
export const TEST_ROWS = 100_000;
export const TEST_BYTES = 100_000_000;

const LOCAL = /^(?:|localhost|127(?:\.\d+){3}|\[::1\]|%2f.*)$/i;

/** Measures a database; undefined if its file does not exist. @throws SandboxError as `openTables` */
export async function sizeOf(source: string): Promise<DatabaseSize | undefined> {
  if (!isPostgres(source)) return sizeOfFile(sqliteFile(source));
  const { connectTo, usingConnection } = await import("./postgres/client.ts");
  return usingConnection(connectTo(source), async ({ query }) => {
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
    return { isLocal: LOCAL.test(new URL(source).hostname), bytes, rows, unrestored };
  });
}

function sizeOfFile(file: string): DatabaseSize | undefined {
  if (!existsSync(file)) return undefined;
  const bytes = statSync(file).size;
  if (bytes > TEST_BYTES) return { isLocal: true, bytes, rows: 0, unrestored: [] };
  const db = new (loadSqlite())(file, { readonly: true });
  try {
    const rows = tablesOf(db).map(({ name }) =>
      Number(
        db
          .prepare(`select count(*) from ${quoted(name)}`)
          .pluck()
          .get(),
      ),
    );
    return { isLocal: true, bytes, rows: rows.reduce((sum, count) => sum + count, 0), unrestored: [] };
  } catch {
    // Errors are reported when the database is opened for the exploration.
    return undefined;
  } finally {
    db.close();
  }
}
