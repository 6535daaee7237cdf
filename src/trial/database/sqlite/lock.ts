import { loadSqlite } from "../../../world/sqlite.ts";

/**
 * Takes an operating system lock, which is released if this process is killed.
 * @param file an otherwise empty database
 * @returns a function that releases it; undefined if another connection holds it
 */
export function takeLock(file: string): (() => void) | undefined {
  const db = new (loadSqlite())(file, { timeout: 0 });
  try {
    db.pragma("locking_mode = exclusive");
    db.exec("begin exclusive; commit");
    return () => void db.close();
  } catch {
    db.close();
    return undefined;
  }
}
