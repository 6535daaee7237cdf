/** All statements about a table are made of the same parts, however long the file is. */

import type Sqlite from "better-sqlite3";

/** A table, as its rows are copied: in SQL, with its rowids, so that every value stays what it is. */
export interface SqliteTable {
  name: string;
  /** What tells its rows apart, as SQL takes it: the rowid, or its primary key if it has none. */
  key: string[];
  /** All that a row has and can be written: a generated column follows from others. */
  columns: string[];
  /** What happens at a change of the table; putting rows back must not cause it. */
  triggers: { name: string; sql: string }[];
  /** A part of a virtual table or of SQLite itself: it is put back, and its rows say nothing to a person. */
  isInner: boolean;
}

type Schema = "main" | "copy";

export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** @param only those of a user's choice; what belongs to SQLite itself comes with them */
export function tablesOf(db: Sqlite.Database, schema: Schema, only?: readonly string[]): SqliteTable[] {
  const tables = db
    .prepare<[string], { name: string; type: string; wr: number }>(
      "select name, type, wr from pragma_table_list where schema = ? and type in ('table', 'shadow') and name not like 'sqlite\\_%' escape '\\'",
    )
    .all(schema);
  const counters = db.prepare(`select 1 from ${schema}.sqlite_schema where name = 'sqlite_sequence'`).get();
  return [...tables, ...(counters ? [{ name: "sqlite_sequence", type: "shadow", wr: 0 }] : [])]
    .filter(({ name, type }) => only === undefined || type === "shadow" || only.includes(name))
    .map(({ name, type, wr }) => {
      const all = db
        .prepare<[string, string], { name: string; pk: number; hidden: number }>(
          "select name, pk, hidden from pragma_table_xinfo(?, ?)",
        )
        .all(name, schema);
      const named = all.filter(({ hidden }) => hidden === 0).map((column) => quoted(column.name));
      const primary = all.filter(({ pk }) => pk > 0).sort((one, other) => one.pk - other.pk);
      const rowid = ["rowid", "_rowid_", "oid"].find((alias) =>
        all.every((column) => column.name.toLowerCase() !== alias),
      );
      const isKeyed = wr === 1 || rowid === undefined;
      return {
        ...{ name, isInner: type === "shadow" },
        key: isKeyed ? primary.map((column) => quoted(column.name)) : [rowid],
        columns: isKeyed ? named : [rowid, ...named],
        triggers: db
          .prepare<[string], { name: string; sql: string }>(
            `select name, sql from ${schema}.sqlite_schema where type = 'trigger' and tbl_name = ? collate nocase`,
          )
          .all(name),
      };
    });
}

/** Whether rows can be copied between the two as they are. */
export const hasSameColumns = (one: SqliteTable, other: SqliteTable | undefined): boolean =>
  one.columns.join() === other?.columns.join() && one.key.join() === other.key.join();

/**
 * The statements about one table: `main` is the user's database, `copy` has the rows of before, and `ledger` what the trial
 * noted, in tables of its own whose columns change no value.
 */
export function rowsOf(db: Sqlite.Database, table: SqliteTable, number: number) {
  const { name, key, columns } = table;
  /** Rowids that SQLite gives. */
  const isDrawn = key.length === 1 && /^(?:rowid|_rowid_|oid)$/.test(key[0]!);
  const of = (schema: Schema) => `${schema}.${quoted(name)}`;
  const noted = columns.map((_, index) => `c${index}`);
  const notedKey = key.map((column) => noted[columns.indexOf(column)]!);
  const ledger = (kind: Noting) => `ledger."${kind} ${number}"`;
  const keys = `temp."keys ${number}"`;

  const sameKey = (one: string, other: string, otherKey: readonly string[] = key) =>
    key.map((column, index) => `${one}.${column} = ${other}.${otherKey[index]}`).join(" and ");
  const sameRow = (one: string, other: string, own: readonly string[], others: readonly string[]) =>
    own
      .map((column, index) => {
        const [left, right] = [`${one}.${column}`, `${other}.${others[index]}`];
        return `${left} is ${right} collate binary and typeof(${left}) = typeof(${right})`;
      })
      .join(" and ");
  const list = (alias: string, names: readonly string[]) =>
    names.map((column) => `${alias}.${column}`).join(", ");
  const inKeys = `(${key.join(", ")}) in (select * from ${keys})`;

  /** Rows of the database that are not as before, and rows of before that it lacks. */
  const changed = `from ${of("main")} m where not exists (
    select 1 from ${of("copy")} c where ${sameKey("m", "c")} and ${sameRow("m", "c", columns, columns)})`;
  const missing = `from ${of("copy")} c where not exists (select 1 from ${of("main")} m where ${sameKey("m", "c")})`;
  const lastGone = `select 1 from ${ledger("last")} l where l.gone = 1 and ${sameKey("c", "l", notedKey)}`;
  const notLast = (row: string) => `not exists (
    select 1 from ${ledger("last")} l where l.gone = 0 and ${sameKey(row, "l", notedKey)} and ${sameRow(row, "l", columns, noted)})`;
  /** What the database has otherwise than the trial left it: rows that came or changed, and rows that went. */
  const unexpected = [
    `select ${list("m", key)} ${changed} and ${notLast("m")}`,
    `select ${list("m", key)} from ${of("main")} m join ${ledger("last")} l on ${sameKey("m", "l", notedKey)}
      where exists (select 1 from ${of("copy")} c where ${sameKey("m", "c")} and ${sameRow("m", "c", columns, columns)})`,
    `select ${list("c", key)} ${missing} and not exists (${lastGone})`,
    `select ${list("l", notedKey)} from ${ledger("last")} l where l.gone = 0
      and not exists (select 1 from ${of("main")} m where ${sameKey("m", "l", notedKey)})
      and not exists (select 1 from ${of("copy")} c where ${sameKey("c", "l", notedKey)})`,
  ].join(" union ");

  const fixedOf = (own: readonly string[]) =>
    noted.filter((_, index) => !own.includes(columns[index]!) && !(isDrawn && index === 0));

  /** Whether the ledger has such a row, but for what differs in each run: drawn rowids among it. */
  function isAmong(row: string, kind: Noting, own: readonly string[], and = "1"): string {
    const fixed = fixedOf(own);
    const sameKeys = notedKey.map((column) => `${row}.${column} = o.${column}`).join(" and ");
    return `exists (select 1 from ${ledger(kind)} o where o.gone = ${row}.gone
      and (${row}.gone = 0 or ${sameKeys}) and ${sameRow(row, "o", fixed, fixed) || "1"} and ${and})`;
  }

  const stillNew = `select distinct f.* from ${ledger("fresh")} f join ${ledger("last")} l
    on l.gone = f.gone and ${sameRow("f", "l", noted, noted)}`;

  const run = statements(db);

  function collect(select: string): number {
    run(`create table if not exists ${keys} (${key.map((_, index) => `k${index}`).join(", ")})`);
    run(`delete from ${keys}`);
    return run(`insert into ${keys} ${select}`).changes;
  }

  /** Gives the rows with the collected keys in one schema the values that they have in the other. */
  function move(from: Schema, to: Schema): void {
    const triggers = to === "main" ? table.triggers : copyTriggers();
    for (const one of triggers) db.exec(`drop trigger ${to}.${quoted(one.name)}`);
    run(`delete from ${of(to)} where ${inKeys}`);
    run(
      `insert into ${of(to)} (${columns.join(", ")}) select ${columns.join(", ")} from ${of(from)} where ${inKeys}`,
    );
    for (const { sql } of triggers) db.exec(inSchema(sql, to));
  }

  const copyTriggers = () =>
    db
      .prepare<[string], { name: string; sql: string }>(
        "select name, sql from copy.sqlite_schema where type = 'trigger' and tbl_name = ? collate nocase",
      )
      .all(name);

  const count = (select: string): number =>
    (db.prepare(`select count(*) from (${select})`).pluck().get() as number) ?? 0;

  /** What happened to the rows with the collected keys. */
  function changes(): { inserted: number; updated: number; deleted: number } {
    const inSchema = (schema: Schema) =>
      `select 1 from ${of(schema)} r where ${key.map((column, index) => `r.${column} = k.k${index}`).join(" and ")}`;
    const [before, now] = [inSchema("copy"), inSchema("main")];
    return {
      inserted: count(`select 1 from ${keys} k where exists (${now}) and not exists (${before})`),
      updated: count(`select 1 from ${keys} k where exists (${now}) and exists (${before})`),
      deleted: count(`select 1 from ${keys} k where not exists (${now})`),
    };
  }

  const keep = (kind: Noting, select: string): number => run(`insert into ${ledger(kind)} ${select}`).changes;

  /** Rows are found by the first few of these columns. */
  function index(kind: Noting, by: string, among: readonly string[]): void {
    const some = among.slice(0, 4);
    if (some.length > 0)
      run(
        `create index if not exists ledger."${kind} ${number} by ${by}" on "${kind} ${number}" (${some.join(", ")})`,
      );
  }

  return {
    table,

    /** Makes the tables of the ledger. */
    prepare(): void {
      for (const kind of NOTINGS) {
        run(`create table if not exists ${ledger(kind)} (gone, ${noted.join(", ")})`);
        index(kind, "key", notedKey);
      }
    },

    differs: (): boolean =>
      run(`select exists (select 1 ${changed}) or exists (select 1 ${missing}) as differs`, true) === 1,

    /** Takes the table back to the copy. */
    restore(): void {
      if (collect(`select ${list("m", key)} ${changed} union select ${list("c", key)} ${missing}`) > 0)
        move("copy", "main");
    },

    /** Removes all rows: of a table that a copy does not have. */
    empty(): void {
      if (run(`select exists (select 1 from ${of("main")})`, true) === 0) return;
      for (const one of table.triggers) db.exec(`drop trigger main.${quoted(one.name)}`);
      run(`delete from ${of("main")}`);
      for (const { sql } of table.triggers) db.exec(sql);
    },

    /**
     * Notes what differs from the copy now: the trial has left that. Only what changed since the last note is written,
     * as a story may have a thousand events.
     * @param own columns whose values differ in each run
     * @param isDoubtful whether what is new may be another program's
     */
    note(own: readonly string[], isDoubtful: boolean): void {
      const same = `select 1 ${changed} and ${sameKey("m", "l", notedKey)} and ${sameRow("m", "l", columns, noted)}`;
      const isThere = `select 1 from ${of("main")} m where ${sameKey("m", "l", notedKey)}`;
      // The plus lets SQLite use the index: without it, the type of the key's column decides how the two are compared.
      const isNoted = (row: string, gone: 0 | 1) =>
        `exists (select 1 from ${ledger("last")} l where l.gone = ${gone} and ${sameKey(`+${row}`, "l", notedKey)})`;
      run(
        `delete from ${ledger("last")} as l where case l.gone when 0 then not exists (${same}) else exists (${isThere}) end`,
      );
      run(`delete from ${ledger("added")}`);
      const rows = keep("added", `select 0, ${list("m", columns)} ${changed} and not ${isNoted("m", 0)}`);
      const gone = keep(
        "added",
        `select 1, ${columns.map((column) => (key.includes(column) ? `c.${column}` : "null")).join(", ")} ${missing} and not ${isNoted("c", 1)}`,
      );
      if (rows + gone === 0) return;
      keep("last", `select * from ${ledger("added")}`);
      run(`delete from ${ledger("aside")} as a where ${isAmong("a", "added", own)}`);
      if (isDoubtful) {
        index("seen", "row", fixedOf(own));
        keep("fresh", `select * from ${ledger("added")} l where not ${isAmong("l", "seen", own)}`);
      }
      keep(
        "seen",
        `select * from ${ledger("added")} l where not exists (
          select 1 from ${ledger("seen")} s where s.gone = l.gone and ${sameRow("l", "s", noted, noted)})`,
      );
    },

    /** @returns how many rows are not as the trial left them */
    unexpected(): { inserted: number; updated: number; deleted: number } {
      return collect(unexpected) === 0 ? { inserted: 0, updated: 0, deleted: 0 } : changes();
    },

    /** Takes the rows that `unexpected` found into the copy: they stay. */
    adopt: () => move("main", "copy"),
    /** Takes into the copy what this run alone has left so far. */
    adoptNew(): { inserted: number; updated: number; deleted: number } {
      if (collect(`select ${list("n", notedKey)} from (${stillNew}) n`) === 0)
        return { inserted: 0, updated: 0, deleted: 0 };
      const found = changes();
      move("main", "copy");
      run(`delete from ${ledger("fresh")}`);
      return found;
    },
    /** Takes the whole table into the copy. */
    adoptAll(): void {
      if (collect(`select ${list("m", key)} ${changed} union select ${list("c", key)} ${missing}`) > 0)
        move("main", "copy");
    },

    /** Whether this run has left, and not changed since, what none left before. */
    hasNew: (): boolean => run(`select exists (${stillNew})`, true) === 1,

    /** Ends a run: what may be another program's is put aside. */
    endRun(): void {
      keep("aside", stillNew);
      run(`delete from ${ledger("fresh")}`);
    },
    /** What two runs have left is no other program's. */
    dropRecurring(own: readonly string[]): void {
      run(`delete from ${ledger("aside")} as a where ${isAmong("a", "last", own)}`);
      run(
        `delete from ${ledger("fresh")} as f where ${isAmong("f", "seen", own, `not (${sameRow("f", "o", noted, noted)})`)}`,
      );
    },
    /** Notes that the table is as before. */
    forget: () => void run(`delete from ${ledger("last")}`),
    hasAside: (): boolean => run(`select exists (select 1 from ${ledger("aside")})`, true) === 1,
    dropAside: () => void run(`delete from ${ledger("aside")}`),

    /** Gives another program back what was put aside, where nothing is in its place. @returns what it was */
    giveBack(): { inserted: number; updated: number; deleted: number } {
      const before = `exists (select 1 from ${of("copy")} c where ${sameKey("c", "a", notedKey)})`;
      const found = {
        inserted: count(`select 1 from ${ledger("aside")} a where a.gone = 0 and not ${before}`),
        updated: count(`select 1 from ${ledger("aside")} a where a.gone = 0 and ${before}`),
        deleted: count(`select 1 from ${ledger("aside")} a where a.gone = 1`),
      };
      collect(
        `select ${list("a", notedKey)} from ${ledger("aside")} a where not exists (
          select 1 from ${of("main")} m where ${sameKey("m", "a", notedKey)} and not exists (
            select 1 from ${of("copy")} c where ${sameKey("m", "c")} and ${sameRow("m", "c", columns, columns)}))`,
      );
      for (const one of table.triggers) db.exec(`drop trigger main.${quoted(one.name)}`);
      run(`delete from ${of("main")} where ${inKeys}`);
      run(
        `insert or replace into ${of("main")} (${columns.join(", ")}) select ${noted.join(", ")} from ${ledger("aside")} a
          where gone = 0 and (${notedKey.join(", ")}) in (select * from ${keys})`,
      );
      for (const { sql } of table.triggers) db.exec(sql);
      move("main", "copy");
      run(`delete from ${ledger("aside")}`);
      return found;
    },

    /**
     * Puts back the rows that are still as the trial left them.
     * @param inDelivery whether a delivery was under way: then a row counts as well that is as the trial has seen it
     * @param own columns whose values differ in each run
     * @returns the keys of the rows that stay
     */
    settle(inDelivery: boolean, own: readonly string[]): string[] {
      const parts = [
        `select ${list("m", key)} ${changed} and not (${notLast("m")})`,
        `select ${list("c", key)} ${missing} and exists (${lastGone})`,
      ];
      if (inDelivery) {
        const fixed = columns.filter((column, index) => !own.includes(column) && !(isDrawn && index === 0));
        const seen = fixed.map((column) => noted[columns.indexOf(column)]!);
        const free = sameRow("m", "s", fixed, seen);
        parts.push(
          `select ${list("m", key)} ${changed} and exists (select 1 from ${ledger("seen")} s where s.gone = 0 and ${free || "1"})`,
          `select ${list("c", key)} ${missing} and exists (select 1 from ${ledger("seen")} s where s.gone = 1 and ${sameKey("c", "s", notedKey)})`,
        );
      }
      if (collect(parts.join(" union ")) > 0) move("copy", "main");
      const left = `select ${list("m", key)} ${changed} union select ${list("c", key)} ${missing}`;
      return db
        .prepare<[], (string | number | null)[]>(left)
        .raw()
        .all()
        .map((one) => one.map(String).join(", "));
    },

    /** What the copy lacks stays; all that it has is put back. */
    restoreAll(): number {
      const found = collect(`select ${list("m", key)} ${changed} union select ${list("c", key)} ${missing}`);
      if (found > 0) move("copy", "main");
      return found;
    },
  };
}

export type SqliteRows = ReturnType<typeof rowsOf>;

/**
 * What the ledger has of a table: what the trial left last, what of that the last note added, all that it has left so far,
 * what of it is new in this run, and what was put aside.
 */
type Noting = "last" | "added" | "seen" | "fresh" | "aside";
const NOTINGS: readonly Noting[] = ["last", "added", "seen", "fresh", "aside"];

/** The statement that makes a trigger, for a schema that is attached. */
const inSchema = (sql: string, schema: Schema): string =>
  schema === "main"
    ? sql
    : sql.replace(/^(\s*create\s+trigger\s+(?:if\s+not\s+exists\s+)?)/i, `$1${schema}.`);

interface Run {
  (sql: string): { changes: number };
  (sql: string, reads: true): unknown;
}

/** Prepares each statement once. */
function statements(db: Sqlite.Database): Run {
  const prepared = new Map<string, Sqlite.Statement>();
  return ((sql: string, reads?: true) => {
    const statement = prepared.get(sql) ?? db.prepare(sql);
    prepared.set(sql, statement);
    return reads ? statement.pluck().get() : statement.run();
  }) as Run;
}
