import { createRequire } from "node:module";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import Database from "better-sqlite3";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { check } from "../../src/index.ts";
import { type ReadEvent, readEvent } from "../explore/handlers.ts";
import { serveShop } from "../explore/server.ts";
import { startCli } from "../support/built.ts";
import { folderOf } from "../support/cli.ts";
import { hasPostgres, type PostgresServer, startPostgres } from "../support/postgres.ts";
import { runWarmCli } from "../support/warm-cli.ts";
import { verdictsOf } from "./support/try.ts";

type Query = (text: string) => Promise<Record<string, unknown>[]>;

const ROWS = (id: string) => `
  create table orders (id ${id}, event text, status text);
  create table handled (event text primary key);
  create table stats (name text primary key, orders int, at bigint);
  create table notes (line text);
  create table refunds (line text);
  insert into orders (event, status) values ('old', 'paid');
  insert into stats values ('all', 1, 1);
  insert into notes values ('one'), ('two');`;

/** A handler that checks whether an event was handled, does the work, and only then records the event. */
const racy =
  (query: Query) =>
  async ({ key, type }: ReadEvent) => {
    if ((await query(`select 1 from handled where event = '${key}'`)).length > 0) return;
    await sleep(20);
    await query(`insert into orders (event, status) values ('${key}', '${type}')`);
    await query(`insert into handled values ('${key}') on conflict do nothing`);
  };

/** A handler that relies on a unique index. */
const unique =
  (query: Query) =>
  async ({ key, type }: ReadEvent) => {
    const added = await query(`insert into handled values ('${key}') on conflict do nothing returning event`);
    if (added.length === 0) return;
    await query(`insert into orders (event, status) values ('${key}', '${type}')`);
    await query(`update stats set orders = orders + 1, at = at + 1`);
    if (type === "payment.failed") await query(`insert into refunds values ('${key}')`);
  };

/** A handler that stores each event once, with the time at which its row was last written. */
const upserting =
  (query: Query) =>
  ({ key }: ReadEvent) =>
    query(
      `insert into stats values ('${key}', 1, '${Date.now()}') on conflict (name) do update set at = excluded.at`,
    );

describe.each(["SQLite", "Postgres"])("a handler with its state in %s", (kind) => {
  let server: PostgresServer | undefined;
  let count = 0;
  beforeAll(async () => {
    if (kind === "Postgres" && hasPostgres()) server = await startPostgres();
  });
  afterAll(() => server?.close());

  /** Creates a database with rows, and returns its location. */
  async function openDatabase(cwd: string): Promise<{ state: string; query: Query }> {
    if (server) {
      count += 1;
      const state = server.url.replace(/\/postgres$/, `/shop_${count}`);
      await server.query(`create database shop_${count}`);
      const { Pool } = createRequire(import.meta.url)("pg");
      const pool = new Pool({ connectionString: state });
      pool.on("error", () => undefined);
      onTestFinished(() => pool.end());
      await pool.query(ROWS("serial primary key"));
      return { state, query: async (text) => (await pool.query(text)).rows };
    }
    const file = join(cwd, "shop.db");
    const db = new Database(file);
    onTestFinished(() => void db.close());
    db.exec(ROWS("integer primary key"));
    return {
      state: `sqlite:${file}`,
      async query(text) {
        const statement = db.prepare(text);
        if (statement.reader) return statement.all() as Record<string, unknown>[];
        statement.run();
        return [];
      },
    };
  }

  async function openShop(handle: (query: Query) => (event: ReadEvent) => unknown) {
    const cwd = folderOf();
    const { state, query } = await openDatabase(cwd);
    const take = handle(query);
    let handled = 0;
    let limit = Number.POSITIVE_INFINITY;
    let goOn: (() => void) | undefined;
    const { url } = await serveShop({
      async handler(request) {
        if (request.headers.get("x-platform-signature") === null) return new Response(null, { status: 401 });
        const event = await readEvent(request).catch(() => undefined);
        if (handled >= limit)
          await new Promise<void>((resolve) => {
            goOn = resolve;
          });
        goOn = undefined;
        if (event && !event.isTest) await take(event);
        handled += 1;
        return new Response();
      },
      reset: () => undefined,
      state: () => ({ orders: {}, revenue: 0 }),
    });
    const everything = async () =>
      Object.fromEntries(
        await Promise.all(
          ["orders", "handled", "stats", "notes", "refunds"].map(async (name) => [
            name,
            await query(`select * from ${name} order by 1`),
          ]),
        ),
      );
    const options = { cwd: server?.project ?? cwd, env: { XDG_STATE_HOME: join(cwd, "state") } };
    const known = ["check", url, "--secret", "whsec_test", "--in-place", "--state", state];
    return {
      ...{ url, state, query, everything, before: await everything() },
      /**
       * Lets a given number of requests through and holds back the next one. Resolves when that request has arrived.
       */
      async holdAfter(requests: number) {
        limit = requests;
        goOn?.();
        await expect.poll(() => goOn && handled).toBe(requests);
      },
      release() {
        limit = Number.POSITIVE_INFINITY;
      },
      check: (only: string[]) => check({ subscriber: url, state, inPlace: true, only }),
      start: (only: string) => startCli([...known, "--only", only], options),
      run: (only: string) => runWarmCli([...known, "--only", only], options),
      restore: () => runWarmCli(["explore", "--restore", "--state", state], options),
    };
  }

  const runs = it.runIf(kind === "SQLite" || hasPostgres());

  runs("shows what is handled twice by its rows, and has those of before in the end", async () => {
    const only = ["duplicate", "duplicate-at-once", "other-events"];
    const shop = await openShop(unique);
    const clean = await shop.check(only);
    expect(verdictsOf(clean)).toEqual({});
    expect(clean.hazards.find(({ name }) => name === "duplicate-at-once")!.summary).toContain(
      "its state shows that each of 5 events was handled once",
    );
    expect(await shop.everything()).toEqual(shop.before);

    const other = await openShop(racy);
    expect(verdictsOf(await other.check(only))).toEqual({ fail: ["duplicate-at-once"] });
    expect(await other.everything()).toEqual(other.before);

    const renewing = await openShop(upserting);
    expect(verdictsOf(await renewing.check(["duplicate", "late-retry"]))).toEqual({});
  });

  runs("leaves the rows to the user if they changed after a kill, and restores them on request", async () => {
    const shop = await openShop(unique);
    const killed = shop.start("duplicate,unicode,crlf,extra-fields,old-event");
    await shop.holdAfter(7);
    killed.kill("SIGKILL");
    await killed.ended;
    await shop.query("insert into notes values ('of another program')");
    shop.release();
    expect(await shop.run("unicode")).toMatchObject({
      code: 3,
      stderr: expect.stringMatching(/was interrupted, .*notes[\s\S]*--restore/),
    });
    await shop.restore();
    expect(await shop.everything()).toEqual(shop.before);
    expect(await shop.run("unicode")).toMatchObject({ code: 0, stderr: "" });
    expect(await shop.everything()).toEqual(shop.before);
  });
});
