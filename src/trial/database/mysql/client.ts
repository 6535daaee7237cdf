import { invalidState, SandboxError } from "../../../errors/errors.ts";
import { withoutPasswords } from "../../../runtime/redact.ts";
import { isUntrusted } from "../../../runtime/trusted.ts";
import { createTurns, type Dialect } from "../dialect.ts";
import { BUSY_MS, Locked } from "../limits.ts";
import { type MysqlAddress, readAddress } from "./address.ts";

/** Converts a raw value from the server. */
type Cast = (field: { string(): string | null; buffer(): Buffer | null }) => unknown;

/** A connection that runs work in sequence, even if nothing awaits the earlier work. */
export interface Connection extends Pick<Dialect, "inTurn" | "end"> {
  /** The database URL, with and without its password. */
  source: string;
  shown: string;
  address: MysqlAddress;
  isMariaDb: boolean;
  query(
    text: string,
    values?: readonly unknown[],
    cast?: Cast,
  ): // biome-ignore lint/suspicious/noExplicitAny: rows are as their queries say
  Promise<any[]>;
  /** Runs a prepared statement, as a server that binds values would. */
  execute(
    text: string,
    values: readonly unknown[],
  ): // biome-ignore lint/suspicious/noExplicitAny: rows are as their queries say
  Promise<any[]>;
  transaction<Result>(work: () => Promise<Result>): Promise<Result>;
}

/** The ids of this process's connections, which distinguish them from those of other programs. */
export const OWN_CONNECTIONS = new Set<number>();

export const quoted = (name: string): string => `\`${name.replaceAll("`", "``")}\``;
/** An SQL string literal. It assumes backslash escapes, which are always on in our sessions. */
export const literal = (text: string): string => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;

/**
 * Makes rows read as the same text on every connection, and allows copying rows that strict modes reject, such as zero
 * dates.
 */
const SESSION = {
  sql_mode: "'NO_AUTO_VALUE_ON_ZERO'",
  time_zone: "'+00:00'",
  innodb_lock_wait_timeout: BUSY_MS / 1000,
  lock_wait_timeout: BUSY_MS / 1000,
  group_concat_max_len: 1_000_000,
  sql_safe_updates: 0,
  sql_quote_show_create: 1,
  unique_checks: 1,
  wait_timeout: 86_400,
};
const OF_MARIADB = {
  check_constraint_checks: 0,
  max_statement_time: 0,
  system_versioning_alter_history: "'KEEP'",
};
const OF_MYSQL = { information_schema_stats_expiry: 0, max_execution_time: 0 };

/** Connects to a database server. @param database the default database; by default, the one in the URL */
export async function connectTo(source: string, database?: string): Promise<Connection> {
  const shown = withoutPasswords(source);
  const address = readAddress(source);
  const { user, password, place, tls } = address;
  const { createConnection } = (await import("mysql2")).default;
  const client = createConnection({
    ...{ user, password, database: database ?? address.database, charset: "utf8mb4_bin" },
    ...("path" in place ? { socketPath: place.path } : place),
    ...(tls && { ssl: tls as { rejectUnauthorized?: boolean } }),
    ...{ supportBigNumbers: true, dateStrings: true, multipleStatements: true, connectTimeout: BUSY_MS },
  });
  // Ignore a lost connection here: the next query fails, too.
  client.on("error", () => undefined);
  const run = (how: "query" | "execute", text: string, values: readonly unknown[] = [], cast?: Cast) =>
    // biome-ignore lint/suspicious/noExplicitAny: the type of a row depends on its query
    new Promise<any[]>((resolve, reject) => {
      const options = { sql: text, values: [...values], ...(cast && { typeCast: cast }) };
      client[how](options as Parameters<typeof client.query>[0], (error: unknown, rows: unknown) =>
        error ? reject(error) : resolve(Array.isArray(rows) ? rows : []),
      );
    });
  const connection: Connection = {
    ...{ source, shown, address, isMariaDb: false },
    query: (text, values, cast) => run("query", text, values, cast),
    execute: (text, values) => run("execute", text, values),
    async transaction(work) {
      try {
        await connection.query("start transaction");
        const result = await work();
        await connection.query("commit");
        return result;
      } catch (error) {
        await connection.query("rollback").catch(() => undefined);
        throw error;
      }
    },
    inTurn: createTurns((error) => named(error, shown)),
    end: () => new Promise((resolve) => client.end(() => resolve())),
  };
  try {
    await connection.inTurn(async () => {
      await new Promise<void>((resolve, reject) =>
        client.connect((error) => (error ? reject(error) : resolve())),
      );
      const [{ version, id }] = await connection.query("select version() as version, connection_id() as id");
      connection.isMariaDb = /mariadb/i.test(version);
      OWN_CONNECTIONS.add(Number(id));
      const wanted = { ...SESSION, ...(connection.isMariaDb ? OF_MARIADB : OF_MYSQL) };
      // Older servers lack some of these variables.
      const there = await connection.query("show session variables where variable_name in (?)", [
        Object.keys(wanted),
      ]);
      const set = Object.entries(wanted).filter(([name]) => there.some((one) => one.Variable_name === name));
      await connection.query(
        `set ${set.map(([name, value]) => `session ${name} = ${value}`).join(", ")}; set session transaction isolation level repeatable read`,
      );
    });
    return connection;
  } catch (error) {
    client.destroy();
    throw error;
  }
}

const [WAITED, DEADLOCK, CHANGED] = [1205, 1213, 1020];

export const numberOf = (error: unknown): number | undefined => (error as { errno?: number }).errno;
export const isBusy = (error: unknown): boolean => numberOf(error) === WAITED;
/** Whether the transaction may succeed if it is repeated. */
const isConflict = (error: unknown): boolean => [DEADLOCK, CHANGED].includes(numberOf(error) ?? 0);

/** How many times to try a transaction that conflicts with others. */
const TRIES = 5;

/** Retries work that conflicts with another transaction: a server that keeps working may lock tables in another order. */
export async function repeated<Result>(work: () => Promise<Result>, tries = 1): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!isConflict(error) || tries === TRIES) throw error;
    return repeated(work, tries + 1);
  }
}

/** Error numbers for denied access to databases, tables, columns, routines and privileges. */
const DENIED = [1044, 1142, 1143, 1227, 1370, 1410, 1419, 1698];
export const isDenied = (error: unknown): boolean => DENIED.includes(numberOf(error) ?? 0);

export function named(error: unknown, shown: string): unknown {
  if (error instanceof SandboxError) return error;
  const { message, code } = error as { message: string; code?: string };
  if (isDenied(error))
    return invalidState(
      `The database user of ${shown} does not have a permission that a trial needs: ${message}.`,
      "Connect as a user with permission to read and write all rows and create triggers, such as a test database's owner.",
    );
  if (isBusy(error)) return new Locked(shown, message || String(code));
  return new SandboxError(
    "unreachable",
    `The database ${shown} cannot be used: ${message || code}.`,
    hintFor(code, message),
  );
}

function hintFor(code = "", message = ""): string {
  if (isUntrusted(code))
    return "In the database's URL, set ssl-mode=VERIFY_IDENTITY and ssl-ca=ca.pem, the CA file for its certificate. For a test database, ssl-mode=REQUIRED is enough.";
  if (/secure transport|SSL|TLS/i.test(message))
    return "If the database only accepts encrypted connections, set ssl-mode=REQUIRED in its URL.";
  if (/AUTH_SWITCH|auth.*plugin/i.test(`${code} ${message}`))
    return "Use a user with mysql_native_password or caching_sha2_password for your test database.";
  return "Pass the address of the database that your server uses: --state mysql://user:password@host:port/database";
}
