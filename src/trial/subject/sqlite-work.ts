import { copyFileSync, existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { createRecord } from "./record.ts";
import { recover, restoreAll } from "./recover.ts";
import { attach, COPY, connectSqlite, copyDatabase, named, nameOf, openFile, WORK } from "./sqlite.ts";
import { fingerprintsIn } from "./sqlite-rows.ts";
import { sqliteFile, type WorkCopy } from "./tables.ts";
import { createWorkCopy } from "./work-copy.ts";

/** Copies a database for a server that explore starts. The user's own database is only read. */
export async function workOnSqlite(path: string): Promise<WorkCopy> {
  const isThere = existsSync(path);
  if (isThere) {
    const dialect = connectSqlite(path);
    await dialect.inTurn(() => recover(dialect)).finally(dialect.end);
  }
  const record = createRecord(nameOf(path), true);
  const [before, work] = [join(record.folder, COPY), join(record.folder, WORK)];
  try {
    if (isThere) {
      const db = openFile(path, { readonly: true });
      await copyDatabase(db, before).finally(() => db.close());
      copyFileSync(before, work);
    } else record.note({ isSafe: true });
    return await createWorkCopy({
      ...{ source: `sqlite:${work}`, record, shown: path, original: `sqlite:${path}`, place: before },
      valueFor: (present, name) => addressIn(present, name, work),
      async fingerprints(source) {
        const file = resolve(sqliteFile(source));
        if (!existsSync(file)) return {};
        const db = openFile(file, { readonly: true });
        try {
          return fingerprintsIn(db);
        } catch (error) {
          throw named(error, path);
        } finally {
          db.close();
        }
      },
      async putBack() {
        if (!isThere) return;
        const db = openFile(path);
        await restoreAll(attach(db, record)).finally(() => db.close());
      },
      remove: record.remove,
    });
  } catch (error) {
    record.remove();
    throw named(error, path);
  }
}

/**
 * The address of a file in the present form of a variable: `file:./shop.db?mode=rw` becomes `file:/…/work.db?mode=rw`, and
 * SQLAlchemy's `sqlite:///shop.db` becomes `sqlite:////…/work.db`. If the variable is unset, DATABASE_URL becomes a `file:` URL,
 * and other variables the path.
 */
function addressIn(present: string | undefined, name: string, file: string): string {
  const parts = /^((?:file|sqlite3?(?:\+\w+)?|libsql)(?::\/\/\/?(?=\/?[^/]|$)|:))?([^?]*)(\?.*)?$/.exec(
    present ?? "",
  );
  if (!present) return name === "DATABASE_URL" ? `file:${file}` : file;
  const scheme = parts?.[1] ?? "";
  return `${scheme}${file}${parts?.[3] ?? ""}`;
}
