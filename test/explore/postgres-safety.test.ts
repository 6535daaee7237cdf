import { existsSync, readdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openTables, workOn } from "../../src/trial/subject/tables.ts";
import { runBuiltCli, startCli } from "../support/built.ts";
import { configured, folderOf } from "../support/cli.ts";
import { ROOT } from "../support/docs.ts";
import { portOfItsOwn } from "../support/ports.ts";
import { hasPostgres, type PostgresServer, startPostgres } from "../support/postgres.ts";
import { readEvent } from "./handlers.ts";
import { serveShop } from "./server.ts";

const ROWS = `
  create table orders (reference text primary key, status text, at timestamptz default now());
  create table notes (id serial primary key, line text, number float8);
  create table plain (line text);
  create table bare ();
  insert into orders values ('old-1', 'paid'), ('old-2', 'cancelled');
  insert into notes (line, number) values ('one', 'infinity'), ('two', '0.1'), (null, 'nan');
  insert into plain values ('same'), ('same'), (null);
  insert into bare default values;`;

/** A server that stores orders in the database of a variable. */
const SERVER = (variable: string) => `
import { createServer } from "node:http";
import { createRequire } from "node:module";
const { Pool } = createRequire(${JSON.stringify(`${ROOT}package.json`)})("pg");
const pool = new Pool({ connectionString: process.env.${variable} ?? process.env.ORIGINAL });
pool.on("error", () => undefined);
createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const { event, data } = JSON.parse(Buffer.concat(chunks));
  const order = data.checkoutSession?.clientReferenceId ?? data.client_reference_id;
  if (!request.headers["x-platform-test"])
    await pool.query("insert into orders values ($1, $2) on conflict (reference) do update set status = excluded.status", [order, event]);
  response.end();
}).listen(Number(process.env.PORT), "127.0.0.1");
`;

describe.runIf(hasPostgres())("a user's Postgres database", { timeout: 60_000 }, () => {
  let server: PostgresServer;
  let count = 0;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.close());

  /** A database of its own, and a shop that stores orders there. */
  async function openShop() {
    count += 1;
    const name = `shop_${count}`;
    const url = server.url.replace(/\/postgres$/, `/${name}`);
    await server.query(`create database ${name}`);
    const query = async (text: string) => {
      const tables = await openClient(url);
      try {
        return await tables(text);
      } finally {
        await tables.end();
      }
    };
    await query(ROWS);
    const everything = () =>
      query(
        `select 'orders' as name, t::text as row from orders t union all select 'notes', t::text from notes t
         union all select 'plain', t::text from plain t union all select 'bare', t::text from bare t
         union all select 'next', last_value::text from notes_id_seq order by 1, 2`,
      );
    const cwd = folderOf({ "server.mjs": SERVER("DATABASE_URL"), "round.mjs": SERVER("NOTHING") });
    // It has pg, and no findings of another test.
    symlinkSync(join(server.project, "node_modules"), join(cwd, "node_modules"));
    const env = { XDG_STATE_HOME: join(cwd, "state"), NODE_PATH: "", ORIGINAL: url };
    let handled = 0;
    return {
      ...{ name, url, query, everything, cwd, env, before: await everything() },
      handled: () => handled,
      /** What trials have left on disk, and in the server. */
      left: async () => [
        ...(existsSync(join(cwd, "state/sandglass/trials"))
          ? readdirSync(join(cwd, "state/sandglass/trials"))
          : []),
        ...(await server.query("select datname from pg_database where datname like 'sandglass%'")),
        ...(await query("select nspname from pg_namespace where nspname like 'sandglass%'")),
      ],
      /** Explores a server that the command starts. */
      async starting(file: string, state = url, ...more: string[]) {
        const port = await portOfItsOwn();
        return startCli(
          [
            ...["explore", `127.0.0.1:${port}`, "--secret", "whsec_test", "--story", "late-payment"],
            ...["--start", `node ${join(cwd, file)}`, "--state", state, "--deviations", "1", ...more],
          ],
          { cwd, env },
        );
      },
      /** Explores a shop that is served by this process. */
      async serving(deviations: string) {
        const { Pool } = await pg();
        const pool = new Pool({ connectionString: url });
        const { url: address, close } = await serveShop({
          handler: async (request) => {
            const { type, order, isTest } = await readEvent(request);
            handled += 1;
            const kept = type === "payment.completed" ? "do update set status = 'paid'" : "do nothing";
            const status = type === "payment.completed" ? "paid" : "cancelled";
            if (!isTest)
              await pool.query(
                `insert into orders values ('${order}', '${status}') on conflict (reference) ${kept}`,
              );
            return new Response("OK");
          },
          reset: () => undefined,
          state: () => ({ orders: {}, revenue: 0 }),
        });
        const args = [
          "explore",
          address,
          "--secret",
          "whsec_test",
          "--story",
          "late-payment",
          "--state",
          url,
        ];
        return {
          cli: startCli([...args, "--deviations", deviations], { cwd, env }),
          async end() {
            close();
            await pool.end();
          },
        };
      },
    };
  }

  const pg = async () => (await import("node:module")).createRequire(import.meta.url)("pg");
  async function openClient(connectionString: string) {
    const { Client } = await pg();
    const client = new Client({ connectionString });
    await client.connect();
    return Object.assign(
      async (text: string) => {
        const result = await client.query(text);
        return (Array.isArray(result) ? result.at(-1) : result).rows as Record<string, unknown>[];
      },
      { end: () => client.end() },
    );
  }

  it("is only read with --start, whose server gets the address of a copy, also if all is killed", async () => {
    const shop = await openShop();
    const ended = await (await shop.starting("server.mjs")).ended;
    expect([ended.code, ended.stderr]).toEqual([1, expect.not.stringContaining("copy")]);
    expect(await shop.everything()).toEqual(shop.before);
    expect(await shop.left()).toEqual([]);

    const killed = await shop.starting("server.mjs");
    await expect.poll(async () => (await shop.left()).length).toBe(2);
    killed.kill("SIGKILL");
    await killed.ended;
    expect(await shop.everything()).toEqual(shop.before);
    await (await shop.starting("server.mjs")).ended;
    expect(await shop.left()).toEqual([]);
  });

  it("has a copy whose name is for variables that name a database, and whose address for the others", async () => {
    const shop = await openShop();
    const copy = await workOn(shop.url);
    for (const [present, name, isName] of [
      [undefined, "DB_NAME", true],
      [undefined, "POSTGRES_DB", true],
      ["shop", "PGDATABASE", true],
      [undefined, "POSTGRES_URL", false],
      ["postgres://127.0.0.1/shop", "DB_NAME", false],
    ] as const)
      expect([name, !copy.valueFor(present, name).includes("://")]).toEqual([name, isName]);
    await copy.close();
  });

  it("is put back if the server goes round the copy, and the variables that it was given are named", async () => {
    const shop = await openShop();
    const { code, stderr } = await (
      await shop.starting("round.mjs", shop.url, ...configured({ databaseEnv: ["PGURL"] }))
    ).ended;
    expect([code, stderr]).toEqual([
      3,
      expect.stringMatching(/does not use the copy.*DATABASE_URL, PGURL\./),
    ]);
    expect(stderr).not.toContain("secret@");
    expect(await shop.everything()).toEqual(shop.before);
    expect(await shop.left()).toEqual([]);
  });

  it("is not copied without the right to create a database, and what grants it is printed", async () => {
    const shop = await openShop();
    await server.query("create role keeper login");
    await server.query(`alter database ${shop.name} owner to keeper`);
    await shop.query("grant select on all tables in schema public to keeper");
    const state = shop.url.replace("shop:secret@", "keeper@");
    const { code, stderr } = await (await shop.starting("server.mjs", state)).ended;
    expect([code, stderr]).toEqual([3, expect.stringContaining('alter role "keeper" createdb')]);
    expect(await shop.left()).toEqual([]);
  });

  it("is put back by the next command after a kill, but for rows that were changed since", async () => {
    const shop = await openShop();
    const first = await shop.serving("9");
    await expect.poll(shop.handled).toBeGreaterThan(40);
    first.cli.kill("SIGKILL");
    await first.cli.ended;
    await first.end();
    await shop.query(
      "update orders set status = 'by hand' where reference = 'old-1'; insert into notes (line) values ('by hand')",
    );
    const second = await shop.serving("1");
    const { code, stderr } = await second.cli.ended;
    await second.end();
    expect([code, stderr]).toEqual([
      0,
      expect.stringMatching(/was killed\. .* changed since: [^.]*orders \(old-1\)/),
    ]);
    expect(await shop.query("select status from orders order by reference")).toEqual([
      { status: "by hand" },
      { status: "cancelled" },
    ]);
    expect(await shop.query("select count(*)::int as count from notes")).toEqual([{ count: 4 }]);

    const restored = await runBuiltCli(["explore", "--restore", "--state", shop.url], shop);
    expect([restored.code, restored.stderr]).toEqual([0, ""]);
    expect(await shop.everything()).toEqual(shop.before);
    expect(await shop.left()).toEqual([]);
  });

  it("keeps what another program inserts: named where no delivery writes, and nothing is judged where one does", async () => {
    const shop = await openShop();
    const first = await shop.serving("1");
    await expect.poll(shop.handled).toBeGreaterThan(20);
    await shop.query("insert into plain values ('mine')");
    const { code, stdout } = await first.cli.ended;
    await first.end();
    expect([code, stdout]).toEqual([0, expect.stringContaining("plain: 1 row inserted by another program")]);
    expect(await shop.query("select line from plain where line = 'mine'")).toHaveLength(1);

    const second = await shop.serving("9");
    const before = shop.handled();
    await expect.poll(shop.handled).toBeGreaterThan(before + 40);
    for (const number of [1, 2, 3]) await shop.query(`insert into orders values ('mine-${number}', 'mine')`);
    const ended = await second.cli.ended;
    await second.end();
    expect([ended.code, ended.stderr]).toEqual([
      3,
      expect.stringMatching(/orders: \d rows? inserted by another program/),
    ]);
    expect(await shop.query("select reference from orders where status = 'mine'")).toHaveLength(3);
    expect(await shop.query("select reference from orders")).toHaveLength(5);
    expect(await shop.left()).toEqual([]);
  });

  it("a database that another program locks at the end is named with its copy and what puts it back", async () => {
    const shop = await openShop();
    const { XDG_STATE_HOME } = process.env;
    Object.assign(process.env, shop.env);
    try {
      const tables = await openTables(shop.url);
      await tables.putBack();
      await tables.begin();
      await shop.query(
        "update orders set status = 'changed'; insert into bare default values; delete from plain",
      );
      await tables.end();
      const locker = await openClient(shop.url);
      await locker("begin; lock table orders");
      await expect(Promise.resolve(tables.close())).rejects.toMatchObject({
        message: expect.stringMatching(
          /were NOT put back: .*the schema sandglass_trial_\S+ of that database/,
        ),
        hint: expect.stringContaining("npx sandglass explore --restore --state"),
      });
      await locker("rollback");
      await locker.end();
      await (await openTables(shop.url, { tell: () => undefined })).close();
      expect(await shop.everything()).toEqual(shop.before);
      expect(await shop.left()).toEqual([]);
    } finally {
      if (XDG_STATE_HOME === undefined) delete process.env.XDG_STATE_HOME;
      else process.env.XDG_STATE_HOME = XDG_STATE_HOME;
    }
  });
});
