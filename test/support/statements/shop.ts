import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

/** The kinds in kinds.mjs that have a bug, including bugs that only schedules inside the handler reveal. */
export const WRONG = [
  "look-then-insert",
  "look-then-insert-in-transaction",
  "id-first",
  "mail-before-id",
  "swallowed-error",
  "insert-if-absent",
  "update-from-select",
  "lost-update",
  "answer-first",
  "ids-in-memory",
  "job-taken-twice",
] as const;

/** Correct kinds that continue to work after they have responded. */
export const WORKERS = ["outbox", "outbox-polled", "queue-polled"] as const;

export const CORRECT = [
  "unique-index",
  "for-update",
  "on-conflict",
  "advisory-lock",
  ...WORKERS,
  "serializable",
  "mutex",
  "one-statement",
  "parallel",
  "opposite-locks",
  "insert-if-absent-unique",
  "upserts",
] as const;

export type Kind = (typeof WRONG)[number] | (typeof CORRECT)[number];

/** The kinds to test with each ORM, written with its own calls. */
export const ORM_KINDS = { wrong: "look-then-insert-in-transaction", correct: "unique-index" } as const;

const WITHOUT_UNIQUE: readonly Kind[] = [
  "look-then-insert",
  "look-then-insert-in-transaction",
  "insert-if-absent",
  "for-update",
  "advisory-lock",
  "serializable",
  "mutex",
];

/**
 * The tables that all handlers use. An exploration reads all tables in each schedule, so a handler has only those that
 * it needs.
 */
const eventsFor = (kind: Kind): string => `
  create table events (
    number int generated always as identity primary key, id text ${WITHOUT_UNIQUE.includes(kind) ? "" : "unique"}
  );
  create table orders (id text primary key, times int not null, total int not null);`;

const ACCOUNTS = `
  create table accounts (id int primary key, times int not null, total int not null);
  insert into accounts values (1, 0, 0), (2, 0, 0);`;
const PAYMENTS = `
  create table payments (id text primary key, amount int not null);
  create table states (id text primary key, state text not null);`;
const MAILS =
  "create table mails (number int generated always as identity primary key, event text not null);";

const JOBS = `${MAILS} create table jobs (id text primary key, done boolean not null);`;
const OUTBOX = `${MAILS}
  create table outbox (number int generated always as identity primary key, event text not null);`;

const OWN_TABLES: Partial<Record<Kind, string>> = {
  ...{
    "lost-update": ACCOUNTS,
    "update-from-select": ACCOUNTS,
    "for-update": ACCOUNTS,
    "opposite-locks": ACCOUNTS,
  },
  ...{ parallel: PAYMENTS, upserts: PAYMENTS, "mail-before-id": MAILS },
  ...{ "job-taken-twice": JOBS, "queue-polled": JOBS, outbox: OUTBOX, "outbox-polled": OUTBOX },
};

/** The tables that a handler of this kind uses. */
export const schemaOf = (kind: Kind): string => `${eventsFor(kind)} ${OWN_TABLES[kind] ?? ""}`;

/**
 * The events to deliver. A single event is fastest; two concurrent events are needed if the handling of different
 * events can conflict.
 */
export const eventsOf = (kind: Kind): string =>
  ["lost-update", "update-from-select", "opposite-locks"].includes(kind)
    ? "order.created,order.paid"
    : "order.paid";

/** Finds a Python with psycopg2. The machine's own Python may have it even if another one comes first on the PATH. */
const findPython = (): string | undefined =>
  ["python3", "/usr/bin/python3"].find((python) => spawnSync(python, ["-c", "import psycopg2"]).status === 0);

/** Drivers for Postgres that only the extended tests use, besides pg and postgres. */
export const OTHER_DRIVERS = ["kysely", "drizzle", "typeorm", "sequelize", "prisma", "psycopg2"] as const;

/** Whether this machine has a driver. The ORMs are large, so `.ci/run` installs them in a folder that ORMS names. */
export const hasDriver = (driver: (typeof OTHER_DRIVERS)[number]): boolean =>
  driver === "psycopg2" ? findPython() !== undefined : process.env.ORMS !== undefined;

const fileOf = (name: string) => fileURLToPath(new URL(name, import.meta.url));

/** The command that starts a handler. */
export const commandOf = (kind: Kind, driver: string): string =>
  driver === "psycopg2"
    ? `exec ${findPython()} ${fileOf("handler.py")} ${kind}`
    : `exec ${process.execPath} ${fileOf("handler.mjs")} ${kind} ${driver}`;
