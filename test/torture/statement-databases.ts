import type { SubjectFlags } from "../../src/cli/trial/subject.ts";
import type { Survey } from "../../src/trial/schedules/exploration.ts";
import { hasMariadb, type MariadbServer, startMariadb } from "../support/mariadb.ts";
import { hasPostgres, type PostgresServer, startPostgres } from "../support/postgres.ts";
import { type Engine, MARIADB, POSTGRES } from "../support/statements/engines.ts";
import * as postgres from "../support/statements/explore.ts";
import * as mysql from "../support/statements/mysql/shop.ts";
import * as postgresShop from "../support/statements/shop.ts";

/** A kind of handler, and the driver that it uses. */
export interface Handler {
  kind: string;
  driver: string;
  flags?: SubjectFlags;
}

/** A database server, and the handlers to test on it. */
export interface TortureServer {
  name: string;
  engine: Engine;
  url: string;
  drivers: readonly string[];
  correct: readonly string[];
  workers: readonly string[];
  wrong: readonly string[];
  explore(handler: Handler): Promise<Survey>;
  /** Creates a database for a correct handler. */
  openDatabase(): Promise<{ url: string; start: string }>;
  dump(url: string): string;
  /** Whether a query finds any rows. */
  has(query: string): Promise<boolean>;
  /** Queries that find copies of databases, and connections to them. */
  queries: { copies: string; connections: string };
  /** Whether a connection to a copy has had an open transaction, but no running statement, for this long. */
  isHeld(ms: number): Promise<boolean>;
  close(): Promise<void>;
}

const has = async (server: PostgresServer | MariadbServer, query: string): Promise<boolean> =>
  (await server.query(query)).length > 0;

async function onPostgres(): Promise<TortureServer> {
  const server = await startPostgres();
  const copies = "datname like 'sandglass_trial_%'";
  return {
    ...{ name: "Postgres", engine: POSTGRES, url: server.url, drivers: ["pg", "postgres"] },
    ...{ correct: postgresShop.CORRECT, workers: postgresShop.WORKERS, wrong: postgresShop.WRONG },
    explore: (handler) =>
      postgres.exploreHandler(server, handler as Parameters<typeof postgres.exploreHandler>[1]),
    openDatabase: async () => ({
      url: await postgres.openDatabase(server, "on-conflict"),
      start: postgresShop.commandOf("on-conflict", "pg"),
    }),
    dump: (url) => server.dump(url, "none"),
    has: (query) => has(server, query),
    queries: {
      copies: `select 1 from pg_database where ${copies}`,
      connections: `select 1 from pg_stat_activity where ${copies}`,
    },
    isHeld: (ms) =>
      has(
        server,
        `select 1 from pg_stat_activity where ${copies} and state = 'idle in transaction' and state_change < clock_timestamp() - interval '${ms} ms'`,
      ),
    close: server.close,
  };
}

async function onMariadb(): Promise<TortureServer> {
  const server = await startMariadb("--max-connections=1000");
  const connections = "select id from information_schema.processlist where db like 'sandglass_trial_%'";
  return {
    ...{ name: "MariaDB", engine: MARIADB, url: server.url, drivers: ["mysql2", "mariadb"] },
    ...{ correct: mysql.CORRECT, workers: mysql.WORKERS, wrong: mysql.WRONG },
    explore: (handler) => mysql.exploreHandler(server, handler as Parameters<typeof mysql.exploreHandler>[1]),
    openDatabase: async () => ({
      url: await mysql.openDatabase(server, "insert-ignore"),
      start: mysql.commandOf("insert-ignore", "mysql2"),
    }),
    dump: server.dump,
    has: (query) => has(server, query),
    queries: {
      copies: "select 1 from information_schema.schemata where schema_name like 'sandglass_trial_%'",
      connections,
    },
    async isHeld(ms) {
      const idle = await server.query(`${connections} and command = 'Sleep' and time_ms > ${ms}`);
      // The data about transactions in information_schema is refreshed only if it was not read for 100 ms.
      const [{ Status: status } = {}] = await server.query("show engine innodb status");
      return idle.some(({ id }) => new RegExp(`, ACTIVE [^-]*thread id ${id},`).test(String(status)));
    },
    close: server.close,
  };
}

/** The possible values of `--database`. */
export const TORTURE_DATABASES = {
  postgres: { isThere: hasPostgres, start: onPostgres },
  mysql: { isThere: hasMariadb, start: onMariadb },
} as const;

export type TortureDatabase = keyof typeof TORTURE_DATABASES;
