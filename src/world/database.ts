import { existsSync } from "node:fs";
import type Database from "better-sqlite3";
import { diskFull, meansDiskFull } from "../errors/disk-full.ts";
import { hintOfOption, invalidState, SandboxError } from "../errors/errors.ts";
import { loadSqlite } from "./sqlite.ts";

/** Increases with every change to the tables. Files of another version are rejected. */
export const SCHEMA_VERSION = 8;
/** How long to wait for a file that another process has locked. */
const LOCK_WAIT_MS = 200;
/** SQLite reads and writes in pages of this size. */
export const PAGE_BYTES = 4096;
/** The page limit of a world without a data folder: 1 GiB, SQLite's own limit for a database in memory. */
export const MOST_PAGES = 262_144;
const VERSION = "user_version";

/** The error for data that no version of Sandglass can use: damaged, incomplete, or not a world. */
export class DamagedData extends SandboxError {
  constructor(message: string) {
    const hint = (option: string) => `Start with an empty ${option}, or remove the damaged file.`;
    super("invalid_state", message, hintOfOption("--data-dir", "dataDir", hint));
  }
}

/** SQLite's codes for problems with the machine or the caller rather than the data. */
const NOT_THE_DATA = /^SQLITE_(?:BUSY|LOCKED|CANTOPEN|IOERR|READONLY|PERM|AUTH|NOMEM|INTERRUPT)/;

/** Whether an error means that the data itself is unusable and retrying is pointless. */
export function isDamage(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return (
    error instanceof DamagedData ||
    (typeof code === "string" && code.startsWith("SQLITE_") && !NOT_THE_DATA.test(code))
  );
}

/**
 * Whether a file holds a world. A process killed before its first commit leaves an empty file.
 * @throws SandboxError `invalid_state`
 */
export function holdsData(file: string): boolean {
  if (!existsSync(file)) return false;
  const db = openDatabase(file, "durable", []);
  const holds = !isEmpty(db);
  db.close();
  return holds;
}

/** Whether a database has no tables yet. */
export const isEmpty = (db: Database.Database): boolean => db.pragma(VERSION, { simple: true }) === 0;

export function formTables(db: Database.Database, tables: readonly string[]): void {
  for (const table of tables) db.exec(table);
  db.pragma(`${VERSION} = ${SCHEMA_VERSION}`);
}

/**
 * Whether a database outlives the process: a file in a data folder does; memory and temporary files do not.
 */
type Lifetime = "durable" | "fleeting";

/**
 * Opens a database and updates its indexes to this version.
 * @param source a file path, which is opened in WAL mode; or bytes, for a database in memory
 * @param tables `create table …` statements with their indexes; if empty, the database stays unchanged
 * @throws SandboxError `invalid_state` if another version wrote it; DamagedData
 */
export function openDatabase(
  source: string | Buffer,
  lifetime: Lifetime,
  tables: readonly string[],
): Database.Database {
  const Sqlite = loadSqlite();
  let db: Database.Database | undefined;
  try {
    db = new Sqlite(source, { timeout: LOCK_WAIT_MS });
    db.pragma("locking_mode = EXCLUSIVE");
    // A database that does not outlive the process need not wait for the disk.
    db.pragma(`synchronous = ${lifetime === "durable" ? "NORMAL" : "OFF"}`);
    if (typeof source === "string") db.pragma("journal_mode = WAL");
    if (lifetime === "fleeting") db.pragma(`max_page_count = ${MOST_PAGES}`);
    const version = db.pragma(VERSION, { simple: true }) as number;
    if (version === 0) {
      if (db.prepare("select count(*) from sqlite_master").pluck().get() !== 0)
        throw new Error("another program created it, or its creation was interrupted");
    } else if (version !== SCHEMA_VERSION) throw otherForm(version);
    else if (tables.length > 0) matchIndexes(db, tables);
    return db;
  } catch (error) {
    db?.close();
    throw explain(error, typeof source === "string" ? source : "the snapshot");
  }
}

const otherForm = (version: number) =>
  invalidState(
    `The data is in format ${version}; this version of Sandglass reads format ${SCHEMA_VERSION}.`,
    hintOfOption(
      "--data-dir",
      "dataDir",
      (option) => `Start with an empty ${option}, or use the version of Sandglass that wrote the data.`,
    ),
  );

/** Explains why a database cannot be opened. */
function explain(error: unknown, source: string): unknown {
  if (error instanceof SandboxError) return error;
  if (meansDiskFull(error)) return diskFull(source);
  const { message, code = "" } = error as { message: string; code?: string };
  if (code.startsWith("SQLITE_BUSY"))
    return invalidState(
      `Another process is using ${source}.`,
      hintOfOption(
        "--data-dir",
        "dataDir",
        (option) => `Stop the other Sandglass process, or choose another folder with ${option}.`,
      ),
    );
  const what = `Cannot open ${source} as a Sandglass database: ${message}.`;
  if (NOT_THE_DATA.test(code))
    return invalidState(what, "Check that this user has permission to read and write the folder.");
  return new DamagedData(what);
}

/** The error for work that exceeds the size limit of a world without a data folder. The work is rolled back. */
export const worldFull = () =>
  new SandboxError("world_full", "The world is full: a world in memory can store at most 1 GiB.", {
    command:
      "Empty it: npx sandglass reset. A world in a folder has no such limit: npx sandglass --data-dir <folder>",
    library: "Empty it with reset(). A world in a folder has no such limit: start the sandbox with dataDir.",
    http: "Empty it with POST /_sandbox/reset. A world in a folder has no such limit: start with --data-dir.",
  });

/** The error for using a world that has ended. */
export const closedError = () => invalidState("The sandbox was closed in the meantime.", "Start it again.");

/** Matches `create index` statements among the `create table` statements. */
const INDEX = /create (unique )?index (\w+) on [^;]+/g;

/**
 * Gives a database exactly the indexes in these statements. Indexes may change without a new schema version: older data
 * gets them when it is opened.
 * @param tables statements that create tables and their indexes
 */
function matchIndexes(db: Database.Database, tables: readonly string[]): void {
  const wanted = new Map<string, string>();
  // The statement as SQLite stores it.
  for (const [statement, unique = "", name] of tables.join("\n").matchAll(INDEX))
    wanted.set(
      name!,
      `CREATE ${unique.toUpperCase()}INDEX ${statement.slice(statement.indexOf(`${name} on`))}`,
    );
  const present = db
    .prepare("select name, sql from sqlite_master where type = 'index' and sql is not null")
    .all() as { name: string; sql: string }[];
  const others = present.filter(({ name, sql }) => wanted.get(name) !== sql);
  const kept = new Set(present.filter((index) => !others.includes(index)).map(({ name }) => name));
  const missing = [...wanted].filter(([name]) => !kept.has(name)).map(([, sql]) => sql);
  if (others.length + missing.length === 0) return;
  db.transaction(() => {
    for (const { name } of others) db.exec(`drop index "${name.replaceAll('"', '""')}"`);
    for (const sql of missing) db.exec(sql);
  })();
}
