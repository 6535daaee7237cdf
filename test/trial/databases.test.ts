import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, it, onTestFinished, test, vi } from "vitest";
import { openTables } from "../../src/trial/database/tables.ts";
import { workOn } from "../../src/trial/database/work.ts";
import { openClient } from "../explore/postgres-safety.ts";
import { folderOf } from "../support/cli.ts";
import { hasPostgres } from "../support/postgres.ts";
import { type Kind, playRuns } from "./databases.ts";
import { servePostgres } from "./postgres.ts";

const SQLITE: Kind[] = [
  [
    "no key",
    "create table no_key (a, b); insert into no_key values (1, 'x'), (1, 'x'), (null, null)",
    "delete from no_key where rowid = 2; insert into no_key values (2, 'y')",
  ],
  [
    "a case-insensitive text key",
    "create table cased (id text primary key collate nocase, n) without rowid; insert into cased values ('A', 1), ('b', 2)",
    "update cased set id = 'B' where id = 'b'; delete from cased where id = 'a'",
  ],
  [
    "a composite key",
    "create table pairs (a int, b text, c, primary key (a, b)) without rowid; insert into pairs values (1, 'x', 0), (1, 'y', 0)",
    "update pairs set b = 'z' where b = 'x'; insert into pairs values (2, 'x', 1)",
  ],
  [
    "unique values that are swapped",
    "create table places (id integer primary key, place text unique); insert into places values (1, 'one'), (2, 'two')",
    "update places set place = 'three' where id = 1; update places set place = 'one' where id = 2; update places set place = 'two' where id = 1",
  ],
  [
    "strict tables and columns of any type",
    "create table strictly (id integer primary key, v any) strict; insert into strictly values (1, '123'), (2, 123), (3, x'00ff'), (4, 1.0)",
    "update strictly set v = 123 where id = 1; delete from strictly where id = 3",
  ],
  [
    "a generated column",
    "create table twice (a int, b int generated always as (a * 2) stored, c as (a + 1)); insert into twice values (1), (2)",
    "update twice set a = 5 where a = 1",
  ],
  [
    "autoincrement keys",
    "create table counted (id integer primary key autoincrement, v); insert into counted (v) values ('a'), ('b'); delete from counted where id = 2",
    "insert into counted (v) values ('c'); delete from counted",
  ],
  [
    "triggers",
    "create table watched (v); create table seen (what); create trigger \"on it\" after insert on watched begin insert into seen values (new.v); end; create trigger gone after delete on watched begin insert into seen values ('gone'); end; insert into watched values (1)",
    "insert into watched values (2); delete from watched where v = 1",
  ],
  [
    "a search index",
    "create virtual table found using fts5(line); insert into found values ('one fine day'), ('another')",
    "insert into found values ('one more'); delete from found where line = 'another'",
  ],
  [
    "self-referencing foreign keys",
    "create table tree (id int primary key, parent int references tree on delete cascade); insert into tree values (1, null), (2, 1), (3, 2)",
    "pragma foreign_keys = on; delete from tree where id = 1; pragma foreign_keys = off",
  ],
  [
    "a violated check constraint",
    "create table checked (n int); insert into checked values (-1); pragma writable_schema = on; update sqlite_schema set sql = 'create table checked (n int check (n > 0))' where name = 'checked'; pragma writable_schema = reset",
    "delete from checked; insert into checked values (4)",
  ],
  [
    "unusual names",
    `create table "a.b""c,d\\{e}" (" x " text, "NULL" int, "rowid" text); insert into "a.b""c,d\\{e}" values ('1', 2, '3'); create table " t " (a); insert into " t " values (1)`,
    `update "a.b""c,d\\{e}" set "NULL" = 3; insert into " t " values (2)`,
  ],
  [
    "invalid UTF-8 and infinities",
    "create table odd (value); insert into odd values (cast(x'68c3e9ff' as text)), (9e999), (-9e999), (9007199254740993), ('')",
    "update odd set value = 1; insert into odd values (cast(x'ff' as text))",
  ],
  [
    "views",
    "create table base (v); insert into base values (1); create view shown as select * from base; create trigger into_view instead of insert on shown begin insert into base values (new.v); end",
    "insert into shown values (2)",
  ],
];

/** The rows with their rowids and types, plus the schema. */
function dumpOf(file: string): string {
  const db = new Database(file, { readonly: true });
  db.unsafeMode();
  try {
    const tables = db
      .prepare<[], { name: string; type: string; wr: number }>(
        "select name, type, wr from pragma_table_list where schema = 'main' and type in ('table', 'shadow') order by name",
      )
      .all();
    const parts = tables.map(({ name, wr }) => {
      const columns = db
        .prepare<[string], string>("select name from pragma_table_xinfo(?)")
        .pluck()
        .all(name);
      const all = [
        ...(wr || columns.includes("rowid") ? [] : ["rowid"]),
        ...columns.map((one) => `"${one.replaceAll('"', '""')}"`),
      ];
      const values = all.map((one) => `typeof(${one}), hex(cast(${one} as blob))`);
      return [
        name,
        db
          .prepare(`select ${values.join()} from "${name.replaceAll('"', '""')}"`)
          .raw()
          .all()
          .map(String)
          .sort(),
      ];
    });
    return JSON.stringify(
      [parts, db.prepare("select type, name, sql from sqlite_schema order by type, name").all()],
      null,
      1,
    );
  } finally {
    db.close();
  }
}

function openState() {
  const cwd = folderOf();
  const trials = join(cwd, "state/sandglass/trials");
  vi.stubEnv("XDG_STATE_HOME", join(cwd, "state"));
  onTestFinished(() => void vi.unstubAllEnvs());
  return { cwd, left: () => (existsSync(trials) ? readdirSync(trials) : []) };
}

test.each(SQLITE)(
  "a trial leaves a SQLite database with %s unchanged, in place and with --start",
  async (_name, make, change) => {
    const { cwd, left } = openState();
    const file = join(cwd, "shop.db");
    const use = (path: string, sql: string) => {
      const db = new Database(path);
      db.unsafeMode();
      db.exec(sql);
      db.close();
    };
    use(file, make);
    const before = dumpOf(file);
    await playRuns(`sqlite:${file}`, () => use(file, change));
    expect(dumpOf(file)).toBe(before);

    const work = await workOn(`sqlite:${file}`);
    const copy = work.source.slice("sqlite:".length);
    await playRuns(work.source, () => use(copy, change), "shop.db");
    expect(dumpOf(copy)).toBe(before);
    await work.close();
    expect(dumpOf(file)).toBe(before);
    expect([...left(), ...readdirSync(cwd).filter((name) => name.includes(".sandglass"))]).toEqual([]);
  },
);

const POSTGRES: Kind[] = [
  [
    "no key",
    "create table no_key (a int, b text); insert into no_key values (1, 'x'), (1, 'x'), (null, null)",
    "delete from no_key where ctid = '(0,2)'; insert into no_key values (2, 'y')",
  ],
  [
    "composite and text keys",
    "create table pairs (a int, b text, c char(4), primary key (a, b)); insert into pairs values (1, 'x', 'ab'), (1, 'y', null)",
    "update pairs set b = 'z' where b = 'x'; insert into pairs values (2, 'x', 'q')",
  ],
  [
    "identity and generated columns",
    "create table identified (id int generated always as identity, a int, twice int generated always as (a * 2) stored); insert into identified (a) values (1), (2)",
    "insert into identified (a) values (3); delete from identified where a = 1",
  ],
  [
    "every kind of value",
    "create type mood as enum ('sad', 'happy'); create domain price as numeric check (value > 0); create table kinds (m mood, p price, l int[], d jsonb, r int4range, b bytea, n numeric, f float8, c char(3)); insert into kinds values ('sad', 1.50, '{1,null}', '{\"a\": [1]}', '[1,5)', '\\x00ff', 'NaN', 'infinity', 'a')",
    "update kinds set m = 'happy', n = 1, f = 0.1, d = null; insert into kinds (b) values ('x')",
  ],
  [
    "partitions and heirs",
    "create table parts (n int, t text) partition by range (n); create table parts_1 partition of parts for values from (0) to (10); create table parts_rest partition of parts default; insert into parts values (1, 'x'), (20, 'y'); create table parent (a int); create table heir (b int) inherits (parent); insert into parent values (1); insert into heir values (2, 3)",
    "update parts set n = 2 where n = 20; delete from parts where n = 1; update parent set a = 9",
  ],
  [
    "views, rules and materialized views",
    "create table base (n int); insert into base values (1); create view shown as select * from base; create materialized view counted as select count(*) from base; create rule nothing as on delete to base do instead nothing",
    "insert into shown values (2); refresh materialized view counted",
  ],
  [
    "foreign keys in a circle, deferred and to itself",
    "create table a (id int primary key, b int); create table b (id int primary key, a int references a deferrable initially deferred); alter table a add foreign key (b) references b; create table tree (id int primary key, parent int references tree on delete cascade); insert into a values (1, null); insert into b values (1, 1); update a set b = 1; insert into tree values (1, null), (2, 1)",
    "delete from tree where id = 1; update a set b = null; delete from b; insert into a values (2, null)",
  ],
  [
    "exclusion constraints",
    "create table booked (during int4range, exclude using gist (during with &&)); insert into booked values ('[1,5)'), ('[5,9)')",
    "delete from booked where during = '[1,5)'; update booked set during = '[2,8)'",
  ],
  [
    "triggers of each setting",
    "create table log (line text); create function noted() returns trigger language plpgsql as $$ begin insert into log values (tg_name); return null; end $$; create table watched (n int); create trigger usual after insert or delete on watched for each row execute function noted(); create trigger always after insert or delete on watched for each row execute function noted(); alter table watched enable always trigger always; create trigger replica after insert or delete on watched for each row execute function noted(); alter table watched enable replica trigger replica; insert into watched values (1)",
    "insert into watched values (2); delete from watched where n = 1",
  ],
  [
    "a trigger that logs every definition",
    "create table made (tag text); create function made() returns event_trigger language plpgsql as $$ begin insert into public.made values (tg_tag); end $$; create event trigger making on ddl_command_end execute function made(); delete from made",
    "insert into made values ('by the server')",
  ],
  [
    "row level security",
    "create table secured (n int); alter table secured enable row level security; alter table secured force row level security; create policy visible on secured using (n > 1); insert into secured values (1), (2)",
    "update secured set n = n + 1",
  ],
  [
    "several schemas",
    'create schema billing; create table billing.subscriptions (id serial primary key, n int); insert into billing.subscriptions (n) values (1); create table subscriptions (id int); create schema "Odd, one"; create table "Odd, one"."x.y" (a int); insert into "Odd, one"."x.y" values (1)',
    'insert into billing.subscriptions (n) values (2); delete from "Odd, one"."x.y"',
  ],
  [
    "odd names",
    `create table "a.b""c,d\\{e}" (" x " text primary key, "NULL" int); insert into "a.b""c,d\\{e}" values ('1', 2); create table " t " ("a""b" int); insert into " t " values (1); create table "NULL" (n timestamptz default now()); insert into "NULL" default values`,
    `update "a.b""c,d\\{e}" set "NULL" = 3; insert into " t " values (2); delete from "NULL"`,
  ],
  [
    "no columns, and no log",
    "create table bare (); insert into bare default values; create unlogged table quick (n int); insert into quick values (1)",
    "insert into bare default values; delete from quick",
  ],
];

describe.runIf(hasPostgres())("a Postgres database", () => {
  const started = servePostgres();

  it("a trial leaves a Postgres database with every kind of table unchanged, in place and with --start", async () => {
    const server = started();
    const url = await server.create("kinds");
    const client = await openClient(url);
    for (const [, make] of POSTGRES) await client(make);
    const before = server.dump(url);
    const change = async (use: typeof client) => {
      for (const [, , sql] of POSTGRES) await use(sql);
    };
    await playRuns(url, () => change(client));
    expect(server.dump(url)).toBe(before);
    await client.end();

    const work = await workOn(url);
    const server2 = await openClient(work.source);
    await playRuns(work.source, () => change(server2), "kinds");
    expect(server.dump(work.source)).toBe(before);
    await server2.end();
    await work.close();
    expect(server.dump(url)).toBe(before);
    expect(await server.query("select datname from pg_database where datname like 'sandglass%'")).toEqual([]);
  });

  it("a trial rejects a Postgres database if it could not restore the rows, and gives the reason", async () => {
    const server = started();
    const url = await server.create("refused");
    const client = await openClient(url);
    onTestFinished(client.end);
    const refusal = async (as = url) => {
      const tables = await openTables(as, { idleMs: 0 }).catch((error) => error);
      const reason = tables instanceof Error ? tables : await tables.putBack().catch((error: Error) => error);
      await tables.close?.();
      expect(await client("select nspname from pg_namespace where nspname like 'sandglass%'")).toEqual([]);
      return (reason as Error | undefined)?.message;
    };
    await client(
      "create table plain (line text); insert into plain values ('x'); create publication everything for all tables",
    );
    expect(await refusal()).toMatch(/The rows of plain .* could not be restored: .*replica identity/);
    await client(
      "drop publication everything; create role clerk login; grant usage on schema public to clerk",
    );
    const clerk = url.replace("shop:secret@", "clerk@");
    expect(await refusal(clerk)).toMatch(
      /The database user of .* does not have a permission that a trial needs: permission denied/,
    );
    await client("grant select on plain to clerk; grant create on database refused to clerk");
    expect(await refusal(clerk)).toMatch(/does not have permission to restore rows without firing triggers/);
    await client("grant set on parameter session_replication_role to clerk");
    expect(await refusal(clerk)).toMatch(/permission denied for table plain/);
    await client("grant insert, delete on plain to clerk");
    expect(await refusal(clerk)).toBeUndefined();
    await client("alter table plain enable row level security");
    expect(await refusal(clerk)).toMatch(/row-level security/);
    await client("alter table plain disable row level security");
    await client(
      "create function f() returns event_trigger language plpgsql as 'begin end'; create event trigger always on ddl_command_end execute function f(); alter event trigger always enable always",
    );
    expect(await refusal()).toMatch(/The event trigger always .* always runs/);
  });
});
