import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import fc from "fast-check";
import { describe, expect, it, onTestFinished, test } from "vitest";
import { type ExploreOptions, explore, readState } from "../../src/index.ts";
import { openTables } from "../../src/trial/database/tables.ts";
import { listed } from "../../src/trial/database/words.ts";
import { configured, expectMisuse, folderOf, runCli } from "../support/cli.ts";
import { readEvent } from "./handlers.ts";
import { serveShop } from "./server.ts";
import { exploreSubscriptions } from "./tables.ts";

const SCHEMA = `
  create table orders (
    id text primary key, reference text unique, status text, updated_at text default current_timestamp
  );
  create table handled (key text primary key, at integer);
  create table mails (id integer primary key autoincrement, subject text);
  create trigger mailing after insert on orders begin
    insert into mails (subject) values ('about ' || new.reference);
  end;`;

interface Habits {
  /** Whether it sets an order to cancelled even if it is paid. */
  cancelsPaid?: boolean;
  /** Whether it remembers handled events only in memory, and not in its table. */
  remembers?: boolean;
}

/** A shop that stores everything in a SQLite file, with generated ids, the machine's time, a counter and a trigger. */
function openShop({ cancelsPaid = false, remembers = false }: Habits = {}) {
  const file = join(folderOf(), "shop.db");
  const db = new Database(file);
  onTestFinished(() => void db.close());
  db.pragma("journal_mode = wal");
  db.exec(SCHEMA);
  const memory = new Set<string>();
  const isHandled = (key: string) =>
    remembers ? memory.has(key) : db.prepare("select 1 from handled where key = ?").get(key) !== undefined;
  const setStatus = db.prepare(`
    insert into orders (id, reference, status) values (?, ?, ?)
    on conflict (reference) do update set status = excluded.status, updated_at = current_timestamp
  `);
  const handler = async (request: Request): Promise<Response> => {
    const { type, key, order, isTest } = await readEvent(request);
    if (isTest || isHandled(key)) return new Response("ignored");
    const status = db.prepare("select status from orders where reference = ?").pluck().get(order);
    if (type === "payment.completed") setStatus.run(randomUUID(), order, "paid");
    if (type === "checkout.expired" && (cancelsPaid || status !== "paid"))
      setStatus.run(randomUUID(), order, "cancelled");
    memory.add(key);
    if (!remembers) db.prepare("insert into handled values (?, ?)").run(key, Date.now());
    return new Response("OK");
  };
  const options: ExploreOptions = {
    subscriber: handler,
    state: `sqlite:${file}`,
    inPlace: true,
    story: "late-payment",
  };
  return { db, file, handler, options };
}

describe("a subscriber whose state is its database", () => {
  it("explore needs no reset for a SQLite database, and ignores generated ids and times", async () => {
    const { db, options } = openShop();
    db.exec("insert into orders values ('old', 'order-1', 'paid', '2025-01-01 00:00:00')");
    const before = db.prepare("select * from orders, mails").all();
    const { failure, verdict, schedules } = await explore({ ...options, deviations: 1 });
    expect(failure?.story).toBeUndefined();
    expect([verdict, schedules]).toEqual(["nothing_found", 16]);
    expect(db.prepare("select * from orders, mails").all()).toEqual(before);
  });

  it("explore finds wrong rows, and lists the columns that differ in every run", async () => {
    const { failure } = await explore(openShop({ cancelsPaid: true }).options);
    expect(failure?.differences).toEqual([
      { path: "orders[0].status", expected: "paid", actual: "cancelled" },
    ]);
    expect(failure?.story.replaceAll(/\s+/g, " ")).toContain(
      "machine times (orders.*.updated_at, handled.*.at).",
    );
  });

  it("explore restores rows that the server writes after its first responses", async () => {
    const { db, options, handler } = openShop();
    db.exec("create table late (line text primary key)");
    const write = () => db.exec("insert or ignore into late values ('late')");
    let count = 0;
    const { verdict } = await explore({
      ...options,
      async subscriber(request) {
        const response = await handler(request as Request);
        count += 1;
        // The first run sends two requests.
        if (count <= 2) setTimeout(write, 1);
        else write();
        return response;
      },
      deviations: 1,
    });
    expect(verdict).toBe("nothing_found");
    expect(db.prepare("select count(*) from late").pluck().get()).toBe(0);
  });

  it("explore rejects a server that remembers events in memory while its tables are restored", async () => {
    const { db, options } = openShop({ remembers: true });
    await expect(explore(options)).rejects.toMatchObject({
      code: "invalid_state",
      message: expect.stringMatching(/^Restoring the tables leaves something behind: .* orders\S* ends up/),
      hint: expect.stringContaining("your server remembers the rest in memory"),
    });
    expect(db.prepare("select count(*) from orders").pluck().get()).toBe(0);
  });

  it("explore restores the database after a finding, and sandglass run restores it after a replay", async () => {
    const { db, file, handler } = openShop({ cancelsPaid: true });
    const fixed = openShop();
    const serve = async (one: typeof handler) => {
      const { url } = await serveShop({
        handler: one,
        reset: () => undefined,
        state: () => ({ orders: {}, revenue: 0 }),
      });
      return url;
    };
    const [url, fixedUrl, cwd] = [await serve(handler), await serve(fixed.handler), folderOf()];
    const secret = ["--secret", "whsec_test"];
    const found = await runCli(
      [
        ...["explore", url, ...secret, "--story", "late-payment"],
        ...["--in-place", "--state", `sqlite:${file}`, ...configured({ tables: ["orders", "handled"] })],
      ],
      { cwd },
    );
    expect([found.code, found.stderr]).toEqual([1, ""]);
    expect(found.stdout).toContain('orders[0].status   expected "paid", got "cancelled"');
    const [, saved] = /^Saved as (\S+)\.$/m.exec(found.stdout)!;
    const rows = () => [db, fixed.db].map((one) => one.prepare("select count(*) from orders").pluck().get());
    expect(rows()).toEqual([0, 0]);

    expect(readFileSync(join(cwd, saved!), "utf8")).toContain("\ntables: [orders, handled]\n");
    const run = (of: string, state: string) =>
      runCli(["run", saved!, "--subscriber", of, "--in-place", "--state", `sqlite:${state}`, ...secret], {
        cwd,
      });
    const failed = await run(url, file);
    expect(failed.code).toBe(1);
    expect(failed.stdout).toMatch(/cancelled/);
    const passed = await run(fixedUrl, fixed.file);
    expect([passed.code, passed.stderr]).toEqual([0, ""]);
    expect(rows()).toEqual([0, 0]);
  });

  it("explore rejects a wrong SQLite file or table, and lists the existing ones", async () => {
    const { file, options } = openShop();
    await expect(explore({ ...options, state: "sqlite:not-there.db" })).rejects.toMatchObject({
      code: "not_found",
      message: "There is no database not-there.db.",
    });
    await expect(readState("sqlite:package.json")).rejects.toMatchObject({
      code: "bad_request",
      message: "The database package.json cannot be used: file is not a database.",
    });
    const args = ["explore", "localhost:3000", "--secret", "whsec_test"];
    const misnamed = await runCli([
      ...args,
      ...["--in-place", "--state", `sqlite:${file}`],
      ...configured({ tables: ["order"] }),
    ]);
    expectMisuse(misnamed, /has no table order\./);
    expect(misnamed.stderr).toContain("Did you mean orders?");
    expectMisuse(
      await runCli([
        ...args,
        "--state",
        "http://localhost",
        "--reset",
        "true",
        ...configured({ tables: ["orders"] }),
      ]),
      /subject\.tables/,
    );
  });
});

describe("a state command", () => {
  it("a state command prints the state as JSON, and an error quotes its output", async () => {
    await expect(readState(`node -p '"[1]"'`)).resolves.toEqual([1]);
    await expect(readState("node -p 1+")).rejects.toMatchObject({
      code: "unreachable",
      message: "The state command exited with code 1: node -p 1+",
    });
    await expect(readState("echo nothing")).rejects.toMatchObject({
      code: "invalid_state",
      message: 'The state command does not print JSON, but "nothing\\n".',
    });
  });
});

test("restoring tables brings back rows, counters and triggers no matter what the server did to them", async () => {
  const name = fc.constantFrom("a", "b");
  const change = fc.oneof(
    fc.tuple(fc.constant("insert"), name, fc.integer({ min: 0, max: 3 })),
    fc.tuple(fc.constant("delete"), name, fc.integer({ min: 0, max: 3 })),
    fc.tuple(fc.constant("update"), name, fc.integer({ min: 0, max: 3 })),
  );
  const apply = (db: Database.Database, [kind, table, value]: [string, string, number]) => {
    if (kind === "insert") db.prepare(`insert into ${table} (value) values (?)`).run(value);
    if (kind === "delete") db.prepare(`delete from ${table} where value = ?`).run(value);
    if (kind === "update") db.prepare(`update ${table} set value = value + 1 where value = ?`).run(value);
  };
  await fc.assert(
    fc.asyncProperty(fc.array(change), fc.array(change), async (first, then) => {
      const file = join(folderOf(), "any.db");
      const db = new Database(file);
      db.exec(`
        create table a (id integer primary key autoincrement, value, twice as (value * 2));
        create table b (value integer, id text default 'x', primary key (id, value)) without rowid;
        create table log (line text, bytes blob);
        create virtual table found using fts5(line);
        create trigger on_a after insert on a begin
          insert into log values ('a' || new.value, x'00ff');
          insert into found values ('a' || new.value);
        end;
        create trigger off_a after delete on a begin insert into log (line) values ('gone'); end;
      `);
      const attempt = (one: [string, string, number]) => {
        try {
          apply(db, one);
        } catch (error) {
          expect((error as { code: string }).code).toMatch(/^SQLITE_CONSTRAINT/);
        }
      };
      const all = () =>
        ["a", "b", "log", "sqlite_sequence", "sqlite_schema where type = 'trigger'"].map((from) =>
          db.prepare(`select * from ${from}`).all(),
        );
      for (const one of first) attempt(one);
      const [before, searched] = [all(), db.prepare("select * from found where found match 'a1'").all()];
      const tables = await openTables(`sqlite:${file}`, { idleMs: 0 });
      await tables.putBack();
      await tables.begin();
      for (const one of then) attempt(one);
      await tables.end();
      await tables.putBack();
      const triggers = (rows: unknown[][]) =>
        rows.map((part) => part.map((row) => ({ ...(row as object), rootpage: 0 })));
      expect(triggers(all())).toEqual(triggers(before));
      expect(db.prepare("select * from found where found match 'a1'").all()).toEqual(searched);
      await tables.close();
      db.close();
    }),
    { numRuns: 15 },
  );
});

describe("a story that ends where it began", () => {
  it("explore compares the state after each delivery with the state after the same events in the calm run", async () => {
    const { failure, verdict } = await exploreSubscriptions("replace");
    expect(verdict).toBe("found");
    expect(failure?.invariant).toBe(
      'After sub.created, subs.sub_1.status is "trial"; when everything goes well, it is "active" after the same events.',
    );
    expect(await exploreSubscriptions("ignore")).toMatchObject({ verdict: "nothing_found", failure: null });
  });
});

test.each([
  [20, "table-20"],
  [23, "table-20 and 3 more"],
])("a message about %d tables ends with %s", (all, end) => {
  const names = Array.from({ length: all }, (_, index) => `table-${index + 1}`);
  expect(listed(names).split(", ").at(-1)).toBe(end);
});
