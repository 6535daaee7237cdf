import { createRequire } from "node:module";
import { join } from "node:path";
import { SandboxError } from "../errors/errors.ts";
import { withoutPasswords } from "../runtime/redact.ts";
import type { Json } from "./state.ts";
import { BUSY_MS, checkTables, MOST_ROWS, type Tables, tooManyRows } from "./tables.ts";

/** The part of the package pg that is used here. */
interface Client {
  connect(): Promise<void>;
  // biome-ignore lint/suspicious/noExplicitAny: rows are as their queries say
  query(text: string, values?: readonly unknown[]): Promise<{ rows: any[] }>;
  on(event: "error", listener: () => void): void;
  end(): Promise<void>;
}

interface Table {
  name: string;
  /** With its schema, as SQL takes it. */
  sql: string;
  /** What its rows are read from: it alone, unless it has partitions. */
  from: string;
  /** The columns that can be written, as SQL takes them. */
  columns: string;
}

interface Kept {
  rows: Map<string, string[]>;
  /** The query that takes the sequences back; empty without any. */
  sequences: string;
}

/**
 * Opens a schema of a subscriber's Postgres database, with the package pg of the user's project.
 * @param address a `postgres://` URL; `?schema=` names the schema, by default the first of the search path
 * @param only the tables to read and put back; all without it
 * @throws SandboxError `bad_request` without pg or a URL, `unreachable`, `not_found` for a table that is not there
 */
export async function openPostgres(address: string, only?: readonly string[]): Promise<Tables> {
  if (!URL.canParse(address))
    throw new SandboxError(
      "bad_request",
      `${withoutPasswords(address)} is not the URL of a database.`,
      "For example --state postgres://shop:password@localhost:5432/shop",
    );
  const shown = withoutPasswords(address);
  const client: Client = new (loadPg().Client)({ connectionString: address });
  // A connection that is lost fails the next query, too.
  client.on("error", () => undefined);
  let schema = new URL(address).searchParams.get("schema");
  let kept: Kept | undefined;
  let last: Promise<unknown> = Promise.resolve();

  /** Does one thing after another on the connection, also where nothing waits for an earlier one any more. */
  function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = last.then(work).catch((error) => {
      throw named(error);
    });
    last = result.catch(() => undefined);
    return result;
  }

  function named(error: unknown): unknown {
    if (error instanceof SandboxError) return error;
    const { code, message } = error as { code?: string; message: string };
    return new SandboxError(
      code === "55P03" ? "invalid_state" : "unreachable",
      `The database ${shown} cannot be used: ${message || code}.`,
      code === "55P03"
        ? `Another program held it for ${BUSY_MS / 1000} s: let your server end its transactions.`
        : "Name the database that your server uses: --state postgres://user:password@host:port/database",
    );
  }

  const query = async (text: string, values?: readonly unknown[]) => (await client.query(text, values)).rows;

  async function listTables(): Promise<Table[]> {
    const rows = await query(
      `select relname as name, relkind = 'p' as partitioned, array(
         select quote_ident(attname) from pg_attribute
         where attrelid = c.oid and attnum > 0 and not attisdropped and attgenerated = '' order by attnum
       ) as columns
       from pg_class c where relnamespace = $1::regnamespace and relkind in ('r', 'p') and not relispartition`,
      [quoted(schema!)],
    );
    return rows.map(({ name, partitioned, columns }) => {
      const sql = `${quoted(schema!)}.${quoted(name)}`;
      return { name, sql, from: partitioned ? sql : `only ${sql}`, columns: columns.join(", ") };
    });
  }

  const chosen = async (): Promise<Table[]> =>
    (await listTables()).filter(({ name }) => only?.includes(name) ?? true);

  /** All rows at one instant, in the order in which they were written. @param as how a row `t` is read */
  async function rowsOf(tables: readonly Table[], as: string): Promise<Map<string, string[]>> {
    if (tables.length === 0) return new Map();
    const parts = tables.map(
      ({ name, from }) =>
        `select ${literal(name)} as name, array(select ${as} from ${from} t order by xmin::text::bigint, ctid limit ${MOST_ROWS + 1}) as rows`,
    );
    let count = 0;
    const all = await query(parts.join(" union all "));
    for (const { name, rows } of all) {
      count += rows.length;
      if (count > MOST_ROWS) throw tooManyRows(shown, name);
    }
    return new Map(all.map(({ name, rows }) => [name, rows]));
  }

  /** What takes the sequences back: those of the chosen tables, or all of the schema. */
  async function keepSequences(): Promise<string> {
    const names = await query(
      `select format('%I.%I', $1::text, relname) as sql from pg_class s
       where relkind = 'S' and relnamespace = quote_ident($1)::regnamespace and ($2::text[] is null or exists (
         select 1 from pg_depend d join pg_class t on t.oid = d.refobjid
         where d.objid = s.oid and d.deptype in ('a', 'i') and t.relname = any($2)))`,
      [schema, only ?? null],
    );
    if (names.length === 0) return "";
    const each = names.map(
      ({ sql }) => `select ${literal(sql)} as sql, last_value::text, is_called from ${sql}`,
    );
    const states = await query(each.join(" union all "));
    return `select ${states.map(({ sql, last_value, is_called }) => `setval(${literal(sql)}, ${last_value}, ${is_called})`).join(", ")}`;
  }

  async function writeBack({ rows: before, sequences }: Kept): Promise<void> {
    const tables = await chosen();
    const now = await rowsOf(tables, "t::text");
    for (const { name, sql, from, columns } of tables) {
      const rows = before.get(name) ?? [];
      if (isSame(rows, now.get(name)!)) continue;
      await query(`delete from ${from}`);
      if (rows.length > 0)
        await query(
          `insert into ${sql} (${columns}) overriding system value select ${columns} from unnest($1::${sql}[])`,
          [rows],
        );
    }
    if (sequences !== "") await query(sequences);
  }

  /** In one transaction, without the triggers and the foreign keys that changes cause. */
  async function putBack(): Promise<void> {
    await query(`begin; set local lock_timeout = ${BUSY_MS}`);
    try {
      await query("set local session_replication_role = replica").catch((error) => {
        throw mayNot(error);
      });
      if (kept) await writeBack(kept);
      else kept = { rows: await rowsOf(await chosen(), "t::text"), sequences: await keepSequences() };
      await query("commit");
    } catch (error) {
      await query("rollback");
      throw error;
    }
  }

  const mayNot = (error: { code?: string }) =>
    error.code === "42501"
      ? new SandboxError(
          "invalid_state",
          `The user of ${shown} may not put rows back without causing triggers and checks of foreign keys.`,
          "Connect as a superuser of your test database, let one run: grant set on parameter session_replication_role to <user> (Postgres 15 and later), or name a --reset.",
        )
      : error;

  const end = () => client.end().catch(() => undefined);
  try {
    await inTurn(async () => {
      await client.connect();
      schema ??= (await query("select current_schema() as schema"))[0].schema as string;
      checkTables(
        shown,
        (await listTables()).map(({ name }) => name),
        only,
      );
    });
  } catch (error) {
    await end();
    throw error;
  }
  return {
    read: () =>
      inTurn(async () => {
        const tables = await rowsOf(await chosen(), "row_to_json(t)::text");
        return Object.fromEntries([...tables].map(([name, rows]) => [name, rows.map(asJson)]));
      }),
    putBack: () => inTurn(putBack),
    async close() {
      // The server may hold it, or have removed its tables: then they stay as they are.
      if (kept) await inTurn(putBack).catch(() => undefined);
      await end();
    },
  };
}

/** @throws SandboxError `bad_request` if the user has not installed it */
function loadPg(): { Client: new (options: { connectionString: string }) => Client } {
  try {
    return createRequire(join(process.cwd(), "sandglass.js"))("pg");
  } catch (error) {
    throw new SandboxError(
      "bad_request",
      `A state in Postgres is read with the package pg, which cannot be loaded from ${process.cwd()}: ${(error as Error).message.split("\n")[0]}.`,
      "Install it beside your server: npm install --save-dev pg",
    );
  }
}

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;
const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`;

const isSame = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && [...one].sort().join("\n") === [...other].sort().join("\n");

/** A row; a whole number that a number cannot hold is text. */
function asJson(row: string): Json {
  const exact = (_key: string, value: unknown, { source }: { source?: string } = {}) =>
    Number.isInteger(value) && !Number.isSafeInteger(value) ? source : value;
  return JSON.parse(row, exact as Parameters<typeof JSON.parse>[1]);
}
