import { existsSync, statSync } from "node:fs";
import { loadSqlite } from "../../world/sqlite.ts";
import { quoted, tablesOf } from "./sqlite/catalog.ts";
import { isPostgres, sqliteFile } from "./tables.ts";

export interface DatabaseSize {
  isLocal: boolean;
  rows: number;
  bytes: number;
}

/** The most rows that a test database has. */
export const TEST_ROWS = 100_000;
export const TEST_BYTES = 100_000_000;

const LOCAL = /^(?:|localhost|127(?:\.\d+){3}|\[::1\]|%2f.*)$/i;

/** Measures a database; undefined if its file does not exist. @throws SandboxError as `openTables` */
export async function sizeOf(source: string): Promise<DatabaseSize | undefined> {
  if (!isPostgres(source)) return sizeOfFile(sqliteFile(source));
  const { connectTo, schemaIn, using } = await import("./postgres/client.ts");
  return using(connectTo(source), async ({ query }) => {
    const [{ bytes, rows }] = await query(
      `select pg_database_size(current_database())::float8 as bytes,
         coalesce(sum(greatest(c.reltuples, s.n_live_tup)), 0)::float8 as rows
       from pg_class c left join pg_stat_user_tables s on s.relid = c.oid
       where c.relkind in ('r', 'p') and c.relnamespace = (select oid from pg_namespace where nspname = coalesce($1, current_schema()))`,
      [schemaIn(source) ?? null],
    );
    return { isLocal: LOCAL.test(new URL(source).hostname), bytes, rows };
  });
}

function sizeOfFile(file: string): DatabaseSize | undefined {
  if (!existsSync(file)) return undefined;
  const bytes = statSync(file).size;
  if (bytes > TEST_BYTES) return { isLocal: true, bytes, rows: 0 };
  const db = new (loadSqlite())(file, { readonly: true });
  try {
    const rows = tablesOf(db, "main").map(({ name }) =>
      Number(
        db
          .prepare(`select count(*) from ${quoted(name)}`)
          .pluck()
          .get(),
      ),
    );
    return { isLocal: true, bytes, rows: rows.reduce((sum, count) => sum + count, 0) };
  } catch {
    // Errors are reported when the database is opened for the exploration.
    return undefined;
  } finally {
    db.close();
  }
}
