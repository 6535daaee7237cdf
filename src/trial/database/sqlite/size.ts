import { existsSync, statSync } from "node:fs";
import { loadSqlite } from "../../../world/sqlite.ts";
import type { DatabaseSize } from "../kind.ts";
import { TEST_BYTES } from "../size.ts";
import { quoted, tablesOf } from "./catalog.ts";

/** Measures a database; undefined if its file does not exist. */
export function sizeOfSqlite(file: string): DatabaseSize | undefined {
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
    // Errors are reported later, when the database is opened for the exploration.
    return undefined;
  } finally {
    db.close();
  }
}
