import type Sqlite from "better-sqlite3";
import type { CopiedTable } from "./dialect.ts";

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
const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`;

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

/** The parts of statements about one table: `main` is the user's database, and `copy` has the rows of before. */
function partsOf({ name, key, columns }: SqliteTable, number: number) {
  /** Rowids that SQLite gives. */
  const isDrawn = key.length === 1 && /^(?:rowid|_rowid_|oid)$/.test(key[0]!);
  const of = (schema: Schema) => `${schema}.${quoted(name)}`;
  const noted = columns.map((_, index) => `c${index}`);
  const notedKey = key.map((column) => noted[columns.indexOf(column)]!);
  const keys = `temp.${quoted(`keys ${number}`)}`;
  const keyNames = key.map((_, index) => `k${index}`);
  const ledger = (kind: Noting) => `ledger."${kind} ${number}"`;
  const list = (alias: string, names: readonly string[]) =>
    names.map((column) => `${alias}.${column}`).join(", ");
  const sameKey = (one: string, other: string, otherKey: readonly string[] = key) =>
    key.map((column, index) => `${one}.${column} = ${other}.${otherKey[index]}`).join(" and ");
  const sameRow = (one: string, other: string, own: readonly string[], others: readonly string[]) =>
    own
      .map((column, index) => {
        const [left, right] = [`${one}.${column}`, `${other}.${others[index]}`];
        return `${left} is ${right} collate binary and typeof(${left}) = typeof(${right})`;
      })
      .join(" and ");
  /** Rows of the database that are not as before, and rows of before that it lacks. */
  const changed = `from ${of("main")} m where not exists (
    select 1 from ${of("copy")} c where ${sameKey("m", "c")} and ${sameRow("m", "c", columns, columns)})`;
  const missing = `from ${of("copy")} c where not exists (select 1 from ${of("main")} m where ${sameKey("m", "c")})`;
  const differing = `select ${list("m", key)} ${changed} union select ${list("c", key)} ${missing}`;
  /** Columns that are the same in each run, and their names in the ledger. */
  function fixedIn(own: readonly string[]): [columns: string[], noted: string[]] {
    const all = own.map(quoted);
    const fixed = columns.filter((column, index) => !all.includes(column) && !(isDrawn && index === 0));
    return [fixed, fixed.map((column) => noted[columns.indexOf(column)]!)];
  }
  return {
    ...{ of, key, keyNames, columns, noted, notedKey, keys, ledger, list, sameKey, sameRow },
    ...{ changed, missing, differing, fixedIn },
    inKeys: `(${key.join(", ")}) in (select * from ${keys})`,
    notedInKeys: `(${notedKey.join(", ")}) in (select * from ${keys})`,
    collect: (select: string) => [
      `create table if not exists ${keys} (${keyNames.join(", ")})`,
      `delete from ${keys}`,
      `insert into ${keys} ${select}`,
    ],
  };
}

type Parts = ReturnType<typeof partsOf>;

/** Wraps changes of rows in such as drop the triggers of the table, and make them again. */
function withoutTriggers(triggers: SqliteTable["triggers"], schema: Schema, changes: readonly string[]) {
  return [
    ...triggers.map(({ name }) => `drop trigger ${schema}.${quoted(name)}`),
    ...changes,
    ...triggers.map(({ sql }) => inSchema(sql, schema)),
  ];
}

/** The statement that makes a trigger, for a schema that is attached. */
const inSchema = (sql: string, schema: Schema): string =>
  schema === "main"
    ? sql
    : sql.replace(/^(\s*create\s+trigger\s+(?:if\s+not\s+exists\s+)?)/i, `$1${schema}.`);

/** What the database has otherwise than the trial left it: rows that came or changed, and rows that went. */
function unexpectedKeys({ of, key, columns, noted, notedKey, ledger, ...parts }: Parts): string {
  const { list, sameKey, sameRow, changed, missing } = parts;
  const last = `${ledger("last")} l`;
  return [
    `select ${list("m", key)} ${changed} and not ${isLast("m", { columns, noted, notedKey, ledger, sameKey, sameRow })}`,
    `select ${list("m", key)} from ${of("main")} m join ${last} on ${sameKey("m", "l", notedKey)}
      where exists (select 1 from ${of("copy")} c where ${sameKey("m", "c")} and ${sameRow("m", "c", columns, columns)})`,
    `select ${list("c", key)} ${missing} and not ${isLastGone({ notedKey, ledger, sameKey })}`,
    `select ${list("l", notedKey)} from ${last} where l.gone = 0
      and not exists (select 1 from ${of("main")} m where ${sameKey("m", "l", notedKey)})
      and not exists (select 1 from ${of("copy")} c where ${sameKey("c", "l", notedKey)})`,
  ].join(" union ");
}

type Lasting = Pick<Parts, "columns" | "noted" | "notedKey" | "ledger" | "sameKey" | "sameRow">;

const isLast = (row: string, { columns, noted, notedKey, ledger, sameKey, sameRow }: Lasting): string =>
  `exists (select 1 from ${ledger("last")} l where l.gone = 0 and ${sameKey(row, "l", notedKey)} and ${sameRow(row, "l", columns, noted)})`;

const isLastGone = ({ notedKey, ledger, sameKey }: Pick<Lasting, "notedKey" | "ledger" | "sameKey">) =>
  `exists (select 1 from ${ledger("last")} l where l.gone = 1 and ${sameKey("c", "l", notedKey)})`;

/** A table of the database and the copy of it, with what the ledger has of it in tables whose columns change no value. */
export interface SqliteCopied extends CopiedTable {
  table: SqliteTable;
  /** Makes the tables of the ledger. */
  prepare: readonly string[];
  /** Notes in the ledger what differs from the copy. Only what changed since the last note is written: a story may have a thousand events. */
  note: readonly string[];
  hasAdded: string;
}

/** What gives rows of one schema the values that they have in the other. */
function movesOf(table: SqliteTable, copied: SqliteTable, number: number, parts: Parts) {
  const { of, key, keyNames, columns, collect, inKeys } = parts;
  const names = columns.join(", ");
  /** Gives the rows with the collected keys in one schema the values that they have in the other. */
  const move = (from: Schema, to: Schema) =>
    withoutTriggers(to === "main" ? table.triggers : copied.triggers, to, [
      `delete from ${of(to)} where ${inKeys}`,
      `insert into ${of(to)} (${names}) select ${names} from ${of(from)} where ${inKeys}`,
    ]);
  /** Takes the rows that have the selected keys into the copy, and counts what happened to them. */
  function takingIn(select: string) {
    const there = (schema: Schema) =>
      `exists (select 1 from ${of(schema)} r where ${key.map((column, index) => `r.${column} = k.${keyNames[index]}`).join(" and ")})`;
    return {
      count: `with k (${keyNames.join(", ")}) as (${select}) select ${number} as number, sum(now and not past) as inserted,
        sum(now and past) as updated, sum(not now) as deleted from (select ${there("main")} as now, ${there("copy")} as past from k)`,
      take: [...collect(select), ...move("main", "copy")],
    };
  }
  return { move, takingIn };
}

/** @param copied the table as the copy has it */
export function statementsOf(table: SqliteTable, copied: SqliteTable, number: number): SqliteCopied {
  const parts = partsOf(table, number);
  const { of, key, keyNames, columns, noted, notedKey, ledger } = parts;
  const { list, sameKey, sameRow, changed, missing, differing, fixedIn, collect, inKeys } = parts;
  const { move, takingIn } = movesOf(table, copied, number, parts);
  const names = columns.join(", ");
  const where = (condition: string) => `select ${number} as number where ${condition}`;

  /** Whether the ledger has such a row, but for what differs in each run: drawn rowids among it. */
  function isAmong(row: string, kind: Noting, own: readonly string[], and = "1"): string {
    const [, fixed] = fixedIn(own);
    const sameKeys = notedKey.map((column) => `${row}.${column} = o.${column}`).join(" and ");
    return `exists (select 1 from ${ledger(kind)} o where o.gone = ${row}.gone
      and (${row}.gone = 0 or ${sameKeys}) and ${sameRow(row, "o", fixed, fixed) || "1"} and ${and})`;
  }
  const asideRecurs = (kind: Noting, own: readonly string[]) =>
    `delete from ${ledger("aside")} as a where ${isAmong("a", kind, own)}`;
  const stillNew = `select distinct f.* from ${ledger("fresh")} f join ${ledger("last")} l
    on l.gone = f.gone and ${sameRow("f", "l", noted, noted)}`;
  const fresh = takingIn(`select ${list("n", notedKey)} from (${stillNew}) n`);
  const aside = `from ${ledger("aside")} a`;
  const isBefore = `exists (select 1 from ${of("copy")} c where ${sameKey("c", "a", notedKey)})`;
  // The plus lets SQLite use the index: without it, the type of the key's column decides how the two are compared.
  const isNoted = (row: string, gone: 0 | 1) =>
    `exists (select 1 from ${ledger("last")} l where l.gone = ${gone} and ${sameKey(`+${row}`, "l", notedKey)})`;
  /** Rows are found by the first few of these columns. */
  const indexed = (kind: Noting, by: string, among: readonly string[]) =>
    among.length === 0
      ? []
      : [
          `create index if not exists ledger."${kind} ${number} by ${by}" on "${kind} ${number}" (${among.slice(0, 4).join(", ")})`,
        ];
  const gone = columns.map((column) => (key.includes(column) ? `c.${column}` : "null"));

  return {
    ...{ table, number, name: table.name, isInner: table.isInner, before: of("copy") },
    prepare: NOTINGS.flatMap((kind) => [
      `create table if not exists ${ledger(kind)} (gone, ${noted.join(", ")})`,
      ...indexed(kind, "key", notedKey),
    ]),
    note: [
      `delete from ${ledger("last")} as l where case l.gone when 0 then not exists (
        select 1 ${changed} and ${sameKey("m", "l", notedKey)} and ${sameRow("m", "l", columns, noted)})
        else exists (select 1 from ${of("main")} m where ${sameKey("m", "l", notedKey)}) end`,
      `delete from ${ledger("added")}`,
      `insert into ${ledger("added")} select 0, ${list("m", columns)} ${changed} and not ${isNoted("m", 0)}`,
      `insert into ${ledger("added")} select 1, ${gone.join(", ")} ${missing} and not ${isNoted("c", 1)}`,
      `insert into ${ledger("last")} select * from ${ledger("added")}`,
    ],
    hasAdded: where(`exists (select 1 from ${ledger("added")})`),
    forget: [`delete from ${ledger("last")}`, `delete from ${ledger("fresh")}`],

    differs: where(`exists (select 1 ${changed}) or exists (select 1 ${missing})`),
    left: `with k (${keyNames.join(", ")}) as (${differing})
      select ${literal(table.name)} as name, ${keyNames.map((one) => `coalesce(${one}, 'null')`).join(" || ', ' || ")} as k from k`,
    restore: [...collect(differing), ...move("copy", "main")],
    adoptAll: [...collect(differing), ...move("main", "copy")],
    unexpected: takingIn(unexpectedKeys(parts)),
    fresh: { ...fresh, take: [...fresh.take, `delete from ${ledger("fresh")}`] },
    aside: {
      count: `select sum(a.gone = 0 and not ${isBefore}) as inserted, sum(a.gone = 0 and ${isBefore}) as updated, sum(a.gone = 1) as deleted ${aside}`,
      take: [
        ...collect(
          `select ${list("a", notedKey)} ${aside} where not exists (
            select 1 ${changed} and ${sameKey("m", "a", notedKey)})`,
        ),
        ...withoutTriggers(table.triggers, "main", [
          `delete from ${of("main")} where ${inKeys}`,
          `insert or replace into ${of("main")} (${names}) select ${noted.join(", ")} ${aside} where gone = 0 and ${parts.notedInKeys}`,
        ]),
        ...move("main", "copy"),
        `delete from ${ledger("aside")}`,
      ],
    },
    sort: (own, isDoubtful) => [
      asideRecurs("added", own),
      ...(isDoubtful
        ? [
            ...indexed("seen", "row", fixedIn(own)[1]),
            `insert into ${ledger("fresh")} select * from ${ledger("added")} l where not ${isAmong("l", "seen", own)}`,
          ]
        : []),
      `insert into ${ledger("seen")} select * from ${ledger("added")} l where not exists (
        select 1 from ${ledger("seen")} s where s.gone = l.gone and ${sameRow("l", "s", noted, noted)})`,
    ],
    dropRecurring: (own) => [
      asideRecurs("last", own),
      `delete from ${ledger("fresh")} as f where ${isAmong("f", "seen", own, `not (${sameRow("f", "o", noted, noted)})`)}`,
    ],
    noteRun: `insert into ${ledger("earlier")} select * from ${ledger("last")} except select * from ${ledger("fresh")}`,
    compareRuns: (
      own,
    ) => `select ${number} as number, count(*) filter (where ${isAmong("l", "earlier", own)}) as both,
      count(*) filter (where not ${isAmong("l", "earlier", own)}) as now,
      (select count(*) from ${ledger("earlier")} e where not ${isAmong("e", "last", own)}) as earlier from ${ledger("last")} l`,
    takeApart: (own) => [
      `insert into ${ledger("aside")} select * from ${ledger("earlier")} e where not ${isAmong("e", "last", own)}`,
      `insert into ${ledger("fresh")} select * from ${ledger("last")} l where not ${isAmong("l", "earlier", own)}`,
    ],
    hasNew: where(`exists (${stillNew})`),
    hasAside: where(`exists (select 1 ${aside})`),
    setAside: `insert into ${ledger("aside")} ${stillNew}`,
    dropAside: `delete from ${ledger("aside")}`,
    settle: (inDelivery, own) => [...collect(settling(parts, inDelivery, own)), ...move("copy", "main")],
  };
}

/** Selects the keys of the rows that are still as the trial left them. */
function settling(parts: Parts, inDelivery: boolean, own: readonly string[]): string {
  const { key, notedKey, changed, missing, list, ledger, sameKey, sameRow, fixedIn } = parts;
  const [fixed, seen] = fixedIn(own);
  const known = `select 1 from ${ledger("seen")} s where s.gone`;
  return [
    `select ${list("m", key)} ${changed} and ${isLast("m", parts)}`,
    `select ${list("c", key)} ${missing} and ${isLastGone(parts)}`,
    ...(inDelivery
      ? [
          `select ${list("m", key)} ${changed} and exists (${known} = 0 and ${sameRow("m", "s", fixed, seen) || "1"})`,
          `select ${list("c", key)} ${missing} and exists (${known} = 1 and ${sameKey("c", "s", notedKey)})`,
        ]
      : []),
  ].join(" union ");
}

/**
 * What the ledger has of a table: what the trial left last, what of that the last note added, all that it has left so far,
 * what earlier runs left in the end, what is new in this run, and what was put aside.
 */
const NOTINGS = ["last", "added", "seen", "earlier", "fresh", "aside"] as const;
type Noting = (typeof NOTINGS)[number];
