import { existsSync, readdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { openTables } from "../../src/trial/subject/tables.ts";
import { startCli } from "../support/built.ts";
import { folderOf } from "../support/cli.ts";
import { portOfItsOwn } from "../support/ports.ts";
import { hasPostgres, type PostgresServer, startPostgres } from "../support/postgres.ts";
import { runWarmCli } from "../support/warm-cli.ts";
import { readEvent } from "./handlers.ts";
import { ROWS, SERVER } from "./postgres-safety.ts";
import { serveShop } from "./server.ts";

describe.runIf(hasPostgres())("a user's Postgres database", () => {
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
    const cwd = folderOf({
      "server.mjs": SERVER("{ connectionString: process.env.DATABASE_URL }"),
      "round.mjs": SERVER("{ connectionString: process.env.ORIGINAL }"),
    });
    // It has pg, and no findings of another test.
    symlinkSync(join(server.project, "node_modules"), join(cwd, "node_modules"));
    const env = { XDG_STATE_HOME: join(cwd, "state"), NODE_PATH: "", ORIGINAL: url };
    vi.stubEnv("XDG_STATE_HOME", env.XDG_STATE_HOME);
    onTestFinished(() => void vi.unstubAllEnvs());
    let handled = 0;
    const argsFor = async (file: string, state: string, ...more: string[]) => [
      ...[
        "explore",
        `127.0.0.1:${await portOfItsOwn()}`,
        "--secret",
        "whsec_test",
        "--story",
        "late-payment",
      ],
      ...["--start", `exec node ${join(cwd, file)}`, "--state", state, "--deviations", "1", ...more],
    ];
    return {
      ...{ name, url, query, everything, cwd, env, before: await everything() },
      handled: () => handled,
      /** Lets the next use of the database put back what a killed trial left. @returns what the user is told */
      async recover() {
        const stderr = vi.spyOn(process.stderr, "write").mockReturnValue(true);
        onTestFinished(() => stderr.mockRestore());
        await (await openTables(url)).close();
        return stderr.mock.calls.flat().join("");
      },
      /** What trials have left on disk, and in the server. */
      left: async () => [
        ...(existsSync(join(cwd, "state/sandglass/trials"))
          ? readdirSync(join(cwd, "state/sandglass/trials"))
          : []),
        ...(await server.query("select datname from pg_database where datname like 'sandglass%'")),
        ...(await query("select nspname from pg_namespace where nspname like 'sandglass%'")),
      ],
      /** Explores a server that the command starts, to its end. */
      explore: async (file: string, state = url, ...more: string[]) =>
        runWarmCli(await argsFor(file, state, ...more), { cwd, env }),
      /** Explores it in a process of its own. */
      start: async () => startCli(await argsFor("server.mjs", url), { cwd, env }),
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
        const args = ["explore", address, "--secret", "whsec_test", "--story", "late-payment"];
        return {
          cli: startCli([...args, "--state", url, "--deviations", deviations], { cwd, env }),
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

  it("keeps what another program inserts: named where no delivery writes, and nothing is judged where one does", async () => {
    const shop = await openShop();
    const first = await shop.serving("1");
    await expect.poll(shop.handled).toBeGreaterThan(20);
    await shop.query("insert into plain values ('mine'); insert into notes (line) values ('mine')");
    const { code, stdout } = await first.cli.ended;
    await first.end();
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(/notes: 1 row inserted by another program; plain: 1 row/),
    ]);
    expect(await shop.query("select line from plain where line = 'mine'")).toHaveLength(1);
    // The number that it drew stays drawn.
    await shop.query("insert into notes (line) values ('next')");

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
      message: expect.stringMatching(/were NOT put back: .*the schema sandglass_trial_\S+ of that database/),
      hint: expect.stringContaining("npx sandglass explore --restore --state"),
    });
    await locker("rollback");
    await locker.end();
    await shop.recover();
    expect(await shop.everything()).toEqual(shop.before);
    expect(await shop.left()).toEqual([]);
  });
});
