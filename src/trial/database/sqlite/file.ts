import { closeSync, existsSync, openSync, readSync, realpathSync, statSync } from "node:fs";
import { relative, resolve } from "node:path";
import type Sqlite from "better-sqlite3";
import { invalidState, notFound, SandboxError } from "../../../errors/errors.ts";
import { loadSqlite } from "../../../world/sqlite.ts";
import { BUSY_MS, Locked } from "../limits.ts";

/** The header byte that shows whether changes are in a log next to the file, and its value if they are. */
const LOG_BYTE = 18;
const HAS_LOG = 2;

/**
 * Opens the database of a server under test.
 * @param shown the path to show to the user, if the opened file is a copy
 * @throws SandboxError `not_found`; `bad_request` for a file that is not a database; `invalid_state` if its log cannot be found
 */
export function openFile(
  path: string,
  { readonly = false, shown = path }: { readonly?: boolean | undefined; shown?: string } = {},
): Sqlite.Database {
  const file = resolve(path);
  if (!existsSync(file))
    throw notFound(
      `There is no database ${relative("", resolve(shown))}.`,
      shown === path
        ? "Start your server first so it creates its tables, or correct the path after sqlite:."
        : "The server had not created it by the time it accepted connections. Create the tables at startup instead of at the first request, create them beforehand, or correct the path after sqlite:.",
    );
  checkLog(realpathSync(file), shown);
  const db = new (loadSqlite())(realpathSync(file), { timeout: BUSY_MS, readonly });
  try {
    // Without this, SQLite refuses to write the tables behind a full-text index.
    db.unsafeMode();
    db.pragma("foreign_keys = off");
    // Old rows may violate newer checks.
    db.pragma("ignore_check_constraints = on");
    db.pragma("temp_store = memory");
    db.pragma("schema_version");
    return db;
  } catch (error) {
    db.close();
    throw named(error, path);
  }
}

/**
 * Rejects a file alias if the log is next to the file's other name, which the server uses: the file would be read
 * without its log.
 */
function checkLog(file: string, shown: string): void {
  const { nlink } = statSync(file);
  if (nlink < 2 || existsSync(`${file}-wal`)) return;
  const header = Buffer.alloc(LOG_BYTE + 1);
  const opened = openSync(file, "r");
  readSync(opened, header, 0, header.length, 0);
  closeSync(opened);
  if (header[LOG_BYTE] !== HAS_LOG) return;
  throw invalidState(
    `The database ${shown} has ${nlink} names (hard links), and its log is not next to this one.`,
    "After sqlite:, specify the file that your server opens.",
  );
}

/** Converts a SQLite error to a user-facing one. */
export function named(error: unknown, path: string): unknown {
  if (!(error instanceof Error) || error instanceof SandboxError) return error;
  const { code = "", message } = error as { code?: string; message: string };
  if (!code.startsWith("SQLITE_")) return error;
  if (code === "SQLITE_FULL" || code.startsWith("SQLITE_IOERR"))
    return invalidState(
      `The database ${path} or its copy cannot be written: ${message}.`,
      "Free some space on the database's disk.",
    );
  if (isBusy(error)) return new Locked(path, message);
  return new SandboxError(
    "bad_request",
    `The database ${path} cannot be used: ${message}.`,
    "Pass your server's SQLite file: --state sqlite:shop.db",
  );
}

export const isBusy = (error: unknown): boolean =>
  /^SQLITE_(?:BUSY|LOCKED)/.test((error as { code?: string }).code ?? "");

/** Runs work in one transaction. */
export async function inTransaction<Result>(
  db: Sqlite.Database,
  kind: "immediate" | "deferred",
  work: () => Promise<Result> | Result,
): Promise<Result> {
  db.exec(`begin ${kind}`);
  try {
    const result = await work();
    db.exec("commit");
    return result;
  } catch (error) {
    if (db.inTransaction) db.exec("rollback");
    throw error;
  }
}

/** Caches a value that depends only on the schema. */
export function memo<Value>(db: Sqlite.Database, make: () => Value): () => Value {
  let [version, value]: [unknown, Value | undefined] = [undefined, undefined];
  return () => {
    const next = db.pragma("main.schema_version", { simple: true });
    if (value === undefined || next !== version) [version, value] = [next, make()];
    return value;
  };
}
