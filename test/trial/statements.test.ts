import { execFile } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { urlAt } from "../../src/trial/database/postgres/variable.ts";
import { ENCRYPTION_REQUEST, startupMessage } from "../../src/trial/statements/postgres/messages.ts";
import { openStatements } from "../../src/trial/statements/postgres/wire.ts";
import type { DatabaseStatements } from "../../src/trial/statements/statements.ts";
import { hasPostgres, programOf } from "../support/postgres.ts";
import { Client, LOOK, ONCE, servePostgres, withClient } from "./statements.ts";

describe.runIf(hasPostgres())("the statements of a started server", { timeout: 60_000 }, () => {
  const { server, openShop } = servePostgres();

  describe("the proxy in front of a Postgres database", () => {
    let statements: DatabaseStatements;
    let address: string;
    beforeAll(async () => {
      statements = await openStatements(server().url);
      const encrypted = "?sslmode=require&channel_binding=require&application_name=shop";
      address = urlAt(server().url + encrypted, statements.place)!;
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
      const file = (await server().query("show hba_file"))[0]!.hba_file;
      await server().query("create role scrammed login superuser password 'pass word'");
      await server().query(
        `copy (values ('host all scrammed 127.0.0.1/32 scram-sha-256'), ('host all all 127.0.0.1/32 trust')) to '${file}'`,
      );
      await server().query("select pg_reload_conf()");
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
        // Cancelling something that has not started has no effect.
        await withClient(async (direct) => {
          const active =
            "select 1 from pg_stat_activity where pid = $1 and state = 'active' and query like '%pg_sleep%'";
          await expect.poll(async () => (await direct.query(active, [client.processID])).rowCount).toBe(1);
        }, server().url);
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
      await server().query(`
        create table noted (id text unique deferrable initially deferred);
        create table noting (id text);
        create function note(text) returns void language sql as $$ ${IF_ABSENT} $$;
        create procedure note_and_commit(x text) language plpgsql as $$ begin commit; end $$;
        create procedure note_in_turn(x text) language plpgsql as
          $$ begin ${IF_ABSENT.replaceAll("$1", "x")}; call note_and_commit(x); end $$;
        create function note_new() returns trigger language plpgsql as $$ begin ${IF_ABSENT.replaceAll("$1", "new.id")}; return new; end $$;
        create trigger note_new before insert on noting for each row execute function note_new()`);
      const own = await openStatements(server().url);
      const isSeen = async (id: string) =>
        (await server().query(`select from noted where id = '${id}'`)).length > 0;
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
        }, urlAt(server().url, own.place)!);
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

    it("the Postgres proxy waits for the statement of a connection that is still being opened after the response", async () => {
      const own = await openStatements(server().url);
      const watch = own.watch(undefined);
      watch.sent(Promise.resolve());
      const url = new URL(urlAt(server().url, own.place)!);
      // A delay that is longer than explore waits for a server's work after a response.
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
      const direct = new Client({ connectionString: server().url });
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

  it.each([
    [
      "tries every statement of a correct handler, and prints how many there are",
      ONCE,
      0,
      [
        "The server makes 4 statements at its database: order.paid 4. A crash has a different effect at 2 places.",
        "1 event, 4 statements, all",
      ],
    ],
    [
      "does not interrupt a driver that frees a prepared statement, which PDO does without reading the response",
      ONCE.replace(/\}\);$/, '  await query("deallocate all").catch(() => undefined);\n});'),
      0,
      ["The server makes 4 statements at its database: order.paid 4."],
    ],
    [
      "finds a handler that checks and then inserts in a transaction, and shows both deliveries",
      LOOK,
      1,
      [
        "200, sent twice: the first waits before statement 3",
        "-- waits here, before statement 3 -- begin",
        "Both deliveries checked before either inserted: a unique index on seen(id) would refuse the second.",
      ],
    ],
    [
      "finds a duplicate row created by an insert-if-absent statement, and names the missing unique index",
      `await query("insert into seen (id) select $1::text where not exists (select 1 from seen where id = $1)", [id]);`,
      1,
      [
        "200, sent twice: the first waits before the commit of statement 1",
        "-- waits here, before its commit --",
        "Both deliveries checked before either had committed, because one statement that checks and inserts locks nothing: a unique index on seen(id) would refuse the second.",
        "npx sandglass run",
      ],
    ],
  ])("explore %s", async (_title, body, code, words) => {
    const trying = await openShop();
    const result = await trying(body, "explore");
    for (const one of words) expect(result.stdout.replace(/\s+/g, " "), result.stderr).toContain(one);
    expect(result.code).toBe(code);
  });

  it.each([
    [
      "check sends the second copy of an event at each statement of the first",
      "duplicate-at-once",
      LOOK,
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
      "reports a server that is connected to its own database instead of the copy",
      `globalThis.own ??= new Pool({ connectionString: JSON.parse(read("sandbox.config.json")).subject.state });
      await own.query("select 1");`,
      "The server does not use the copy of its database: it is connected to postgres://",
    ],
    [
      "lists statements that found no row with the ids that they looked up, except for lookups of the event",
      `await query("select from events where id = $1", [id]);
      await query("select from orders where id = $1", [undefined]);
      await query("update orders set paid = 1 where id = $1", [order]); throw new TypeError("No such order");`,
      /Your server returned 500 to order\.paid, and printed: TypeError: No such order\.[\s\S]*These statements matched no row: select from orders where id = \$1 \(order\.paid, with null, so the event lacks a field that your handler reads\); update orders set paid = \? where id = \$1 \(order\.paid, with the event's type, "order\.paid"\)\. Add/,
    ],
  ])("explore %s", async (_title, body, words) => {
    const { code, stderr } = await (await openShop())(body, "explore");
    expect(stderr).toMatch(words);
    expect(code).toBe(3);
  });
});
