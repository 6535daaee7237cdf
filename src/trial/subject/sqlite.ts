import { existsSync } from "node:fs";
import { join } from "node:path";
import type Sqlite from "better-sqlite3";
import { createTurns, type Dialect, type Readable } from "./dialect.ts";
import {
  attach,
  COPY,
  copyDatabase,
  inTransaction,
  isBusy,
  memo,
  named,
  nameOf,
  openFile,
  WORK_COPY,
} from "./sqlite-copy.ts";
import { fingerprintsIn, quoted, tablesOf } from "./sqlite-rows.ts";
import { shapesIn } from "./sqlite-shapes.ts";
import { MOST_ROWS, tooManyRows } from "./tables.ts";

type Cell = string | number | bigint | Buffer | null;
type Row = Record<string, Cell>;

/**
 * Connects to a SQLite database, which its server may use meanwhile.
 * @throws SandboxError `not_found` for a file that is not there, `bad_request` for one that is no database
 */
export function connectSqlite(path: string, shown = path): Dialect {
  const db = openFile(path);
  let version: unknown;
  const placeOf: Dialect["placeOf"] = ({ folder }) => join(folder, COPY);

  const isChanged = async (): Promise<boolean> => {
    const now = db.pragma("main.data_version", { simple: true });
    const changed = now !== version;
    version = now;
    return changed;
  };
  const tables = memo(db, () =>
    tablesOf(db, "main").flatMap(({ name, isInner }): Readable[] =>
      isInner ? [] : [{ name, from: `main.${quoted(name)}` }],
    ),
  );

  return {
    ...{ shown, name: nameOf(path), source: `sqlite:${path}`, isBusy, isChanged, placeOf },
    inTurn: createTurns((error) => named(error, shown)),
    end: async () => void db.close(),
    tables: async () => tables(),
    readRows: async (chosen) => readRows(db, chosen, shown),
    shapes: async (names) => shapesIn(db, names),
    observe: (work) => inTransaction(db, "deferred", async () => work(await isChanged())),
    async copy(record, only, isWork) {
      await copyDatabase(db, join(record.folder, isWork ? WORK_COPY : COPY));
      return attach(db, record, { only, isWork });
    },
    findCopy: async (record) => (existsSync(placeOf(record)) ? attach(db, record) : undefined),
    notCopied: async () => undefined,
    fingerprints: async () => fingerprintsIn(db),
  };
}

function readRows(db: Sqlite.Database, tables: readonly Readable[], shown: string) {
  let count = 0;
  const read = ({ name, from }: Readable): [string, Record<string, unknown>[]] => {
    const rows = db.prepare<[], Row>(`select * from ${from}`).safeIntegers().all();
    count += rows.length;
    if (count > MOST_ROWS) throw tooManyRows(shown, name);
    return [name, rows.map(asJson)];
  };
  return db.transaction(() => tables.map(read))();
}

/** A row as JSON holds it: a whole number that a number cannot hold is text, and bytes are base64. */
function asJson(row: Row): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(row).map(([column, value]) => {
      if (typeof value === "bigint")
        return [column, Number.isSafeInteger(Number(value)) ? Number(value) : `${value}`];
      return [column, Buffer.isBuffer(value) ? value.toString("base64") : value];
    }),
  );
}
