import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import Database from "better-sqlite3";
import { closePlan, openPlan } from "../../src/cli/explore/workers.ts";
import { readSubject } from "../../src/cli/trial/subject.ts";
import { serve } from "../../src/server/serve.ts";
import { createFitting } from "../../src/trial/fitting/fitting.ts";
import { folderOf } from "../support/cli.ts";
import { ROOT } from "../support/docs.ts";
import { portOfItsOwn } from "../support/ports.ts";

const SERVER = fileURLToPath(new URL("../support/found/server.mjs", import.meta.url));

/** The tables of a shop whose rows belong to other events than Stripe's examples. */
export const TABLES = `
  create table users (id integer primary key, stripe_customer_id text unique, email text, plan text, last_payment text, deleted_at text);
  insert into users values (1, null, 'bob@example.com', 'free', null, null), (2, 'cus_GONE', 'eve@example.com', 'free', null, '2020-01-01'),
    (3, 'cus_PxYz', 'ada@example.com', 'free', 'pi_OLD1', null);
  create table accounts (id integer primary key, email text not null unique, plan text);
  insert into accounts values (7, 'ada@example.com', 'free');
  create table orders (id integer primary key, payment_intent text unique, status text, user_id int);
  insert into orders values (100, 'pi_OLD1', 'paid', 3), (101, 'pi_OLD2', 'pending', 3);
  create table purchases (id integer primary key, payment_intent text unique, status text);
  insert into purchases values (200, 'pi_OLD1', 'paid'), (201, 'pi_OLD2', 'pending');
  create table products (id integer primary key, price text unique, credits int, name text, sold int);
  insert into products values (41, 'price_PRO', 500, 'Professional', 0);
  create table processed (event_id text primary key, payment_intent text, hits int);
  insert into processed values ('evt_OLD', 'pi_OLD1', 1);
  create table subscriptions (id integer primary key, customer text, status text);
  insert into subscriptions values (1, 'cus_PxYz', 'active');
  create table organizations (id integer primary key, clerk_id text unique, name text, members int);
  insert into organizations values (1, 'org_PxYz', 'Acme', 0);
  create table empty_users (id integer primary key, stripe_customer_id text);
  create table new_users (id integer primary key, stripe_customer_id text unique, plan text);
  insert into new_users values (1, null, 'free'), (2, null, 'free');`;

export interface FoundIn {
  /** The location of the shop's tables: `sqlite:` and a path, or a Postgres URL. */
  state: string;
  driver?: string;
  /** The folder from which the server loads its packages. */
  project?: string;
  /** Whether the server's SQLite statements are hidden, as those of other languages are. */
  isUnseen?: boolean;
}

/** Creates a new SQLite file with the tables of a shop. */
export function shopFile(): string {
  const file = join(folderOf(), "shop.db");
  new Database(file).exec(TABLES).close();
  return file;
}

/**
 * The command that starts a handler. The handler is either the body of a function that gets an event and a database, or
 * a whole module.
 */
export function startOf(
  handler: string,
  { driver = "better-sqlite3", project = `${ROOT}package.json`, isUnseen = false }: Partial<FoundIn> = {},
): string {
  const file = join(folderOf(), "handler.mjs");
  const isModule = handler.includes("export default");
  writeFileSync(
    file,
    isModule ? handler : `export default async ({ id, type, object, event }, db) => {${handler}}`,
  );
  return `exec ${isUnseen ? "env -u NODE_OPTIONS " : ""}${process.execPath} ${SERVER} ${driver} ${file} ${project}`;
}

/** Returns the text in which a trial reports the rows that it found for a handler's lookups. */
export const findRows = (handler: string, where: FoundIn, flags: { sender?: string; story?: string } = {}) =>
  findRowsOf(startOf(handler, where), where.state, flags);

/** @param start the command that starts the handler */
export async function findRowsOf(start: string, state: string, flags: { sender?: string; story?: string }) {
  const facts = await readSubject("explore", `127.0.0.1:${await portOfItsOwn()}`, {
    ...{ state, start, secret: "whsec_test", sender: "stripe" },
    ...flags,
  });
  const plan = await openPlan(facts, undefined);
  const { subject, stories, timeout, secret, settings } = plan;
  let words: readonly string[] = [];
  try {
    await createFitting({
      ...{
        subject,
        stories,
        timeout,
        secret,
        settings,
        serve,
        seed: "explore",
        ignore: [],
        deviations: 1,
        budget: 60_000,
      },
      onFound: (found) => {
        words = found;
      },
    })?.find();
    return words;
  } finally {
    await closePlan(plan);
  }
}
