import type Sqlite from "better-sqlite3";
import { createTurns, type Dialect, type Row, type Rows } from "../dialect.ts";
import type { ConnectOptions } from "../kind.ts";
import { MOST_ROWS } from "../limits.ts";
import { tooManyRows } from "../words.ts";
import { fingerprintsIn, quoted, shapesIn } from "./catalog.ts";
import { inTransaction, isBusy, memo, named, openFile } from "./file.ts";
import { openLookup } from "./lookup.ts";
import { openShelf } from "./shelf.ts";

type Cell = string | number | bigint | Buffer | null;

interface SqliteOptions extends ConnectOptions {
  /** The shelf's file; by default, next to the database. */
  shelfAt?: string | undefined;
}

/**
 * Connects to a SQLite database that a server may be using.
 * @throws SandboxError like `openFile`
 */
export function connectSqlite(
  path: string,
  { shown = path, readonly, shelfAt }: SqliteOptions = {},
): Dialect {
  const db = openFile(path, { shown, readonly });
  // A copy ends with the trial, so it need not survive a power failure.
  if (shown !== path) db.pragma("synchronous = off");
  const shapes = memo(db, () => shapesIn(db));
  let version: unknown;
  function isChanged(): boolean {
    const now = db.pragma("main.data_version", { simple: true });
    const changed = now !== version;
    version = now;
    return changed;
  }
  return {
    ...{ shown, source: `sqlite:${path}`, isBusy },
    shelf: openShelf(db, { shown, isChanged, place: shelfAt }),
    lookup: openLookup(db, shapes),
    inTurn: createTurns((error) => named(error, shown)),
    isChanged: async () => isChanged(),
    shapes: async () => shapes(),
    readRows: (names) => inTransaction(db, "deferred", () => readRows(db, names, shown)),
    fingerprints: () => inTransaction(db, "deferred", () => fingerprintsIn(db)),
    end: async () => void db.close(),
  };
}

function readRows(db: Sqlite.Database, names: readonly string[], shown: string): Rows {
  let count = 0;
  return Object.fromEntries(
    names.map((name) => {
      const rows = db
        .prepare<[], Record<string, Cell>>(`select * from main.${quoted(name)}`)
        .safeIntegers()
        .all();
      count += rows.length;
      if (count > MOST_ROWS) throw tooManyRows(shown, name);
      return [name, rows.map(asJson)];
    }),
  );
}

/** Converts a row to JSON values. Integers too large for JavaScript become strings, and bytes become base64. */
function asJson(row: Record<string, Cell>): Row {
  return Object.fromEntries(
    Object.entries(row).map(([column, value]) => {
      if (typeof value === "bigint")
        return [column, Number.isSafeInteger(Number(value)) ? Number(value) : `${value}`];
      return [column, Buffer.isBuffer(value) ? value.toString("base64") : value];
    }),
  );
}
