import { randomUUID } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { type ExploreOptions, explore, readState } from "../../src/index.ts";
import { openTables } from "../../src/trial/database/tables.ts";
import { expectMisuse, folderOf, runCli } from "../support/cli.ts";
import { hasPostgres, type PostgresServer, startPostgres } from "../support/postgres.ts";
import { readEvent } from "./handlers.ts";
import { openClient } from "./postgres-safety.ts";
import { serveShop } from "./server.ts";

const SHOP = `
  create table customers (id serial primary key, name text);
  create table orders (
    id uuid primary key, number int generated always as identity, reference text unique,
    customer int not null references customers, status text, updated_at timestamptz default now()
  );
  create table handled (key text primary key);
  create function mail() returns trigger language plpgsql as
    $$ begin insert into customers (name) values ('mailed'); return null; end $$;
  insert into customers (name) values ('Ada');`;

const CASH = ["--secret", "whsec_test", "--story", "late-payment"];

it("explore rejects a Postgres state that is not a valid URL", async () => {
  const args = ["explore", "localhost:3000", "--secret", "whsec_test", "--state"];
  const cwd = folderOf();
  expectMisuse(await runCli([...args, "postgres://::"], { cwd }), /postgres:\/\/:: is not a database URL/);
});

it("explore reads Postgres with its own client, no matter which version of pg the project has", async () => {
  const cwd = folderOf();
  const pg = join(cwd, "node_modules/pg");
  mkdirSync(pg, { recursive: true });
  writeFileSync(join(pg, "package.json"), '{ "version": "7.18.2", "main": "index.js" }');
  writeFileSync(join(pg, "index.js"), 'throw new Error("the project\'s pg was loaded");');
  const state = ["--state", "postgres://127.0.0.1:1/shop"];
  const { stderr } = await runCli(["explore", "localhost:3000", "--secret", "whsec_test", ...state], { cwd });
  expect(stderr).toContain("postgres://127.0.0.1:1/shop cannot be used: connect ECONNREFUSED 127.0.0.1:1.");
});

describe.skipIf(!hasPostgres())("a subscriber with a Postgres database", () => {
  let server: PostgresServer;
  let count = 0;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.close());

  /** Creates a shop in a separate database, in a schema that is part of its URL. */
  async function openShop(cancelsPaid = false) {
    count += 1;
    const schema = "shop";
    const url = await server.create(`shop_${count}`);
    const client = await openClient(url);
    onTestFinished(client.end);
    await client(
      `create schema shop; set search_path = shop; ${SHOP}
       create trigger mailing after delete on orders for each row execute function shop.mail(); set search_path = public`,
    );
    const handler = async (request: Request): Promise<Response> => {
      const { type, key, order, isTest } = await readEvent(request);
      if (isTest) return new Response("ignored");
      const kept = cancelsPaid ? "" : "where orders.status <> 'paid'";
      const status = type === "payment.completed" ? "paid" : "cancelled";
      await client(`
        with first as (insert into ${schema}.handled values ('${key}') on conflict do nothing returning 1)
        insert into ${schema}.orders (id, reference, customer, status)
        select '${randomUUID()}', '${order}', 1, '${status}' from first
        on conflict (reference) do update set status = excluded.status, updated_at = now()
        ${status === "cancelled" ? kept : ""}`);
      return new Response("OK");
    };
    const state = `${url}?schema=${schema}`;
    const options: ExploreOptions = {
      ...{ subscriber: handler, state, inPlace: true, story: "late-payment", deviations: 1 },
    };
    return { schema, query: client, handler, state, options };
  }

  it("explore needs no reset for a Postgres database, and leaves its rows unchanged", async () => {
    const { schema, query, options } = await openShop();
    await query(
      `insert into ${schema}.orders (id, reference, customer) values (gen_random_uuid(), 'old', 1)`,
    );
    const everything = async () => {
      const all: unknown[] = [];
      for (const from of ["orders t", "customers t", "handled t", "orders_number_seq", "customers_id_seq"])
        all.push(
          await query(
            `select ${from.endsWith("t") ? "t::text" : "last_value, is_called"} from ${schema}.${from}`,
          ),
        );
      return all;
    };
    const before = await everything();
    const { failure, verdict, schedules } = await explore(options);
    expect(failure?.story).toBeUndefined();
    expect([verdict, schedules]).toEqual(["nothing_found", 16]);
    expect(await everything()).toEqual(before);
  });

  it("explore finds wrong rows in Postgres, and prints no password", async () => {
    const { handler, state } = await openShop(true);
    const { url } = await serveShop({
      handler,
      reset: () => undefined,
      state: () => ({ orders: {}, revenue: 0 }),
    });
    const args = ["explore", url, ...CASH, "--in-place", "--state", state, "--json"];
    const { code, stdout } = await runCli(args, { cwd: server.project });
    const { finding, stories } = JSON.parse(stdout);
    expect(code).toBe(1);
    expect(finding.differences).toEqual([
      { path: "orders[0].status", expected: "paid", actual: "cancelled" },
    ]);
    expect(stories[0].ownPlaces).toEqual([{ path: "orders.*.updated_at", holds: "time" }]);
    expect(stories[0].stateUrl).toBe(state.replace(":secret", ""));
    expect(stdout).not.toContain("secret@");
    const inQuery = state.replace(":secret@", "@").replace("?", "?password=hunter2&");
    const again = await runCli(["explore", url, ...CASH, "--in-place", "--state", inQuery], {
      cwd: server.project,
    });
    const [, saved] = /^Known: (\S+)\.$/m.exec(again.stdout)!;
    const text = readFileSync(join(server.project, saved!), "utf8");
    expect(text).toMatch(/\nexpect:\n {2}orders\.\*\.status: \[paid\]/);
    expect(text).not.toContain("postgres:");
    for (const one of [again.stdout, again.stderr, text]) expect(one).not.toContain("hunter2");
  });

  it("explore rejects a wrong Postgres table, schema or address, and lists the existing ones", async () => {
    const { state } = await openShop();
    await expect(openTables(state, { only: ["order"] })).rejects.toMatchObject({
      code: "not_found",
      message: expect.stringContaining("/shop_3?schema=shop has no table order."),
      hint: "Did you mean orders?",
    });
    await expect(readState("postgres://127.0.0.1:1/shop")).rejects.toMatchObject({
      code: "unreachable",
      message: "The database postgres://127.0.0.1:1/shop cannot be used: connect ECONNREFUSED 127.0.0.1:1.",
    });
    await expect(readState(state.replace("schema=", "schema=no_"))).rejects.toMatchObject({
      message: expect.stringContaining("has no schema no_shop."),
    });
  });

  it("explore names the missing privilege if a Postgres user cannot restore rows without firing triggers", async () => {
    const { query, state } = await openShop();
    await query(
      "create role clerk login; grant usage on schema shop to clerk; grant select on all tables in schema shop to clerk",
    );
    const tables = await openTables(state.replace("shop:secret@", "clerk@"), { idleMs: 0 });
    await expect(tables.putBack()).rejects.toMatchObject({
      code: "invalid_state",
      hint: expect.stringContaining("grant set on parameter session_replication_role"),
    });
    await tables.close();
  });

  it("explore reads Postgres values of any type, and restores rows no matter what the server did to them", async () => {
    const url = await server.create("types");
    const query = await openClient(url);
    onTestFinished(query.end);
    await query(`
      create schema types;
      set search_path = types;
      create type mood as enum ('happy', 'sad');
      create table parents (id bigserial primary key, name text);
      create table children (
        id int generated always as identity, parent bigint references parents on delete cascade, moods mood[],
        twice int generated always as (amount * 2) stored, amount int, blob bytea, doc jsonb, wei numeric
      );
      create table days (day date, note text) partition by range (day);
      create table days_2026 partition of days for values from ('2026-01-01') to ('2027-01-01');
      insert into parents (name) values ('a, "b" (c)'), (null);
      insert into children (parent, moods, amount, blob, doc, wei)
        values (1, '{happy,sad}', 3, '\\x00ff', '{"a": [1, null]}', 123456789012345678901);
      insert into days values ('2026-02-03', 'it''s');
      set search_path = public`);
    const state = `${url}?schema=types`;
    const first = await readState(state);
    expect(first).toEqual({
      parents: [
        { id: 1, name: 'a, "b" (c)' },
        { id: 2, name: null },
      ],
      children: [
        {
          ...{ id: 1, parent: 1, moods: ["happy", "sad"], twice: 6, amount: 3, blob: "\\x00ff" },
          ...{ doc: { a: [1, null] }, wei: "123456789012345678901" },
        },
      ],
      days: [{ day: "2026-02-03", note: "it's" }],
    });
    const change = fc.constantFrom(
      "insert into parents (name) values ('new')",
      "delete from parents where id = 1",
      "update parents set name = name || '!'",
      "insert into children (parent, amount) values (null, 5)",
      "update children set amount = amount + 1, wei = wei + 1",
      "update days set note = 'changed'",
      "delete from days",
      "truncate parents cascade",
    );
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 4 }), async (changes) => {
        const tables = await openTables(state, { idleMs: 0 });
        await tables.putBack();
        await tables.begin();
        await query(`set search_path = types; ${changes.join("; ")}; set search_path = public`);
        await tables.end();
        await tables.close();
        expect(await readState(state)).toEqual(first);
        expect(await query("select last_value from types.parents_id_seq")).toEqual([{ last_value: "2" }]);
      }),
      { numRuns: 10 },
    );
  });
});
