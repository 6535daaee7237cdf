import type Sqlite from "better-sqlite3";
import type { CopiedTable } from "./dialect.ts";
import { isGone, isLeft, type LedgerParts, type Noting, sharedStatements } from "./ledger.ts";

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

/** A table of the database and the copy of it, with what the ledger has of it in tables whose columns change no value. */
export interface SqliteCopied extends CopiedTable {
  table: SqliteTable;
  /** Makes the tables of the ledger. */
  prepare: readonly string[];
  /** Notes in the ledger what differs from the copy. Only what changed since the last note is written: a story may have a thousand events. */
  note: readonly string[];
  hasAdded: string;
}

/** The parts of statements about one table: `main` is the user's database, and `copy` has the rows of before. */
function wordsOf({ name, key, columns }: SqliteTable, number: number) {
  const of = (schema: Schema) => `${schema}.${quoted(name)}`;
  const noted = columns.map((_, index) => `c${index}`);
  const notedKey = key.map((column) => noted[columns.indexOf(column)]!);
  const keys = `temp.${quoted(`keys ${number}`)}`;
  const ledger = (kind: Noting) => `ledger."${kind} ${number}"`;
  const add = (kind: Noting, select: string) => `insert into ${ledger(kind)} ${select}`;
  const sameKey = (one: string, other: string, otherKey: readonly string[] = key) =>
    key.map((column, index) => `${one}.${column} = ${other}.${otherKey[index]}`).join(" and ");
  const sameRow = (one: string, other: string, own = columns, others: readonly string[] = noted) =>
    own
      .map((column, index) => {
        const [left, right] = [`${one}.${column}`, `${other}.${others[index]}`];
        return `${left} is ${right} collate binary and typeof(${left}) = typeof(${right})`;
      })
      .join(" and ");
  /** Rows of the database that are not as before, and rows of before that it lacks. */
  const isBefore = `exists (select 1 from ${of("copy")} c where ${sameKey("m", "c")} and ${sameRow("m", "c", columns, columns)})`;
  const changed = `from ${of("main")} m where not ${isBefore}`;
  const missing = `from ${of("copy")} c where not exists (select 1 from ${of("main")} m where ${sameKey("m", "c")})`;
  const keyOf = (row: string) =>
    key
      .map(
        (column, index) =>
          `${row}.${row === "m" || row === "c" ? column : notedKey[index]} as ${notedKey[index]}`,
      )
      .join(", ");
  const differing = `select ${keyOf("m")} ${changed} union select ${keyOf("c")} ${missing}`;
  /** Columns that are the same in each run, and their names in the ledger. Rowids are given by SQLite. */
  function fixedIn(own: readonly string[]): [columns: string[], noted: string[]] {
    const all = own.map(quoted);
    const isDrawn = key.length === 1 && /^(?:rowid|_rowid_|oid)$/.test(key[0]!);
    const fixed = columns.filter((column, index) => !all.includes(column) && !(isDrawn && index === 0));
    return [fixed, fixed.map((column) => noted[columns.indexOf(column)]!)];
  }
  const collect = (select: string) => [
    `create table if not exists ${keys} (${notedKey.join(", ")})`,
    `delete from ${keys}`,
    `insert into ${keys} ${select}`,
  ];
  /** Rows are found by the first few of these columns. */
  const indexed = (kind: Noting, by: string, among: readonly string[]) =>
    among.length === 0
      ? []
      : [
          `create index if not exists ledger."${kind} ${number} by ${by}" on "${kind} ${number}" (${among.slice(0, 4).join(", ")})`,
        ];
  return {
    ...{ of, noted, notedKey, keys, ledger, add, sameKey, sameRow, isBefore, changed, missing, keyOf },
    ...{ differing, fixedIn, collect, indexed },
  };
}

/** @param copied the table as the copy has it */
export function statementsOf(table: SqliteTable, copied: SqliteTable, number: number): SqliteCopied {
  const { name, key, columns, isInner } = table;
  const words = wordsOf(table, number);
  const { of, noted, notedKey, keys, ledger, add, sameKey, sameRow, isBefore } = words;
  const { changed, missing, keyOf, differing, fixedIn, collect, indexed } = words;
  const names = columns.join(", ");
  const inKeys = `(${key.join(", ")}) in (select * from ${keys})`;
  /** Gives the rows with the collected keys in one schema the values that they have in the other. */
  const move = (from: Schema, to: Schema) =>
    withoutTriggers(to === "main" ? table.triggers : copied.triggers, to, [
      `delete from ${of(to)} where ${inKeys}`,
      `insert into ${of(to)} (${names}) select ${names} from ${of(from)} where ${inKeys}`,
    ]);
  const parts: LedgerParts = {
    ...{ name, number, add, changed, missing, keyOf, collect, noted: ledger, added: "added" },
    drop: (kind, where = "1") => `delete from ${ledger(kind)} as d where ${where}`,
    hasKey: (row, one) => sameKey(row, one, notedKey),
    isIn: (where, one) =>
      `exists (select 1 from ${of(where === "copy" ? "copy" : "main")} r where ${sameKey("r", one, notedKey)})`,
    same: (one, other) => sameRow(one, other, noted),
    without: (kind, other) =>
      `select * from ${ledger(kind)} l where not exists (select 1 from ${ledger(other)} o where o.gone = l.gone and ${sameRow("l", "o", noted)})`,
    isAmong(row, kind, own, and = "1") {
      const [, fixed] = fixedIn(own);
      const sameKeys = notedKey.map((column) => `${row}.${column} = o.${column}`).join(" and ");
      return `exists (select 1 from ${ledger(kind)} o where o.gone = ${row}.gone
        and (${row}.gone = 0 or ${sameKeys}) and ${sameRow(row, "o", fixed, fixed) || "1"} and ${and})`;
    },
    equals: (one, own) =>
      own
        ? sameRow("m", one, ...fixedIn(own)) || "1"
        : `${sameKey("m", one, notedKey)} and ${sameRow("m", one)}`,
    intoCopy: move("main", "copy"),
    intoDatabase: move("copy", "main"),
    asideIntoDatabase: withoutTriggers(table.triggers, "main", [
      `delete from ${of("main")} where ${inKeys}`,
      `insert or replace into ${of("main")} (${names}) select ${noted.join(", ")} from ${ledger("aside")}
        where gone = 0 and (${notedKey.join(", ")}) in (select * from ${keys})`,
    ]),
    unexpected: "",
  };
  parts.unexpected = [
    `select ${keyOf("m")} ${changed} and not ${isLeft(parts, "last")}`,
    `select ${keyOf("m")} from ${of("main")} m join ${ledger("last")} l on ${sameKey("m", "l", notedKey)} where ${isBefore}`,
    `select ${keyOf("c")} ${missing} and not ${isGone(parts, "last")}`,
    `select ${keyOf("l")} from ${ledger("last")} l where l.gone = 0 and not ${parts.isIn("database", "l")} and not ${parts.isIn("copy", "l")}`,
  ].join(" union ");
  const shared = sharedStatements(parts);
  // The plus lets SQLite use the index: without it, the type of the key's column decides how the two are compared.
  const isNoted = (row: string, gone: 0 | 1) =>
    `exists (select 1 from ${ledger("last")} l where l.gone = ${gone} and ${sameKey(`+${row}`, "l", notedKey)})`;
  const gone = columns.map((column) => (key.includes(column) ? `c.${column}` : "null"));

  return {
    ...shared,
    ...{ table, isInner, before: of("copy") },
    prepare: NOTINGS.flatMap((kind) => [
      `create table if not exists ${ledger(kind)} (gone, ${noted.join(", ")})`,
      ...indexed(kind, "key", notedKey),
    ]),
    note: [
      `delete from ${ledger("last")} as l where case l.gone when 0 then not exists (
        select 1 ${changed} and ${sameKey("m", "l", notedKey)} and ${sameRow("m", "l")})
        else exists (select 1 from ${of("main")} m where ${sameKey("m", "l", notedKey)}) end`,
      `delete from ${ledger("added")}`,
      add(
        "added",
        `select 0, ${columns.map((column) => `m.${column}`).join(", ")} ${changed} and not ${isNoted("m", 0)}`,
      ),
      add("added", `select 1, ${gone.join(", ")} ${missing} and not ${isNoted("c", 1)}`),
      add("last", `select * from ${ledger("added")}`),
    ],
    hasAdded: `select ${number} as number where exists (select 1 from ${ledger("added")})`,
    sort: (own, isDoubtful) => [
      ...(isDoubtful ? indexed("seen", "row", fixedIn(own)[1]) : []),
      ...shared.sort(own, isDoubtful),
    ],
    left: `select ${literal(name)} as name, ${notedKey.map((one) => `coalesce(${one}, 'null')`).join(" || ', ' || ")} as k from (${differing})`,
    restore: [...collect(differing), ...move("copy", "main")],
    adoptAll: [...collect(differing), ...move("main", "copy")],
  };
}

const NOTINGS: readonly Noting[] = ["last", "added", "seen", "earlier", "fresh", "aside"];
