import { spawnSync } from "node:child_process";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import type { SubjectFlags } from "../../../../src/cli/trial/subject.ts";
import type { Survey } from "../../../../src/trial/schedules/exploration.ts";
import type { MariadbServer } from "../../mariadb.ts";
import { exploreAt } from "../explore.ts";
import { ORM_KINDS, WORKERS } from "../shop.ts";

export { ORM_KINDS, WORKERS };

/** The kinds in kinds.mjs that have a bug. */
export const WRONG = [
  "look-then-insert",
  "look-then-insert-in-transaction",
  "id-first",
  "mail-before-id",
  "swallowed-error",
  "insert-if-absent-read-committed",
  "lost-update",
  "answer-first",
  "ids-in-memory",
  "job-taken-twice",
] as const;

export const CORRECT = [
  "unique-index",
  "for-update",
  "insert-ignore",
  "on-duplicate-key",
  "get-lock",
  ...WORKERS,
  "serializable",
  "mutex",
  "parallel",
  "opposite-locks",
  "insert-if-absent",
  "upserts",
] as const;

export type Kind = (typeof WRONG)[number] | (typeof CORRECT)[number];

/** The drivers for all kinds: SQL that contains the values, and prepared statements of two drivers. */
export const DRIVERS = ["mysql2", "mysql2-prepared", "mariadb"] as const;

const WITHOUT_UNIQUE: readonly Kind[] = [
  "look-then-insert",
  "look-then-insert-in-transaction",
  "insert-if-absent-read-committed",
  "insert-if-absent",
  "for-update",
  "get-lock",
  "serializable",
  "mutex",
];

const NUMBER = "number int auto_increment primary key";
const ACCOUNTS = `
  create table accounts (id int primary key, times int not null, total int not null);
  insert into accounts values (1, 0, 0), (2, 0, 0);`;
const PAYMENTS = `
  create table payments (id varchar(99) primary key, amount int not null);
  create table states (id varchar(99) primary key, state varchar(99) not null);`;
const MAILS = `create table mails (${NUMBER}, event varchar(99) not null);`;
const JOBS = `${MAILS} create table jobs (id varchar(99) primary key, done boolean not null);`;
const OUTBOX = `${MAILS} create table outbox (${NUMBER}, event varchar(99) not null);`;

const OWN_TABLES: Partial<Record<Kind, string>> = {
  ...{ "lost-update": ACCOUNTS, "for-update": ACCOUNTS, "opposite-locks": ACCOUNTS },
  ...{ parallel: PAYMENTS, upserts: PAYMENTS, "on-duplicate-key": PAYMENTS, "mail-before-id": MAILS },
  ...{ "job-taken-twice": JOBS, "queue-polled": JOBS, outbox: OUTBOX, "outbox-polled": OUTBOX },
};

/** The tables that a handler of this kind uses. */
export const schemaOf = (kind: Kind): string => `
  create table events (${NUMBER}, id varchar(99), ${WITHOUT_UNIQUE.includes(kind) ? "index" : "unique"} (id));
  create table orders (id varchar(99) primary key, times int not null, total int not null);
  ${OWN_TABLES[kind] ?? ""}`;

const eventsOf = (kind: Kind): string =>
  ["lost-update", "opposite-locks"].includes(kind) ? "order.created,order.paid" : "order.paid";

/** Drivers for MySQL that only the extended tests use, besides mysql2 and mariadb. */
export const OTHER_DRIVERS = [
  ...["kysely", "knex", "drizzle", "typeorm", "sequelize", "prisma"],
  ...["pdo", "pdo-prepared", "mysqli", "pymysql", "mysqlclient", "go"],
] as const;

const fileOf = (name: string) => fileURLToPath(new URL(name, import.meta.url));
const works = (command: string, ...args: string[]): boolean => spawnSync(command, args).status === 0;
const [PYTHON, GO] = ["/usr/bin/python3", "/usr/share/gocode"];

/** Whether this machine has a driver. The ORMs are large, so `.ci/run` installs them in a folder that ORMS names. */
export function hasDriver(driver: string): boolean {
  if (driver.startsWith("pdo")) return works("php", "-r", "exit(extension_loaded('pdo_mysql') ? 0 : 1);");
  if (driver === "mysqli") return works("php", "-r", "exit(extension_loaded('mysqli') ? 0 : 1);");
  if (driver === "pymysql") return works(PYTHON, "-c", "import pymysql");
  if (driver === "mysqlclient") return works(PYTHON, "-c", "import MySQLdb");
  if (driver === "go")
    return works("go", "version") && works("ls", `${GO}/src/github.com/go-sql-driver/mysql`);
  return process.env.ORMS !== undefined;
}

/** The command that starts a handler. */
export function commandOf(kind: Kind, driver: string): string {
  if (/^(?:pdo|mysqli)/.test(driver))
    return `KIND=${kind} DRIVER=${driver} PHP_CLI_SERVER_WORKERS=4 exec php -S 127.0.0.1:$PORT ${fileOf("handler.php")}`;
  if (/^(?:pymysql|mysqlclient)$/.test(driver))
    return `exec ${PYTHON} ${fileOf("handler.py")} ${kind} ${driver}`;
  if (driver === "go")
    return `GO111MODULE=off GOPATH=${GO} GOFLAGS= exec go run ${fileOf("handler.go")} ${kind}`;
  return `exec ${process.execPath} ${fileOf("../handler.mjs")} ${kind} ${driver}`;
}

let count = 0;

/**
 * Creates a separate database for a handler.
 * @returns its URL
 */
export async function openDatabase(server: MariadbServer, kind: Kind): Promise<string> {
  count += 1;
  const url = await server.create(`handler_${process.pid}_${count}`);
  const { createConnection } = createRequire(import.meta.url)("mysql2/promise");
  const client = await createConnection({ uri: url, multipleStatements: true });
  await client.query(schemaOf(kind));
  await client.end();
  return url;
}

/** Explores a handler on its own database, like `explore --start`. */
export const exploreHandler = async (
  server: MariadbServer,
  { kind, driver, flags }: { kind: Kind; driver: string; flags?: SubjectFlags },
): Promise<Survey> =>
  exploreAt(await openDatabase(server, kind), commandOf(kind, driver), { events: eventsOf(kind), ...flags });
