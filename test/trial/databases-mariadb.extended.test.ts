import { createRequire } from "node:module";
import { describe, expect, it, onTestFinished } from "vitest";
import { readState } from "../../src/index.ts";
import { decide } from "../../src/trial/database/abandoned.ts";
import { readAddress } from "../../src/trial/database/mysql/address.ts";
import { openTables } from "../../src/trial/database/tables.ts";
import { workOn } from "../../src/trial/database/work.ts";
import { hasMariadb } from "../support/mariadb.ts";
import { type Kind, playRuns } from "./databases.ts";
import { serveMariadb } from "./mariadb.ts";

const MARIADB: Kind[] = [
  [
    "no key",
    "create table no_key (a int, b text); insert into no_key values (1, 'x'), (1, 'x'), (null, null)",
    "delete from no_key where a = 1 limit 1; insert into no_key values (2, 'y')",
  ],
  [
    "keys that are equal in any case",
    "create table cased (id varchar(20) collate utf8mb4_general_ci primary key, n int) charset utf8mb4; insert into cased values ('A', 1), ('b', 2), ('ß', 3)",
    "update cased set id = 'B' where id = 'b'; delete from cased where id = 'a'",
  ],
  [
    "composite keys",
    "create table pairs (a int, b varchar(9), c char(4), primary key (a, b)); insert into pairs values (1, 'x', 'ab'), (1, 'y', null)",
    "update pairs set b = 'z' where b = 'x'; insert into pairs values (2, 'x', 'q')",
  ],
  [
    "counted keys, up to the largest, and from zero",
    "create table counted (id bigint unsigned auto_increment primary key, v varchar(9)); insert into counted values (18446744073709551610, 'a'); set sql_mode = 'NO_AUTO_VALUE_ON_ZERO'; insert into counted values (0, 'zero'); set sql_mode = default; create table few (id tinyint auto_increment primary key, n int); insert into few (n) values (1), (2), (3); delete from few where id = 3",
    "insert into few (n) values (5); delete from few where id = 1; delete from counted",
  ],
  [
    "drawn ids, as text and as bytes",
    "create table drawn (id char(36) default (uuid()) primary key, bin binary(16) unique, u uuid, x varbinary(20)); insert into drawn (bin, u, x) values (unhex(replace(uuid(), '-', '')), uuid(), x'00ff')",
    "insert into drawn (bin) values (unhex('000102030405060708090a0b0c0d0e0f')); update drawn set x = null",
  ],
  [
    "every kind of value",
    "create table kinds (b bit(9), ub bigint unsigned, sb bigint, d decimal(40, 10), f float, g double, e enum('x', 'y'), s set('p', 'q'), j json, z date, dt datetime(6), ts timestamp(3) null, t time(2), y year, bl longblob, c char(3), tx text character set latin1, geo point); set sql_mode = ''; insert into kinds values (b'101', 18446744073709551615, -9223372036854775808, 123456789012345678901234567890.0123456789, 0.1, 1e-300, 'x', 'p,q', '{\"a\": [1, 9007199254740993]}', '0000-00-00', '2020-00-01 10:00:00.123456', '2020-01-01 00:00:00.123', '-12:30:00.25', 2020, x'00ff', 'ab', 'é', point(1, 2)); insert into kinds (e, z) values ('none of them', '2020-02-30'); set sql_mode = default",
    "set sql_mode = ''; update kinds set e = 'y', f = 0.2, d = null; insert into kinds (b, y) values (b'1', 1999); set sql_mode = default",
  ],
  [
    "generated and invisible columns",
    "create table made (id int auto_increment primary key, a int, twice int generated always as (a * 2) stored, thrice int as (a * 3) virtual, hidden varchar(9) invisible default 'h'); insert into made (a, hidden) values (1, 'one'), (2, 'two')",
    "update made set a = 5, hidden = 'x' where a = 1; insert into made (a) values (9)",
  ],
  [
    "foreign keys in a circle, and to itself",
    "create table a (id int primary key, b int); create table b (id int primary key, a int, foreign key (a) references a (id) on delete cascade); alter table a add foreign key (b) references b (id) on delete set null; create table tree (id int primary key, parent int, foreign key (parent) references tree (id) on delete cascade); insert into a values (1, null); insert into b values (1, 1); update a set b = 1; insert into tree values (1, null), (2, 1)",
    "delete from tree where id = 1; update a set b = null; delete from b; insert into a values (2, null)",
  ],
  [
    "triggers that change, log and reject rows",
    "create table log (n int auto_increment primary key, line text); create table watched (n int, up varchar(9)); create trigger one before insert on watched for each row set new.up = upper(new.up); create trigger two after insert on watched for each row insert into log (line) values (concat('in ', new.n)); create trigger three after insert on watched for each row precedes two begin declare x int; set x = 1; insert into log (line) values ('first'); end; create trigger four before delete on watched for each row begin if old.n = 99 then signal sqlstate '45000'; end if; insert into log (line) values ('gone'); end; insert into watched values (1, 'a'), (99, 'b')",
    "insert into watched values (2, 'c'); delete from watched where n = 1",
  ],
  [
    "views, routines, events and sequences",
    "create table base (n int); insert into base values (1); create view above as select n from base; create view shown as select n from above where n > 0; create function twice (n int) returns int deterministic return n * 2; create procedure adding (in x int) begin insert into base values (x); end; create event tidy on schedule every 1 day starts '2035-01-01 00:00:00' disable do delete from base; create sequence s start with 5; create table numbered (id bigint default (next value for s) primary key, v int); insert into numbered (v) values (1)",
    "insert into above values (2); call adding(4); insert into numbered (v) values (2); delete from numbered where v = 1",
  ],
  [
    "partitions",
    "create table parts (n int, t text) partition by range (n) (partition p0 values less than (10), partition rest values less than maxvalue); insert into parts values (1, 'x'), (20, 'y')",
    "update parts set n = 2 where n = 20; delete from parts where n = 1",
  ],
  [
    "odd names",
    "create table `a.b``c,d{e}` (` x` int primary key, `null` int, `sel\"ect` text); insert into `a.b``c,d{e}` values (1, 2, '3'); create table `Größe 1` (`ü` int); insert into `Größe 1` values (1)",
    "update `a.b``c,d{e}` set `null` = 3; delete from `Größe 1`",
  ],
  [
    "a broken check, and other engines",
    "create table mem (a int) engine = aria; insert into mem values (1); create table my (id int auto_increment primary key, f text, fulltext (f)) engine = myisam; insert into my (f) values ('some words'); create table checked (n int); set check_constraint_checks = 0; alter table checked add constraint positive check (n > 0); insert into checked values (-1); set check_constraint_checks = 1",
    "delete from checked; insert into checked values (4); delete from my; update mem set a = 2",
  ],
  [
    "unique values that change places",
    "create table places (id int primary key, place varchar(9) unique); insert into places values (1, 'one'), (2, 'two')",
    "update places set place = 'three' where id = 1; update places set place = 'one' where id = 2; update places set place = 'two' where id = 1",
  ],
];

/** Opens a server's connection to a database. */
export async function openMysql(uri: string): Promise<(sql: string) => Promise<unknown>> {
  const mysql = createRequire(import.meta.url)("mysql2/promise");
  const client = await mysql.createConnection({ uri, multipleStatements: true });
  onTestFinished(() => client.end());
  return async (sql) => (await client.query(sql))[0];
}

describe.runIf(hasMariadb())("a MariaDB database", () => {
  const started = serveMariadb();
  /** The names of databases that trials have created. */
  const left = () => started().query("show databases like 'sandglass%'");

  it("a trial leaves a MariaDB database with every kind of table unchanged, in place and with --start", async () => {
    const server = started();
    const url = await server.create("every_kind");
    const client = await openMysql(url);
    for (const [, make] of MARIADB) await client(make);
    const before = server.dump(url);
    const change = async (use: typeof client) => {
      for (const [, , sql] of MARIADB) await use(sql);
    };
    await playRuns(url, () => change(client));
    expect(server.dump(url)).toBe(before);

    const work = await workOn(url);
    const used = await openMysql(work.source);
    expect(withoutName(server.dump(work.source), work.source)).toBe(withoutName(before, url));
    await playRuns(work.source, () => change(used), "every_kind");
    expect(withoutName(server.dump(work.source), work.source)).toBe(withoutName(before, url));
    await work.close();
    expect(server.dump(url)).toBe(before);
    expect(await left()).toEqual([]);
  });

  it("a trial reads MariaDB values exactly: large numbers as text, bytes as hex, 16-byte ids as UUIDs", async () => {
    const url = await started().create("exactly");
    await (await openMysql(url))(
      `create table kinds (id binary(16) primary key, big bigint unsigned, small int unsigned, price decimal(10, 2), wide decimal(40, 10),
         flags bit(9), mood enum('sad', 'happy'), tags set('a', 'b'), body json, at datetime(6), raw varbinary(9), name varchar(9) invisible);
       insert into kinds (id, big, small, price, wide, flags, mood, tags, body, at, raw, name) values
         (x'000102030405060708090a0b0c0d0e0f', 18446744073709551615, 4294967295, 10.50, 12345678901234567890.5, b'101', 'happy', 'a,b',
          '{"n": 9007199254740993, "list": [1]}', '2026-01-15 09:00:00.123456', x'00ff', 'Ada')`,
    );
    expect(await readState(url)).toEqual({
      kinds: [
        {
          id: "00010203-0405-0607-0809-0a0b0c0d0e0f",
          ...{
            big: "18446744073709551615",
            small: 4294967295,
            price: 10.5,
            wide: "12345678901234567890.5000000000",
          },
          ...{ flags: 5, mood: "happy", tags: "a,b", body: { n: "9007199254740993", list: [1] } },
          ...{ at: "2026-01-15 09:00:00.123456", raw: "0x00ff", name: "Ada" },
        },
      ],
    });
  });

  it("changes to a MariaDB copy affect only the copy, even if its triggers and views name the original", async () => {
    const server = started();
    const url = await server.create("named");
    const client = await openMysql(url);
    await client(
      "create table log (line text); create table orders (id int); create trigger noted after insert on orders for each row insert into named.log values ('named.log is kept here'); create view shown as select named.log.line from named.log",
    );
    const work = await workOn(url);
    const used = await openMysql(work.source);
    await used("insert into orders values (1)");
    expect(await used("select line from shown")).toEqual([{ line: "named.log is kept here" }]);
    expect(await client("select * from log")).toEqual([]);
    await work.close();
  });

  it("a trial rejects a MariaDB database if it could not restore the rows, and gives the reason", async () => {
    const server = started();
    const url = await server.create("refused");
    const client = await openMysql(url);
    await client(
      "create table plain (id int auto_increment primary key, line text); insert into plain (line) values ('x'); create user clerk@'%' identified by 'secret'; grant select on refused.* to clerk@'%'",
    );
    const clerk = url.replace("shop:", "clerk:");
    const refusal = async () => {
      const tables = await openTables(clerk, { idleMs: 0 });
      const reason = await tables.putBack().catch((error: { hint: string } & Error) => error);
      await tables.close();
      expect(await left()).toEqual([]);
      return reason && `${reason.message} ${reason.hint}`;
    };
    const grant = "grant all privileges on `sandglass\\_trial\\_%`.* to 'clerk'@'%'";
    expect(await refusal()).toContain(grant);
    await expect(workOn(clerk)).rejects.toMatchObject({ hint: expect.stringContaining(grant) });
    await client(grant);
    expect(await refusal()).toMatch(/The rows of plain .* could not be restored: DELETE command denied/);
    await client("grant insert, delete, alter on refused.* to clerk@'%'");
    expect(await refusal()).toBeUndefined();
    await client(
      "grant trigger on refused.* to clerk@'%'; create trigger noted before insert on plain for each row set @x = 1",
    );
    expect(await refusal()).toMatch(/The rows of plain .* could not be restored: .*SET USER/);
    const work = await workOn(clerk);
    await work.close();
    expect(await left()).toEqual([]);
  });

  it("the next command restores rows and triggers of a MariaDB trial that was killed while restoring", async () => {
    const server = started();
    const url = await server.create("killed");
    const client = await openMysql(url);
    await client(
      "create table log (line text); create table orders (id int primary key); create trigger noted after insert on orders for each row insert into log values ('new'); insert into orders values (1)",
    );
    const before = server.dump(url);
    const tables = await openTables(url, { idleMs: 0 });
    await tables.putBack();
    // Simulates the state after a trigger was dropped and before the rows have been restored completely.
    const [trigger] = (await client("show create trigger noted")) as Record<string, string>[];
    const off = {
      ...{ name: "noted", table: "orders", statement: trigger!["SQL Original Statement"] },
      ...{ mode: trigger!.sql_mode, client: "utf8mb4", collation: trigger!.collation_connection },
    };
    await client(
      `insert into sandglass_trial_rows_killed.off (trigger_) values ('${JSON.stringify(off).replaceAll("'", "''")}'); drop trigger noted`,
    );
    const others = (await client(
      "select id from information_schema.processlist where db = 'killed' and id <> connection_id()",
    )) as { id: number }[];
    for (const { id } of others) await client(`kill ${id}`);
    await tables.close().catch(() => undefined);
    await (await openTables(url, { idleMs: 0 })).close();
    expect(server.dump(url)).toBe(before);
    expect(await left()).toEqual([]);
  });

  it("an in-place trial on MariaDB rejects a second one, no matter how the address is spelled", async () => {
    const url = await started().create("held");
    await (await openMysql(url))("create table plain (line text)");
    const tables = await openTables(url, { idleMs: 0 });
    await tables.putBack();
    const second = await openTables(url.replace("127.0.0.1", "localhost"), { idleMs: 0 });
    await expect(second.putBack()).rejects.toMatchObject({
      message: expect.stringContaining("Another Sandglass trial is using"),
    });
    await second.close();
    await tables.close();
    expect(await left()).toEqual([]);
  });

  it("an in-place trial stops without restoring any rows if another program writes to MariaDB between deliveries", async () => {
    const url = await started().create("others");
    const client = await openMysql(url);
    await client(
      "create table notes (id int auto_increment primary key, line text); create table plain (line text)",
    );
    const tables = await openTables(url, { idleMs: 0 });
    for (const line of ["first", "second"]) {
      await tables.putBack();
      await tables.begin();
      await client(`insert into notes (line) values ('${line}')`);
      await tables.end();
    }
    await tables.putBack();
    await client("insert into plain values ('mine')");
    await expect(tables.begin()).rejects.toMatchObject({
      message: expect.stringMatching(/changed plain in .* nothing was restored/),
    });
    await tables.close();
    expect(await client("select line from plain")).toHaveLength(1);
    expect(await left()).toHaveLength(1);
    expect(await decide(url, "keep")).toContain("was left as it is");
    expect(await client("select line from plain")).toHaveLength(1);
    expect(await left()).toEqual([]);
  });

  it("a trial restores a MariaDB database that its server changed directly, unless others use it", async () => {
    const url = await started().create("bypassed");
    const client = await openMysql(url);
    await client("create table plain (line text); insert into plain values ('before')");
    const used = await workOn(url);
    await client("insert into plain values ('by the server')");
    expect(await used.isBypassed()).toBe(true);
    await expect(used.restore()).rejects.toMatchObject({
      message: expect.stringContaining("were NOT restored: others use it"),
    });
    await used.close();
    expect(await decide(url, "restore")).toContain("has its rows from the start");
    expect(await client("select line from plain")).toEqual([{ line: "before" }]);

    await client("use shop");
    const alone = await workOn(url);
    await client("insert into bypassed.plain values ('by the server')");
    expect(await alone.isBypassed()).toBe(true);
    await alone.restore();
    await alone.close();
    expect(await client("select line from bypassed.plain")).toEqual([{ line: "before" }]);
    expect(await left()).toEqual([]);
  });

  it("the next command removes a killed MariaDB trial's copy once its lock is free", async () => {
    const url = await started().create("abandoned");
    const client = await openMysql(url);
    await client("create table plain (line text)");
    const work = await workOn(url);
    await (await openTables(url, { idleMs: 0 })).close();
    expect((await left()).length).toBeGreaterThan(1);
    // When a process is killed, the system closes its connections. Simulate that here.
    const all = (await client(
      "select id from information_schema.processlist where user = 'shop' and id <> connection_id() and db = 'information_schema'",
    )) as { id: number }[];
    for (const { id } of all) await client(`kill ${id}`);
    await expect
      .poll(async () => {
        await (await openTables(url, { idleMs: 0 })).close();
        return left();
      })
      .toEqual([]);
    await work.close();
  });

  it("a copy of a MariaDB database is consistent while another program writes in transactions", async () => {
    const url = await started().create("moving");
    const [client, other] = [await openMysql(url), await openMysql(url)];
    await client(
      "create table a (n int); create table b (n int); insert into a values (0); insert into b values (0)",
    );
    let isOver = false;
    const writing = (async () => {
      while (!isOver)
        await other("start transaction; update a set n = n + 1; update b set n = n + 1; commit").catch(() =>
          other("rollback"),
        );
    })();
    for (let copies = 0; copies < 5; copies += 1) {
      const work = await workOn(url);
      const copy = await openMysql(work.source);
      const [row] = (await copy("select a.n as a, b.n as b from a, b")) as { a: number; b: number }[];
      expect(row!.a).toBe(row!.b);
      await work.confirm();
      await work.close();
    }
    isOver = true;
    await writing;
    expect(await left()).toEqual([]);
  });
});

/** A dump in which the database's name is replaced, because its code may refer to the database by name. */
const withoutName = (dump: string, url: string): string => dump.replaceAll(readAddress(url).database, "shop");
