/** What one trial notes of a SQLite database, and what it puts back, share their state, however long that is. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { createRecord } from "./record.ts";
import {
  attach,
  COPY,
  changedTables,
  copyDatabase,
  isBusy,
  memo,
  named,
  nameOf,
  openFile,
  type SqliteTrial,
  WORK_COPY,
} from "./sqlite-copy.ts";
import { recoverSqlite } from "./sqlite-recover.ts";
import { quoted, type SqliteRows, tablesOf } from "./sqlite-rows.ts";
import { shapesIn } from "./sqlite-shapes.ts";
import {
  awaitQuiet,
  checkTables,
  listed,
  MOST_ROWS,
  notPutBack,
  type OtherChange,
  otherNeeded,
  ownColumns,
  type Tables,
  type TablesOptions,
  TRIES,
  tellUser,
  tooManyRows,
} from "./tables.ts";

type Cell = string | number | bigint | Buffer | null;
type Row = Record<string, Cell>;

/**
 * Opens a subscriber's SQLite database, which its server may use meanwhile.
 * @throws SandboxError `not_found` for a file or table that is not there, `bad_request` for a file that is no database
 */
export function openSqlite(
  path: string,
  { only, shown = path, copyOf, tell = tellUser }: TablesOptions = {},
): Tables {
  const isCopy = copyOf !== undefined;
  if (!isCopy && existsSync(path)) recoverSqlite(path, shown, tell);
  const db = openFile(path);
  const others = new Map<string, OtherChange>();
  /** Tables that another program changed, as they were before that: they are not compared any more. */
  const frozen = new Map<string, Record<string, unknown>[]>();
  /** Tables that deliveries change; unknown until that was learnt. */
  let touched: Set<string> | undefined;
  let trial: SqliteTrial | undefined;
  let version: unknown;
  /** How many requests are under way. */
  let deliveries = 0;
  const guarded = <Result>(work: () => Result): Result => {
    try {
      return work();
    } catch (error) {
      throw named(error, shown);
    }
  };
  try {
    checkTables(
      shown,
      tablesOf(db, "main").map(({ name }) => name),
      only,
    );
  } catch (error) {
    db.close();
    throw named(error, shown);
  }
  const present = memo(db, () => tablesOf(db, "main", only));

  /** All at one instant. */
  const readAll = () => {
    let rows = 0;
    return present()
      .filter(({ isInner }) => !isInner)
      .map(({ name }) => {
        const before = frozen.get(name);
        if (before) return [name, before] as const;
        const all = readTable("main", name);
        rows += all.length;
        if (rows > MOST_ROWS) throw tooManyRows(shown, name);
        return [name, all.map(asJson)] as const;
      });
  };

  const isChanged = (): boolean => {
    const now = db.pragma("main.data_version", { simple: true });
    const changed = now !== version;
    version = now;
    return changed;
  };

  async function copy(): Promise<void> {
    const record = copyOf ?? createRecord(nameOf(path), false);
    // What is written from here on is seen as a change, even if the copy has it.
    isChanged();
    try {
      await copyDatabase(db, join(record.folder, isCopy ? WORK_COPY : COPY));
      trial = attach(db, record, { only, isCopy });
    } catch (error) {
      if (!isCopy) record.remove();
      throw named(error, shown);
    }
  }

  const rowsToJudge = (): SqliteRows[] =>
    isCopy || !trial
      ? []
      : trial.rows.filter(
          ({ table: { name, isInner } }) => !isInner && (touched?.has(name) || !others.has(name)),
        );

  const ownOf = (name: string): string[] => (trial!.record.noted.own[name] ?? []).map(quoted);

  /** @param isDoubtful whether what is new may be another program's */
  function note({ rows }: SqliteTrial, isDoubtful: boolean): void {
    for (const one of rows) {
      const { name, isInner } = one.table;
      one.note(ownOf(name), isDoubtful);
      if (isInner || !touched || touched.has(name) || !one.hasAside() || !one.differs()) continue;
      // A second run has changed the table: so it is deliveries that do.
      touched.add(name);
      one.dropAside();
    }
  }

  /** Gives other programs back what was put aside, and lets stay what they may have changed since. */
  function giveBack(isSure: (name: string) => boolean): boolean {
    let found = false;
    for (const one of rowsToJudge()) {
      const { name } = one.table;
      if (one.hasAside()) {
        freeze(name);
        add(name, one.giveBack());
        found = true;
      }
      if (!isSure(name) || !one.hasNew()) continue;
      freeze(name);
      add(name, one.adoptNew());
      found = true;
    }
    return found;
  }

  const readTable = (schema: "main" | "copy", name: string): Row[] =>
    db
      .prepare<[], Row>(`select * from ${schema}.${quoted(name)}`)
      .safeIntegers()
      .all();

  function add(table: string, { inserted, updated, deleted }: Omit<OtherChange, "table">): void {
    const sum = others.get(table) ?? { table, inserted: 0, updated: 0, deleted: 0 };
    sum.inserted += inserted;
    sum.updated += updated;
    sum.deleted += deleted;
    others.set(table, sum);
  }

  const freeze = (name: string): void => {
    if (!frozen.has(name)) frozen.set(name, readTable("copy", name).map(asJson));
  };

  /**
   * What changed although no delivery was under way is another program's, and stays.
   * @returns whether some of it is compared
   */
  function adoptOthers(): boolean {
    if (!trial || isCopy || deliveries > 0 || !isChanged()) return false;
    if (touched === undefined) {
      note(trial, true);
      return false;
    }
    let needed = false;
    for (const one of trial.rows) {
      const found = one.unexpected();
      if (found.inserted + found.updated + found.deleted === 0) continue;
      const { name, isInner } = one.table;
      if (!isInner) freeze(name);
      one.adopt();
      if (isInner) continue;
      add(name, found);
      needed ||= touched.has(name);
    }
    return needed;
  }

  /** @throws SandboxError if another program changed what is compared */
  function withOthers<Result>(as: "write" | "note", work: () => Result): Result {
    const atOneInstant = trial?.[as] ?? ((all: () => [boolean, Result]) => db.transaction(all)());
    const [needed, result] = atOneInstant(() => {
      const areNeeded = adoptOthers();
      return [areNeeded, work()];
    });
    if (needed) refuse();
    return result;
  }

  /** Gives other programs back what was put aside. @throws SandboxError if that, or anything else of theirs, is compared */
  function refuse(): void {
    // Beside rows of another program, a row that may be its own stays.
    trial?.write(() => giveBack((name) => others.has(name)));
    const needed = [...others.values()].filter(({ table }) => touched?.has(table));
    if (needed.length > 0) throw otherNeeded(needed);
  }

  function putBack({ rows, unlike }: SqliteTrial): void {
    withOthers("write", () => {
      for (const one of rows) {
        const { name, isInner } = one.table;
        if (!isCopy && !isInner) one.endRun();
        // In a table of another program, everything is its own.
        if (others.has(name) && !touched?.has(name)) one.adoptAll();
        else one.restore();
        one.forget();
      }
      if (isCopy) for (const name of unlike()) db.exec(`delete from main.${quoted(name)}`);
      // No other program can have written by now.
      isChanged();
    });
    deliveries = 0;
  }

  /** Puts back what is still as the trial left it. @returns what stays */
  function settle({ rows, write }: SqliteTrial): string[] {
    return write(() =>
      rows.flatMap((one) =>
        one
          .settle(false, [])
          .filter(() => !one.table.isInner)
          .map((key) => `${one.table.name} ${key}`),
      ),
    );
  }

  async function close(): Promise<void> {
    if (!trial) return;
    const { record } = trial;
    if (isCopy) return;
    let reason = "";
    for (let tries = 0; tries < TRIES; tries += 1)
      try {
        if (deliveries > 0) await awaitQuiet(isChanged);
        if (deliveries > 0) trial.note(() => note(trial!, false));
        deliveries = 0;
        if (touched === undefined) trial.write(() => giveBack(() => true));
        const left = settle(trial);
        const missing = trial.unlike();
        if (left.length > 0)
          tell(
            `${shown} has rows that another program changed while explore ended: ${listed(left)}. They stay.`,
          );
        if (missing.length > 0)
          tell(
            `${shown} has tables that were made or altered meanwhile: ${listed(missing)}. They stay as they are.`,
          );
        return record.remove();
      } catch (error) {
        reason = (error as Error).message;
        if (!isBusy(error)) break;
      }
    // From now on, it counts as one of a killed trial.
    record.note({ pid: 0 });
    throw notPutBack(shown, reason, join(record.folder, COPY), `sqlite:${path}`);
  }

  return {
    read: () => guarded(() => Object.fromEntries(withOthers("note", readAll))),
    shapes: () =>
      guarded(() =>
        shapesIn(
          db,
          present().flatMap(({ name, isInner }) => (isInner ? [] : name)),
        ),
      ),
    putBack: () => (trial ? guarded(() => putBack(trial!)) : copy()),
    begin: () =>
      guarded(() => {
        if (isCopy || !trial) return;
        withOthers("note", () => undefined);
        deliveries += 1;
        trial.record.inDelivery = true;
      }),
    end: () =>
      guarded(() => {
        if (isCopy || !trial) return;
        if (isChanged()) trial.note(() => note(trial!, touched !== undefined));
        deliveries = Math.max(0, deliveries - 1);
        if (deliveries === 0) trial.record.inDelivery = false;
      }),
    learn(columns) {
      if (isCopy || !trial) return false;
      const { record, rows, write } = trial;
      record.note({ own: ownColumns(columns) });
      const found = write(() => {
        for (const one of rows) one.dropRecurring(ownOf(one.table.name));
        return giveBack(() => touched === undefined);
      });
      touched = new Set([...(touched ?? []), ...changedTables(trial)]);
      if (found) refuse();
      return found;
    },
    hasNew() {
      if (isCopy || touched === undefined) return false;
      return rowsToJudge().some((one) => one.hasNew());
    },
    hasAside: () => rowsToJudge().some((one) => one.hasAside()),
    giveBack: () => guarded(refuse),
    get others() {
      return [...others.values()];
    },
    async close() {
      try {
        await close();
      } finally {
        db.close();
      }
    },
  };
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
