import { execFile } from "node:child_process";
import { once } from "node:events";
import { symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { connect } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { urlAt } from "../../src/trial/database/postgres/variable.ts";
import { ENCRYPTION_REQUEST, startupMessage } from "../../src/trial/statements/postgres/messages.ts";
import { openStatements } from "../../src/trial/statements/postgres/open.ts";
import type { DatabaseStatements } from "../../src/trial/statements/statements.ts";
import { folderOf } from "../support/cli.ts";
import { portOfItsOwn } from "../support/ports.ts";
import { hasPostgres, type PostgresServer, programOf, startPostgres } from "../support/postgres.ts";
import { runWarmCli } from "../support/warm-cli.ts";

describe.runIf(hasPostgres())("the statements of a started server", { timeout: 60_000 }, () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.close());

  const { Client } = createRequire(import.meta.url)("pg");
  async function withClient<Result>(
    // biome-ignore lint/suspicious/noExplicitAny: pg has no types here
    work: (client: any) => Promise<Result>,
    url: string,
  ): Promise<Result> {
    const client = new Client({ connectionString: url });
    client.on("error", () => undefined);
    await client.connect();
    try {
      return await work(client);
    } finally {
      await client.end();
    }
  }

  describe("the proxy in front of a Postgres database", () => {
    let statements: DatabaseStatements;
    let address: string;
    beforeAll(async () => {
      statements = await openStatements(server.url);
      const encrypted = "?sslmode=require&channel_binding=require&application_name=shop";
      address = urlAt(server.url + encrypted, statements.place)!;
    });
    afterAll(() => statements.close());

    it("the Postgres proxy forwards parameters, named statements, notifications, transactions and 5 MB rows", async () => {
      await withClient(async (client) => {
        const one = async (...query: unknown[]) => Object.values((await client.query(...query)).rows[0])[0];
        for (const text of ["a", "b"])
          expect(await one({ name: "echo", text: "select $1::text", values: [text] })).toBe(text);
        const large = "x".repeat(5_000_000);
        expect(await one("select $1::text", [large])).toBe(large);
        await expect(client.query("select 1/0")).rejects.toMatchObject({ code: "22012" });
        const notified = once(client, "notification");
        await client.query("begin; listen news; notify news, 'paid'; commit");
        expect((await notified)[0]).toMatchObject({ channel: "news", payload: "paid" });
        expect(await one("show application_name")).toBe("shop");
      }, address);
    });

    it("the Postgres proxy forwards SCRAM, COPY in both directions, and libpq clients that try encryption first", async () => {
      const file = (await server.query("show hba_file"))[0]!.hba_file;
      await server.query("create role scrammed login superuser password 'pass word'");
      await server.query(
        `copy (values ('host all scrammed 127.0.0.1/32 scram-sha-256'), ('host all all 127.0.0.1/32 trust')) to '${file}'`,
      );
      await server.query("select pg_reload_conf()");
      const url = new URL(address.replace("sslmode=disable", "sslmode=prefer"));
      url.username = "scrammed";
      const psql = (password: string) =>
        new Promise<string>((resolve) => {
          const script = [
            "create temp table t (n int)",
            "\\copy t from program 'seq 3'",
            "\\copy t to stdout",
          ];
          const args = ["-X", "-q", ...script.flatMap((line) => ["-c", line]), url.href];
          execFile(
            programOf("psql"),
            args,
            { env: { ...process.env, PGPASSWORD: password } },
            (_error, stdout, stderr) => resolve(stdout + stderr),
          );
        });
      expect(await psql("wrong")).toContain("password authentication failed");
      url.password = "";
      expect((await psql("pass word")).split("\n").slice(0, 3)).toEqual(["1", "2", "3"]);
    });

    it("the Postgres proxy forwards cancellations of its own connections, and pipelined statements", async () => {
      await withClient(async (client) => {
        const sleeping = client.query("select pg_sleep(60)");
        const message = Buffer.alloc(16);
        for (const [at, word] of [16, 80_877_102, client.processID, client.secretKey].entries())
          message.writeInt32BE(word, 4 * at);
        const { port } = new URL(address);
        // A cancellation of what has not begun cancels nothing.
        await withClient(async (direct) => {
          const active =
            "select 1 from pg_stat_activity where pid = $1 and state = 'active' and query like '%pg_sleep%'";
          await expect.poll(async () => (await direct.query(active, [client.processID])).rowCount).toBe(1);
        }, server.url);
        connect(Number(port), "127.0.0.1").end(message);
        await expect(sleeping).rejects.toMatchObject({ code: "57014" });
      }, address);
      const { pathname, port } = new URL(address);
      const socket = connect(Number(port), "127.0.0.1");
      const query = (text: string) => {
        const bytes = Buffer.from(`Q\0\0\0\0${text}\0`);
        bytes.writeInt32BE(bytes.length - 1, 1);
        return bytes;
      };
      const startup = startupMessage(
        196_608,
        new Map([
          ["user", "shop"],
          ["database", pathname.slice(1)],
        ]),
      );
      let text = "";
      socket.on("data", (chunk: Buffer) => {
        text += chunk.toString("latin1");
        if (!socket.writableEnded && text.includes("Z\0\0\0\u0005I"))
          socket.end(
            Buffer.concat([
              query("select 'one'"),
              query("select 'two'"),
              Buffer.from("X\0\0\0\u0004", "latin1"),
            ]),
          );
      });
      socket.write(startup);
      await new Promise((resolve) => socket.once("close", resolve));
      expect(text.replace(/[^\w ]/g, "")).toMatch(/ZI.*one.*ZI.*two.*ZI$/);
    });

    it("the Postgres proxy closes a connection that keeps requesting TLS, and accepts others", async () => {
      const socket = connect(Number(new URL(address).port), "127.0.0.1");
      socket.on("error", () => undefined);
      let answered = 0;
      socket.on("data", (answer) => {
        answered += answer.length;
      });
      socket.write(Buffer.concat(Array(100_000).fill(ENCRYPTION_REQUEST)));
      await new Promise((resolve) => socket.once("close", resolve));
      expect(answered).toBeLessThan(3);
      await withClient(async (client) => {
        expect((await client.query("select 1 as one")).rows).toEqual([{ one: 1 }]);
      }, address);
    });

    it("the Postgres proxy holds the implicit commit of a statement that reads and writes", async () => {
      const IF_ABSENT =
        "insert into noted select $1::text where not exists (select from noted where id = $1)";
      await server.query(`
        create table noted (id text unique deferrable initially deferred);
        create table noting (id text);
        create function note(text) returns void language sql as $$ ${IF_ABSENT} $$;
        create procedure note_and_commit(x text) language plpgsql as $$ begin commit; end $$;
        create procedure note_in_turn(x text) language plpgsql as
          $$ begin ${IF_ABSENT.replaceAll("$1", "x")}; call note_and_commit(x); end $$;
        create function note_new() returns trigger language plpgsql as $$ begin ${IF_ABSENT.replaceAll("$1", "new.id")}; return new; end $$;
        create trigger note_new before insert on noting for each row execute function note_new()`);
      const own = await openStatements(server.url);
      const isSeen = async (id: string) =>
        (await server.query(`select from noted where id = '${id}'`)).length > 0;
      async function hold(text: string, id: string, name?: string) {
        const watch = own.watch({ place: 1 });
        return withClient(async (client) => {
          const answer = client.query({ name, text, values: [id] }).then(
            ({ command }: { command: string }) => command,
            ({ code }: { code: string }) => code,
          );
          watch.sent(answer);
          const held = (await watch.reached()) && !(await isSeen(id));
          watch.release();
          await watch.end();
          const again = (await client.query({ name, text, values: [`${id} again`] })).command;
          return { held, answer: await answer, again, seen: await isSeen(id) };
        }, urlAt(server.url, own.place)!);
      }
      const noted = (command: string, held = true) => ({ held, answer: command, again: command, seen: true });
      expect(await hold(IF_ABSENT, "a")).toEqual(noted("INSERT"));
      expect(await hold(IF_ABSENT, "b", "named")).toEqual(noted("INSERT"));
      expect(await hold("select note($1)", "c")).toEqual(noted("SELECT"));
      expect(await hold("insert into noting values ($1)", "d")).toEqual(noted("INSERT"));
      expect(await hold("insert into noted values ($1)", "e")).toEqual(noted("INSERT", false));
      expect(await hold("call note_in_turn($1)", "f", "calling")).toEqual(noted("CALL", false));
      const twice = "insert into noted select $1::text from generate_series(1, 2) where $1 = 'g'";
      expect(await hold(twice, "g")).toEqual({ held: true, answer: "23505", again: "INSERT", seen: false });
      await own.close();
    });

    it("the Postgres proxy waits for the statement of a connection that is still opening after the answer", async () => {
      const own = await openStatements(server.url);
      const watch = own.watch(undefined);
      watch.sent(Promise.resolve());
      const url = new URL(urlAt(server.url, own.place)!);
      // Longer than a server's work is awaited after an answer.
      url.searchParams.set("options", "-c post_auth_delay=1");
      const made = withClient((client) => client.query("select 'late'"), url.href);
      expect(await watch.end()).toMatchObject([{ text: "select ?" }]);
      await made;
      await own.close();
    });

    it("the Postgres proxy rejects connections without its token, and cancellations of other connections", async () => {
      const other = new URL(address);
      other.pathname = "/postgres";
      await expect(withClient(async () => undefined, other.href)).rejects.toThrow("Connection terminated");
      const direct = new Client({ connectionString: server.url });
      await direct.connect();
      const message = Buffer.alloc(16);
      for (const [at, word] of [16, 80_877_102, direct.processID, direct.secretKey].entries())
        message.writeInt32BE(word, 4 * at);
      const socket = connect(Number(other.port), "127.0.0.1").on("error", () => undefined);
      socket.end(message);
      await new Promise((resolve) => socket.once("close", resolve));
      expect((await direct.query("select 1 as one")).rows).toEqual([{ one: 1 }]);
      await direct.end();
    });
  });

  /** A server that handles an event by `body`. */
  const serverOf = (body: string) => `
const { createServer } = process.getBuiltinModule("node:http");
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
const read = (file) => readFileSync(file, "utf8");
const { Pool } = createRequire(${JSON.stringify(join(server.project, "server.js"))})("pg");
const pool = new Pool({ connectionString: process.env.DATABASE_URL ?? "" });
pool.on("error", () => undefined);
const query = (...values) => pool.query(...values);
async function unheard(work, listen = () => undefined) {
  const client = await pool.connect();
  listen(client);
  try {
    await client.query("begin");
    await work((...values) => client.query(...values));
    await client.query("commit");
    client.release();
  } catch (error) {
    await client.query("rollback").then(() => client.release(), () => client.release(true));
    throw error;
  }
}
const transaction = (work) => unheard(work, (client) => client.on("error", () => undefined));
const PAY = "insert into orders values ($1, 1) on conflict (id) do update set paid = orders.paid + 1";
async function handle(id, order) { ${body} }
createServer(async (request, response) => {
  let text = "";
  for await (const chunk of request) text += chunk;
  try {
    await handle(request.headers["webhook-id"], JSON.parse(text).type);
    response.end();
  } catch (error) { console.error(error); response.writeHead(500).end(); }
}).listen(Number(process.env.PORT), "127.0.0.1");`;

  /** A database of its own, and a project with a server that uses it. */
  async function openShop() {
    const port = await portOfItsOwn();
    await server.query(`create database shop_${port}`);
    const url = server.url.replace(/\/postgres$/, `/shop_${port}`);
    await withClient(
      (client) =>
        client.query(
          "create table seen (id text); create table events (id text primary key); create table orders (id text primary key, paid int)",
        ),
      url,
    );
    const cwd = folderOf({
      "sandbox.config.json": JSON.stringify({
        subject: {
          url: `127.0.0.1:${port}`,
          // One event keeps it short.
          ...{ sender: "polar", events: "order.paid" },
          deviations: 1,
          state: url,
          start: "node server.mjs",
        },
      }),
    });
    symlinkSync(join(server.project, "node_modules"), join(cwd, "node_modules"));
    const env = { XDG_STATE_HOME: join(cwd, "state"), NODE_PATH: "", SANDGLASS_WEBHOOK_SECRET: "whsec_test" };
    return (body: string, ...args: string[]) => {
      writeFileSync(join(cwd, "server.mjs"), serverOf(body));
      return runWarmCli(args, { cwd, env });
    };
  }

  const ONCE = `await transaction(async (query) => {
    const { rowCount } = await query("insert into events values ($1) on conflict do nothing", [id]);
    if (rowCount > 0) await query(PAY, [order]);
  });`;
  const LOOK = `await transaction(async (query) => {
    const { rows } = await query("select 1 from seen where id = $1", [id]);
    if (rows.length > 0) return;
    await query("insert into seen values ($1)", [id]);
    await query(PAY, [order]);
  });`;
  const ID_FIRST = `const { rowCount } = await query("insert into events values ($1) on conflict do nothing", [id]);
    if (rowCount > 0) await query(PAY, [order]);`;
  /** It takes the id back after an error, and only a crash leaves it there. */
  const UNDONE = ID_FIRST.replace(
    "await query(PAY, [order])",
    `await query(PAY, [order]).catch(async (error) => {
      await query("delete from events where id = $1", [id]);
      throw error;
    })`,
  );
  it.each([
    [
      "tries every statement of a correct handler, and prints their number",
      ONCE,
      0,
      [
        "The server makes 4 statements at its database: order.paid 4. A crash differs at 2 places.",
        "1 event, 4 statements, all",
      ],
    ],
    [
      "finds a handler that looks and then inserts in a transaction, and shows both deliveries",
      LOOK,
      1,
      [
        "200, sent twice: the first waits before statement 3",
        "-- waits here, before statement 3 -- begin",
        "Both deliveries looked before either inserted: a unique index on seen(id) would refuse the second.",
      ],
    ],
    [
      "finds two copies that one insert-if-absent statement creates, and names the missing unique index",
      `await query("insert into seen (id) select $1::text where not exists (select 1 from seen where id = $1)", [id]);`,
      1,
      [
        "200, sent twice: the first waits before the commit of statement 1",
        "-- waits here, before its commit --",
        "Both deliveries looked before either had committed, because one statement that looks and inserts locks nothing: a unique index on seen(id) would refuse the second.",
        "npx sandglass run",
      ],
    ],
    [
      "finds a server that crashes on a lost connection because its client has no error listener",
      ONCE.replaceAll("transaction(", "unheard("),
      1,
      ["The server stops when its database connection is lost.", "a client of pg without an error listener"],
    ],
  ])("explore %s", async (_title, body, code, words) => {
    const trying = await openShop();
    const result = await trying(body, "explore");
    for (const one of words) expect(result.stdout.replace(/\s+/g, " "), result.stderr).toContain(one);
    expect(result.code).toBe(code);
  });

  it("explore --all reports a failed statement answered with 2xx separately from a crash that leaves the same rows", async () => {
    const body = `const { rowCount } = await query("insert into events values ($1) on conflict do nothing", [id]);
      if (rowCount > 0) await query(PAY, [order]).catch(() => undefined);`;
    const { code, stdout } = await (await openShop())(body, "explore", "--all");
    const text = stdout.replace(/\s+/g, " ");
    expect(text.match(/The server is killed before statement 2/g)).toHaveLength(1);
    expect(text.match(/responds with 2xx although a statement failed/g)).toHaveLength(1);
    expect(text.match(/order\.paid is missing from orders/gi)).toHaveLength(2);
    expect(code).toBe(1);
  });

  it("sandglass run replays a finding at its statement, even if the statement's number changed", async () => {
    const trying = await openShop();
    const found = await trying(UNDONE, "explore");
    expect(found.stdout).toMatch(/-- the server is killed --\n +insert into orders .* not done\n/);
    const [, name] = /npx sandglass run (\S+)/.exec(found.stdout)!;
    const again = await trying(`await query("select 1"); ${UNDONE}`, "run", name!);
    expect(again.stdout).toMatch(/^failed .*crash@1.2/);
    expect(again.stdout).toContain("the server is killed before statement 3");
    expect((await trying(ONCE, "run", name!)).code).toBe(0);
  });

  it.each([
    [
      "check sends the second copy of an event at each statement of the first",
      "duplicate-at-once",
      LOOK,
      "1",
    ],
    [
      "check sends the second copy before the commit of one statement that looks and inserts",
      "duplicate-at-once",
      'await query("insert into seen select $1::text where not exists (select from seen where id = $1)", [id]);',
      "1",
    ],
    [
      "check --instances 2 finds a handler that remembers events only in memory",
      "duplicate",
      "globalThis.seen ??= new Set(); if (seen.has(id)) return; seen.add(id); await query(PAY, [order]);",
      "2",
    ],
  ])("%s", async (_title, hazard, body, instances) => {
    const trying = await openShop();
    const { code, stdout } = await trying(body, "check", "--only", hazard, "--instances", instances);
    expect(stdout).toMatch(new RegExp(`fail +${hazard} .*was handled twice`));
    expect(code).toBe(1);
  });

  it.each([
    [
      "names a server that is connected to its own database, and not to the copy",
      `globalThis.own ??= new Pool({ connectionString: JSON.parse(read("sandbox.config.json")).subject.state });
      await own.query("select 1");`,
      "The server does not use the copy of its database: it is connected to postgres://",
    ],
    [
      "names a server that changes its own database",
      `globalThis.own ??= new Pool({ connectionString: JSON.parse(read("sandbox.config.json")).subject.state });
      await own.query(PAY, [order]);`,
      "itself, which was restored",
    ],
    [
      "prints the output of a server that made no statement because its pool is lazy",
      `console.error("No customer in the metadata");`,
      "your server returned 200 to order.paid and made no statement, and printed: No customer in the metadata.",
    ],
    [
      "names statements that found no row, with the ids that they looked up, except a lookup of the event",
      `await query("select from events where id = $1", [id]);
      await query("select from orders where id = $1", [undefined]);
      await query("update orders set paid = 1 where id = $1", [order]); throw new TypeError("No such order");`,
      /Your server returned 500 to order\.paid, and printed: TypeError: No such order\.[\s\S]*These statements matched no row: select from orders where id = \$1 \(order\.paid, with null, so the event lacks a field that your handler reads\); update orders set paid = \? where id = \$1 \(order\.paid, with the event's type, "order\.paid"\)\. Add/,
    ],
    [
      "names a server that insists on TLS",
      `await new (pool.constructor)({ connectionString: process.env.DATABASE_URL.replace("disable", "require") }).query("select 1");`,
      "The server insists on TLS for its database.",
    ],
  ])("explore %s", async (_title, body, words) => {
    const { code, stderr } = await (await openShop())(body, "explore");
    expect(stderr).toMatch(words);
    expect(code).toBe(3);
  });

  it("check accepts a server whose pool connects at its first query", async () => {
    const { code, stdout } = await (await openShop())(ONCE, "check", "--only", "duplicate");
    expect([code, stdout]).toEqual([0, expect.stringContaining("handled once")]);
  });
});
