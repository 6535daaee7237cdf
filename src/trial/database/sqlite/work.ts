import { copyFileSync, existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { sqliteValue } from "../database-variable.ts";
import { createRecord } from "../record.ts";
import { recover, restoreAll } from "../recover.ts";
import { sqliteFile, type WorkCopy } from "../tables.ts";
import { createWorkCopy } from "../work-copy.ts";
import { fingerprintsIn } from "./catalog.ts";
import { attach, COPY, connectSqlite, copyDatabase, named, nameOf, openFile, WORK } from "./dialect.ts";

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
      valueFor: (variable) => sqliteValue(variable, work),
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
      connections: async () => [],
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
