import type { ConnectionOptions } from "node:tls";
import { invalidState, misuse, SandboxError } from "../../../errors/errors.ts";
import { withoutPasswords } from "../../../runtime/redact.ts";
import { isUntrusted } from "../../../runtime/trusted.ts";
import { createTurns, type Dialect } from "../dialect.ts";
import { BUSY_MS, Locked } from "../limits.ts";

interface Client {
  /** The TLS options, derived from the URL and the environment. The TLS key is not enumerable. */
  ssl: boolean | ConnectionOptions;
  connect(): Promise<void>;
  // biome-ignore lint/suspicious/noExplicitAny: the type of a row depends on its query
  query(text: string, values?: readonly unknown[]): Promise<any>;
  on(event: "error", listener: () => void): void;
  end(): Promise<void>;
}

/** A connection that runs work in sequence, even if nothing awaits the earlier work. */
export interface Connection extends Pick<Dialect, "inTurn" | "end"> {
  /** The database URL without its password. */
  shown: string;
  /** How the connection is encrypted; undefined if it is not encrypted. */
  tls: ConnectionOptions | undefined;
  query(
    text: string,
    values?: readonly unknown[],
  ): // biome-ignore lint/suspicious/noExplicitAny: rows are as their queries say
  Promise<any[]>;
  /** Runs work in one transaction. @param begin the statement that begins the transaction */
  transaction<Result>(begin: string, work: () => Promise<Result>): Promise<Result>;
}

export const OWN_NAME = "sandglass";

export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;
export const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** The schema in a URL; undefined if the search path applies. */
export const schemaIn = (address: string): string | undefined =>
  new URL(address).searchParams.get("schema") ?? undefined;

export const databaseIn = (address: string): string =>
  decodeURIComponent(new URL(address).pathname.slice(1)) || new URL(address).username || "postgres";

/** Connects to a database. @throws SandboxError `bad_request` for an invalid URL, `unreachable` */
export async function connectTo(address: string): Promise<Connection> {
  const shown = withoutPasswords(address);
  if (!URL.canParse(address))
    throw misuse(
      `${shown} is not a database URL.`,
      "For example: --state postgres://shop:password@localhost:5432/shop",
    );
  // @ts-expect-error pg ships no types; Client declares the parts used here.
  const { Client } = (await import("pg")).default;
  const client: Client = new Client({ connectionString: address, application_name: OWN_NAME });
  // Ignore a lost connection here: the next query fails, too.
  client.on("error", () => undefined);
  const { ssl } = client;
  const connection: Connection = {
    shown,
    tls: typeof ssl === "object" ? { ...ssl, key: ssl.key } : ssl ? {} : undefined,
    async query(text, values) {
      const result = await client.query(text, values);
      return (Array.isArray(result) ? result.at(-1) : result).rows;
    },
    async transaction(begin, work) {
      try {
        await connection.query(begin);
        const result = await work();
        await connection.query("commit");
        return result;
      } catch (error) {
        await connection.query("rollback").catch(() => undefined);
        throw error;
      }
    },
    inTurn: createTurns((error) => named(error, shown)),
    end: () => client.end().catch(() => undefined),
  };
  try {
    await connection.inTurn(async () => {
      await client.connect();
      // Makes row text exact and equal on every connection. JIT would take longer than the statements themselves.
      await connection.query(
        `set jit = off; set lock_timeout = ${BUSY_MS}; set extra_float_digits = 3; set datestyle = iso; set intervalstyle = postgres; set bytea_output = hex; set timezone = utc; set row_security = off`,
      );
    });
    return connection;
  } catch (error) {
    await connection.end();
    throw error;
  }
}

export const isBusy = (error: unknown): boolean => codeOf(error) === "55P03";
export const codeOf = (error: unknown): string | undefined => (error as { code?: string }).code ?? undefined;

export function named(error: unknown, shown: string): unknown {
  if (error instanceof SandboxError) return error;
  const { message } = error as { message: string };
  if (codeOf(error) === "42501")
    return invalidState(
      `The database user of ${shown} does not have a permission that a trial needs: ${message}.`,
      "Connect as a role with permission to read and write all rows, such as the tables' owner, or a superuser of a test database.",
    );
  if (isBusy(error)) return new Locked(shown, message || String(codeOf(error)));
  return new SandboxError(
    "unreachable",
    `The database ${shown} cannot be used: ${message || codeOf(error)}.`,
    hintFor(codeOf(error), message),
  );
}

function hintFor(code = "", message = ""): string {
  if (isUntrusted(code))
    return "In the database's URL, set sslmode=verify-full and sslrootcert=ca.pem, the CA file for its certificate. For a test database, sslmode=no-verify is enough.";
  if (/no encryption|SSL off/.test(message))
    return "If the database only accepts encrypted connections, set sslmode=verify-full in its URL, or sslmode=no-verify for a test database.";
  return "Pass the address of the database that your server uses: --state postgres://user:password@host:port/database";
}
