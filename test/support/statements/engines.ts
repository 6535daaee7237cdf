import { createRequire } from "node:module";
import { mysqlUrlAt } from "../../../src/trial/database/mysql/variable.ts";
import { urlAt as postgresUrlAt } from "../../../src/trial/database/postgres/variable.ts";
import type { DatabaseStatements } from "../../../src/trial/statements/statements.ts";
import type { Database, Drawn, Rows } from "./interleavings.ts";

const require = createRequire(import.meta.url);

export interface Opened extends Database {
  /** The process or thread of the database server that handles the connection. */
  pid: number;
  end(): Promise<void>;
}

/**
 * Facts about a database for generated handlers and the code that judges them. Values in SQL are written as `$1`.
 */
export interface Engine {
  open(url: string): Promise<Opened>;
  /** Starts a proxy in front of the database. */
  openStatements(url: string): Promise<DatabaseStatements>;
  urlAt(url: string, place: DatabaseStatements["place"]): string;
  prepare(database: Database, made: Drawn): Promise<unknown>;
  empty(database: Database): Promise<unknown>;
  readState(database: Database): Promise<Rows[number]>;
  /** SQL that locks an event by name, until the end of the transaction or until it is released. */
  lockEvent: string;
  releaseEvent?: string;
  isDuplicate(error: unknown): boolean;
  /** Whether a statement on a connection is waiting for a lock. */
  isBlocked(database: Database, pid: number): Promise<boolean>;
}

const EMPTY = ["delete from events", "update accounts set total = 0"];
const STATE = "select (select total from accounts) as total, (select count(*) from events) as events";
const inTurn = async (database: Database, statements: readonly string[]): Promise<void> => {
  for (const one of statements) await database.query(one);
};
const shared = {
  empty: (database: Database) => inTurn(database, EMPTY),
  async readState(database: Database): Promise<Rows[number]> {
    const [{ total, events } = {}] = await database.query(STATE);
    return { total: Number(total), events: Number(events) };
  },
};
const schemaOf = ({ isUnique }: Drawn, number: string, text: string): string[] => [
  "drop table if exists events, accounts",
  `create table events (number ${number} primary key, id ${text} ${isUnique ? "unique" : ""})`,
  "create table accounts (id int primary key, total int not null)",
  "insert into accounts values (1, 0)",
];

export const POSTGRES: Engine = {
  ...shared,
  async open(url) {
    const client = new (require("pg").Client)({ connectionString: url });
    // A connection that is lost between two statements emits an error here.
    client.on("error", () => undefined);
    await client.connect();
    const query: Database["query"] = async (sql, values) => (await client.query(sql, values)).rows;
    return { query, pid: client.processID, end: () => client.end() };
  },
  openStatements: async (url) =>
    (await import("../../../src/trial/statements/postgres/wire.ts")).openStatements(url),
  urlAt: (url, place) => postgresUrlAt(url, place)!,
  prepare: (database, made) => inTurn(database, schemaOf(made, "int generated always as identity", "text")),
  lockEvent: "select pg_advisory_xact_lock(hashtext($1))",
  isDuplicate: (error) => (error as { code?: string }).code === "23505",
  async isBlocked(database, pid) {
    const [row] = await database.query("select cardinality(pg_blocking_pids($1)) > 0 as yes", [pid]);
    return row!.yes === true;
  },
};

export const MARIADB: Engine = {
  ...shared,
  async open(url) {
    const client = await require("mysql2/promise").createConnection({ uri: url });
    client.on("error", () => undefined);
    const query: Database["query"] = async (sql, values) => {
      const [rows] = await client.query(sql.replaceAll(/\$\d/g, "?"), values);
      return rows;
    };
    return { query, pid: client.threadId, end: () => client.end() };
  },
  openStatements: async (url) =>
    (await import("../../../src/trial/statements/mysql/wire.ts")).openStatements(url),
  urlAt: (url, place) => mysqlUrlAt(url, place)!,
  prepare: (database, made) => inTurn(database, schemaOf(made, "int auto_increment", "varchar(99)")),
  lockEvent: "select get_lock($1, 10)",
  releaseEvent: "select release_lock($1)",
  isDuplicate: (error) => (error as { errno?: number }).errno === 1062,
  async isBlocked(database, pid) {
    const [row] = await database.query("select state from information_schema.processlist where id = $1", [
      pid,
    ]);
    if (/lock/i.test(String(row?.state))) return true;
    const [{ Status: status } = {}] = await database.query("show engine innodb status");
    return new RegExp(`^LOCK WAIT.*\\n(?:MariaDB|MySQL) thread id ${pid},`, "m").test(String(status));
  },
};
