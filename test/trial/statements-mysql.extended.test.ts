import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { connect } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { mysqlUrlAt } from "../../src/trial/database/mysql/variable.ts";
import { openStatements } from "../../src/trial/statements/mysql/wire.ts";
import type { DatabaseStatements, StatementPlan } from "../../src/trial/statements/statements.ts";
import { hasMariadb, type MariadbServer, startMariadb } from "../support/mariadb.ts";

const mysql = createRequire(import.meta.url)("mysql2/promise");

describe.runIf(hasMariadb())("the proxy in front of a MariaDB database", { timeout: 60_000 }, () => {
  let server: MariadbServer;
  let statements: DatabaseStatements;
  let uri: string;
  beforeAll(async () => {
    server = await startMariadb(
      ...["--max-connections=400", "--max-allowed-packet=64M", "--plugin-load-add=auth_ed25519"],
      ...["--plugin-maturity=unknown", "--local-infile=1"],
    );
    statements = await openStatements(server.url);
    uri = mysqlUrlAt(server.url, statements.place)!;
  });
  afterAll(async () => {
    await statements.close();
    await server.close();
  });

  async function open(options: object = {}) {
    const client = await mysql.createConnection({ uri, multipleStatements: true, ...options });
    client.on("error", () => undefined);
    onTestFinished(() => client.destroy());
    return client;
  }

  it("the MariaDB proxy forwards text and prepared statements, multiple results, errors, cursors and 20 MB rows", async () => {
    const client = await open();
    const one = async (how: "query" | "execute", ...given: unknown[]) =>
      Object.values((await client[how](...given))[0][0])[0];
    expect(await one("query", "select ?", ["it's"])).toBe("it's");
    for (const text of ["a", "b"]) expect(await one("execute", "select ?", [text])).toBe(text);
    const large = "x".repeat(20_000_000);
    expect((await one("query", "select ?", [large])) === large).toBe(true);
    expect((await one("execute", "select ?", [large])) === large).toBe(true);
    const [results] = await client.query("select 1 as a; select 2 as b; set @x = 3; select @x as c");
    expect([results[0], results[1], results[3]]).toEqual([[{ a: 1 }], [{ b: 2 }], [{ c: 3 }]]);
    await expect(client.query("select * from nothing")).rejects.toMatchObject({ errno: 1146 });
    await expect(client.execute("select * from nothing")).rejects.toMatchObject({ errno: 1146 });
    await client.query("create procedure two() begin select 1 as a; select 2 as b; end");
    expect((await client.query("call two()"))[0].slice(0, 2)).toEqual([[{ a: 1 }], [{ b: 2 }]]);
    await client.changeUser({ user: "shop", password: "secret", database: "shop" });
    expect(await one("execute", "select ?", ["after another login"])).toBe("after another login");
    await client.reset();
    expect(await one("execute", "select ?", ["after a reset"])).toBe("after a reset");
  });

  it("the MariaDB proxy forwards a LOAD DATA LOCAL file even while it holds the response", async () => {
    const own = await openStatements(server.url);
    onTestFinished(own.close);
    await server.query("create table loaded (n int)");
    const file = join(server.project, "loaded.csv");
    writeFileSync(file, Array.from({ length: 100_000 }, (_, index) => `${index}\n`).join(""));
    const { createReadStream } = process.getBuiltinModule("node:fs");
    const client = await open({ uri: mysqlUrlAt(server.url, own.place)! });
    const sql = `load data local infile '${file}' into table loaded`;
    const load = () => client.query({ sql, infileStreamFactory: () => createReadStream(file) });
    const watch = own.watch({
      point: { number: 1, text: "load data local infile ? into table loaded", occurrence: 1 },
      does: "hold-answer",
    });
    const answer = load();
    watch.sent(answer);
    expect(await watch.reached()).toBe(true);
    watch.release();
    await answer;
    expect((await watch.end()).map(({ result }) => result)).toEqual(["LOAD 100000"]);
    expect(await server.query("select count(*) as n from loaded")).toEqual([{ n: 100_000 }]);
  });

  it("the MariaDB proxy serves 200 connections at once, and a client that reads slowly", async () => {
    const clients = await Promise.all(Array.from({ length: 200 }, () => open()));
    const answers = await Promise.all(
      clients.map((client, index) => client.execute("select ? as n", [index])),
    );
    expect(answers.map(([[row]]) => Number(row.n))).toEqual(clients.map((_, index) => index));
    await Promise.all(clients.map((client) => client.end()));
    const client = await open();
    const stream = client.connection
      .query("select repeat('x', 1000000) as x from seq_1_to_100")
      .stream({ highWaterMark: 1 });
    let rows = 0;
    for await (const { x } of stream) {
      rows += 1;
      expect(x.length).toBe(1_000_000);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(rows).toBe(100);
  });

  it("the MariaDB proxy declines compression and TLS, and explains this to a client that insists on TLS", async () => {
    const client = await open({ compress: true });
    expect((await client.query("show session status like 'compression'"))[0][0].Value).toBe("OFF");
    const own = await openStatements(server.url);
    onTestFinished(own.close);
    const address = mysqlUrlAt(server.url, own.place)!;
    await expect(mysql.createConnection({ uri: address, ssl: {} })).rejects.toThrow("secure connection");
    await expect
      .poll(() => own.insistsOnTls?.()?.message)
      .toMatch(/disconnected before logging in, as clients that insist on TLS do/);
    const socket = connect(own.place.port, "127.0.0.1");
    await once(socket, "data");
    const request = Buffer.alloc(36);
    request.set([32, 0, 0, 1], 0);
    request.writeUInt32LE((1 << 11) | (1 << 9), 4);
    socket.write(request);
    const [answer] = await once(socket, "data");
    expect(String(answer)).toContain("which does not support TLS");
    expect(own.insistsOnTls?.()?.message).toMatch(/^The server insists on TLS for its database/);
    await open({ uri: address });
    expect(own.insistsOnTls?.()).toBeUndefined();
  });

  it("the MariaDB proxy forwards native and ed25519 logins, and rejects another database or a wrong password", async () => {
    await server.query(
      "create user signed@'%' identified via ed25519 using password('pass word'); grant all on *.* to signed@'%'",
    );
    const { createConnection } = createRequire(import.meta.url)("mariadb");
    const { host, port, database } = statements.place;
    const signed = await createConnection({ host, port, database, user: "signed", password: "pass word" });
    expect(await signed.query("select current_user() as who")).toEqual([{ who: "signed@%" }]);
    await signed.end();
    await expect(open({ uri: uri.replace(/shop$/, "mysql") })).rejects.toThrow(
      "only the database in its URL, not 'mysql'",
    );
    await expect(open({ password: "wrong" })).rejects.toMatchObject({ errno: 1045 });
  });

  /** Simulates an error at a statement inside a transaction. */
  async function meet(
    does: "refuse" | "conflict" | "disconnect",
    how: "query" | "execute",
    at = "insert into met values (?)",
  ) {
    const own = await openStatements(server.url);
    onTestFinished(own.close);
    await server.query("create table if not exists met (n int); delete from met");
    const client = await open({ uri: mysqlUrlAt(server.url, own.place)! });
    const watch = own.watch({ point: { number: 3, text: at, occurrence: at === "commit" ? 1 : 2 }, does });
    const work = async () => {
      await client.query("start transaction");
      await client[how]("insert into met values (?)", [1]);
      await client[how]("insert into met values (?)", [2]);
      await client.query("commit");
    };
    const answer = work().catch((error) => error);
    watch.sent(answer);
    const error = await answer;
    const made = await watch.end();
    // The server continues as if nothing had failed.
    if (does !== "disconnect") await client.query("commit");
    const rows = await server.query("select n from met");
    return { code: error.errno ?? error.code, results: made.map(({ result }) => result), rows: rows.length };
  }

  it.each(["query", "execute"] as const)(
    "the MariaDB proxy imitates InnoDB: a timeout undoes one statement, a deadlock the transaction (%s)",
    async (how) => {
      expect(await meet("refuse", how)).toEqual({
        code: 1205,
        results: ["START", "INSERT 0 1", "1205"],
        rows: 1,
      });
      expect(await meet("conflict", how)).toEqual({
        code: 1213,
        results: ["START", "INSERT 0 1", "1213"],
        rows: 0,
      });
      expect(await meet("disconnect", how)).toMatchObject({
        results: ["START", "INSERT 0 1", null],
        rows: 0,
      });
      expect(await meet("refuse", how, "commit")).toMatchObject({ code: 1180, rows: 0 });
    },
  );

  it("the MariaDB proxy fails a conflict with 1020 if the server uses snapshot isolation", async () => {
    await server.query("set global innodb_snapshot_isolation = on");
    onTestFinished(() => server.query("set global innodb_snapshot_isolation = off") as Promise<never>);
    expect(await meet("conflict", "execute")).toEqual({
      code: 1020,
      results: ["START", "INSERT 0 1", "1020"],
      rows: 0,
    });
  });

  it("the MariaDB proxy holds the implicit commit of a statement that reads and writes", async () => {
    const IF_ABSENT =
      "insert into noted select ? from dual where not exists (select 1 from noted other where id = ?)";
    await server.query(`
      create table noted (id varchar(99));
      create table noting (id varchar(99));
      create procedure note(x varchar(99)) ${IF_ABSENT.replaceAll("?", "x")};
      create procedure note_in_turn(x varchar(99)) begin start transaction; ${IF_ABSENT.replaceAll("?", "x")}; commit; end;
      create trigger note_new before insert on noting for each row ${IF_ABSENT.replaceAll("?", "new.id")}`);
    const own = await openStatements(server.url);
    onTestFinished(own.close);
    const isSeen = async (id: string) =>
      (await server.query(`select 1 from noted where id = '${id}'`)).length > 0;
    async function hold(sql: string, id: string, how: "query" | "execute" = "execute", before?: string) {
      const client = await open({ uri: mysqlUrlAt(server.url, own.place)! });
      if (before) await client.query(before);
      const plan: StatementPlan = { place: 1 };
      const watch = own.watch(plan);
      const values = Array(sql.split("?").length - 1).fill(id);
      const answer = client[how](sql, values);
      watch.sent(answer);
      const held = (await watch.reached()) && !(await isSeen(id));
      watch.release();
      await watch.end();
      const [{ serverStatus, affectedRows }] = await answer;
      await client.query("unlock tables");
      return { held, affectedRows, isOpen: (serverStatus & 1) > 0, seen: await isSeen(id) };
    }
    const noted = (held = true) => ({ held, affectedRows: 1, isOpen: false, seen: true });
    expect(await hold(IF_ABSENT, "a")).toEqual(noted());
    expect(await hold(IF_ABSENT, "b", "query")).toEqual(noted());
    expect(await hold("call note(?)", "c")).toEqual(noted());
    expect(await hold("insert into noting values (?)", "d")).toEqual(noted());
    expect(await hold("insert into noted values (?)", "e")).toEqual(noted(false));
    expect(await hold("call note_in_turn(?)", "f", "query")).toMatchObject({ held: false, seen: true });
    // Without autocommit, or while tables are locked, the statement is not alone in its transaction.
    expect(await hold(IF_ABSENT, "g", "query", "lock tables noted write, noted as other write")).toEqual(
      noted(false),
    );
    expect(await hold(IF_ABSENT, "h", "query", "set autocommit = 0")).toMatchObject({
      held: false,
      seen: false,
    });
  });

  it("the MariaDB proxy detects which statement waits for a row, a user lock or a table lock", async () => {
    const own = await openStatements(server.url);
    onTestFinished(own.close);
    await server.query("create table waited (id int primary key, n int); insert into waited values (1, 0)");
    const address = mysqlUrlAt(server.url, own.place)!;
    async function overtake(first: string[], second: string[]) {
      const clients = [await open({ uri: address }), await open({ uri: address })];
      const run = async (index: number, all: string[]) => {
        for (const sql of all) await clients[index].query(sql);
      };
      const watch = own.watch({ place: first.length - 1 });
      const one = run(0, first);
      watch.sent(one);
      expect(await watch.reached()).toBe(true);
      const other = run(1, second);
      watch.sent(other);
      const isOvertaken = await watch.overtaken();
      watch.release();
      const made = await watch.end();
      await Promise.all([one, other]);
      return [isOvertaken, made.map(({ by }) => by).join("")];
    }
    const update = "update waited set n = n + 1 where id = 1";
    expect(await overtake(["begin", update, "commit"], ["begin", update, "commit"])).toEqual([
      true,
      "112212",
    ]);
    const [lock, release] = ["do get_lock('of the user', 10)", "do release_lock('of the user')"];
    expect(await overtake([lock, update, release], [lock, release])).toEqual([true, "11212"]);
    expect(await overtake(["begin", update, "commit"], ["alter table waited add column m int"])).toEqual([
      true,
      "1121",
    ]);
  });
});
