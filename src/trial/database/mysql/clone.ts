import { using } from "../dialect.ts";
import { tablesIn, writableOf } from "./catalog.ts";
import { type Connection, connectTo, isDenied, literal, quoted } from "./client.ts";
import { readSequences } from "./counters.ts";
import { runAsWritten, triggersIn } from "./triggers.ts";

/**
 * Copies a database with SQL, object by object. Events are created but disabled.
 * @param to a connection to the empty copy
 * @param rowsOf returns the SQL source of a table's rows
 * @returns phrases that describe what the copy lacks
 */
export async function cloneDatabase(
  from: Connection,
  to: Connection,
  rowsOf: (table: string) => string,
): Promise<string[]> {
  const [source, target] = [from.address.database, to.address.database];
  const leftOut: string[] = [];
  const names = await namesIn(from, source);
  const moved = (statement: string): string => movedTo(statement, source, target, names);

  /** Creates an object with the original's session settings. */
  async function create(shown: Record<string, string>, column: string): Promise<void> {
    const one = {
      ...{ statement: moved(shown[column]!), mode: shown.sql_mode ?? "" },
      ...{
        client: shown.character_set_client ?? "utf8mb4",
        collation: shown.collation_connection ?? "utf8mb4_bin",
      },
    };
    await runAsWritten(to, one).catch((error) => {
      if (!isDenied(error)) throw error;
      // Without its definer, the object acts as the trial's user, but only on the copy.
      return runAsWritten(to, { ...one, statement: one.statement.replace(DEFINER, "") });
    });
  }
  const shown = async (kind: string, name: string): Promise<Record<string, string>> =>
    (await from.query(`show create ${kind} ${quoted(source)}.${quoted(name)}`))[0];

  await to.query("set session foreign_key_checks = 0");
  for (const { name, next } of await readSequences(from, source)) {
    await to.query((await shown("sequence", name))["Create Table"]!);
    await to.query(`alter sequence ${quoted(name)} restart ${next}`);
  }
  const routines = await from.query(
    "select routine_name as name, routine_type as kind from information_schema.routines where routine_schema = ?",
    [source],
  );
  for (const { name, kind } of routines) {
    const found = await shown(kind, name);
    const column = kind === "FUNCTION" ? "Create Function" : "Create Procedure";
    if (found[column]) await create(found, column);
    else leftOut.push(`the ${kind.toLowerCase()} ${name}, whose code this user may not read`);
  }
  const tables = await tablesIn(from, source);
  for (const { name } of tables) await to.query(moved((await shown("table", name))["Create Table"]!));
  for (const table of tables) {
    const columns = writableOf(table);
    const name = quoted(table.name);
    await to.query(`insert into ${name} (${columns}) select ${columns} from ${rowsOf(table.name)}`);
    if (table.next !== null) await to.query(`alter table ${name} auto_increment = ${table.next}`);
  }
  await createViews(from, source, async (name) => create(await shown("view", name), "Create View"));
  for (const trigger of await triggersIn(from, source))
    await create(
      {
        ...trigger,
        sql_mode: trigger.mode,
        character_set_client: trigger.client,
        collation_connection: trigger.collation,
      },
      "statement",
    );
  const events = await from.query(
    "select event_name as name from information_schema.events where event_schema = ?",
    [source],
  );
  for (const { name } of events) {
    const found = await shown("event", name);
    // An event takes its session's time zone.
    await to.query(`set session time_zone = ${literal(found.time_zone!)}`);
    await create({ ...found, "Create Event": turnedOff(found["Create Event"]!) }, "Create Event");
  }
  await to.query("set session foreign_key_checks = 1");
  const versioned = await from.query(
    "select table_name as name from information_schema.tables where table_schema = ? and table_type = 'SYSTEM VERSIONED'",
    [source],
  );
  return [...leftOut, ...versioned.map(({ name }) => `the history of ${name}`)];
}

/** Creates a database with another one's tables and views, without rows and indexes. */
export async function createPlain(from: Connection, database: string, to: string): Promise<void> {
  await from.query(`drop database if exists ${quoted(to)}; create database ${quoted(to)}`);
  for (const { name, sql, columns } of await tablesIn(from, database)) {
    const list = columns.map((one) => quoted(one.name)).join(", ");
    await from.query(`create table ${quoted(to)}.${quoted(name)} select ${list} from ${sql} limit 0`);
  }
  const names = await namesIn(from, database);
  await using(connectTo(from.source, to), (at) =>
    createViews(from, database, async (name) => {
      const [found] = await from.query(`show create view ${quoted(database)}.${quoted(name)}`);
      await at.query(movedTo(found["Create View"].replace(DEFINER, ""), database, to, names));
    }),
  ).catch(() => undefined);
}

/** Creates views in dependency order. */
async function createViews(
  { query }: Connection,
  database: string,
  create: (name: string) => Promise<void>,
): Promise<void> {
  let names: string[] = (
    await query("select table_name as name from information_schema.views where table_schema = ?", [database])
  ).map(({ name }) => name);
  while (names.length > 0) {
    const left: string[] = [];
    let first: unknown;
    for (const name of names)
      await create(name).catch((error) => {
        first ??= error;
        left.push(name);
      });
    if (left.length === names.length) throw first;
    names = left;
  }
}

const DEFINER = /\bdefiner\s*=\s*(?:`(?:[^`]|``)*`|\S+?)(?:@(?:`(?:[^`]|``)*`|\S+))?/i;

/** The names of all objects in a database that can be qualified with the database name. */
async function namesIn({ query }: Connection, database: string): Promise<Set<string>> {
  const all = await query(
    `select table_name as name from information_schema.tables where table_schema = ?
     union all select routine_name from information_schema.routines where routine_schema = ?`,
    [database, database],
  );
  return new Set(all.map(({ name }) => name.toLowerCase()));
}

/** Matches literals and comments, which contain no names, and two-part names. */
const TOKENS =
  /'(?:[^'\\]|''|\\[\s\S])*'|"(?:[^"\\]|""|\\[\s\S])*"|--\s[^\n]*|\/\*[^!M][\s\S]*?\*\/|(`(?:[^`]|``)+`|[\w$]+)(\s*\.\s*)(`(?:[^`]|``)+`|[\w$]+)/g;
const plain = (name: string): string =>
  name.startsWith("`") ? name.slice(1, -1).replaceAll("``", "`") : name;

/**
 * Rewrites names that are qualified with a database to refer to another one, because code often mentions its own
 * database.
 */
export const movedTo = (statement: string, from: string, to: string, names: ReadonlySet<string>): string =>
  statement.replaceAll(TOKENS, (all, database?: string, dot?: string, name?: string) =>
    database !== undefined && plain(database) === from && names.has(plain(name!).toLowerCase())
      ? `${quoted(to)}${dot}${name}`
      : all,
  );

const turnedOff = (event: string): string =>
  event.replace(/(\bon completion (?:not )?preserve) (?:enable|disable on (?:slave|replica))/i, "$1 DISABLE");
