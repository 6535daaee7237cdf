import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { onTestFinished, vi } from "vitest";
import { startCli } from "../support/built.ts";
import { folderOf } from "../support/cli.ts";
import { runWarmCli } from "../support/warm-cli.ts";
import { readEvent } from "./handlers.ts";
import { serveShop } from "./server.ts";

/** A command's messages, if the only one about a copy is the one that names the database. */
export const ONLY_NAMED = /^(?:(?!copy).)*works on a copy of (?:(?!copy).)*$/s;

/** Rows that would change if they were copied through JavaScript values. */
export const ROWS = `
  create table orders (reference text primary key, status text);
  create table notes (line text);
  create table odd (value);
  create virtual table found using fts5(line, content = 'notes');
  insert into orders values ('old-1', 'paid'), ('old-2', 'cancelled');
  insert into notes values ('one'), ('two'), ('three');
  delete from notes where line = 'two';
  insert into found (found) values ('rebuild');
  insert into odd values (cast(x'68c3e9ff' as text)), (9e999), (-9e999), (x'00ff'), (9007199254740993), (1.0), (null);`;

/** Each value as SQLite stores it, with its rowid and type. */
export const EVERYTHING = ["orders", "notes", "odd"].map(
  (name) =>
    [name, `select rowid as n, * , typeof(${name === "odd" ? "value" : "1"}) as t from ${name}`] as const,
);

export function everything(file: string) {
  const db = new Database(file, { readonly: true });
  try {
    return Object.fromEntries([
      ...EVERYTHING.map(([name, sql]) => [name, db.prepare(sql).safeIntegers().all()]),
      ["hex", db.prepare("select hex(cast(value as blob)) from odd").pluck().all()],
      ["found", db.prepare("select rowid, line from found where found match 'three'").all()],
    ]);
  } finally {
    db.close();
  }
}

/** A database with rows, and a shop in this process that sets its orders to paid and cancelled. */
export async function openShop() {
  const cwd = folderOf();
  const file = join(cwd, "shop.db");
  const db = new Database(file);
  onTestFinished(() => void db.close());
  db.pragma("journal_mode = wal");
  db.exec(ROWS);
  const pay = db.prepare("insert or replace into orders values (?, 'paid')");
  const cancel = db.prepare("insert or ignore into orders values (?, 'cancelled')");
  let handled = 0;
  const served = await serveShop({
    handler: async (request) => {
      const { type, order, isTest } = await readEvent(request);
      handled += 1;
      if (!isTest) (type === "payment.completed" ? pay : cancel).run(order);
      return new Response("OK");
    },
    reset: () => undefined,
    state: () => ({ orders: {}, revenue: 0 }),
  });
  const env = { XDG_STATE_HOME: join(cwd, "state") };
  vi.stubEnv("XDG_STATE_HOME", env.XDG_STATE_HOME);
  onTestFinished(() => void vi.unstubAllEnvs());
  const args = [
    ...["explore", served.url, "--secret", "whsec_test", "--in-place", "--state", "sqlite:shop.db"],
    ...["--story", "late-payment", "--deviations", "3"],
  ];
  return {
    ...{ cwd, file, db, env, args, before: everything(file) },
    handled: () => handled,
    /** The copies that trials have left behind. */
    left: () => [
      ...(existsSync(join(cwd, "state/sandglass/trials"))
        ? readdirSync(join(cwd, "state/sandglass/trials"))
        : []),
      ...readdirSync(cwd).filter((name) => name.includes(".sandglass")),
    ],
    explore: (...more: string[]) => runWarmCli([...args, ...more], { cwd, env }),
    start: (...more: string[]) => startCli([...args, ...more], { cwd, env }),
  };
}
