import { randomUUID } from "node:crypto";
import { join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, it, onTestFinished } from "vitest";
import { explore } from "../../src/index.ts";
import { folderOf } from "../support/cli.ts";
import { ACME, type AcmeEvent } from "./acme.ts";

/**
 * Explores a handler that stores everything in a SQLite file.
 * @param before the SQL that creates the tables
 */
function exploreTables(
  before: string,
  handle: (event: AcmeEvent, db: Database.Database) => void,
  options: { story: string; ordered?: string[] },
) {
  const cwd = folderOf({ "acme.yaml": ACME });
  const file = join(cwd, "shop.db");
  const db = new Database(file);
  onTestFinished(() => void db.close());
  db.pragma("synchronous = off");
  db.exec(before);
  return explore({
    async subscriber(request) {
      handle((await request.json()) as AcmeEvent, db);
      return new Response();
    },
    ...{ state: `sqlite:${file}`, inPlace: true, sender: join(cwd, "acme.yaml"), deviations: 1, ...options },
  });
}

const CANCEL = { story: "cancel" };
const ORDERS = `create table orders (id text primary key, cents, mark);
  insert into orders values ('old-1', 100, null), ('old-2', 100, '2025-01-01T00:00:00.000Z');`;

/**
 * A handler that marks cancelled orders.
 * @param revives whether a late payment removes the mark
 */
const marking = (mark: () => unknown, revives: boolean) => (event: AcmeEvent, db: Database.Database) => {
  if (event.type === "order.paid")
    db.prepare(
      `insert into orders values (?, ?, null) on conflict (id) do update set cents = excluded.cents ${revives ? ", mark = null" : ""}`,
    ).run(event.order, event.amount);
  else
    db.prepare(
      "insert into orders values (?, 2500, ?) on conflict (id) do update set mark = excluded.mark",
    ).run(event.order, mark());
};

describe("a value that differs from run to run", () => {
  it.each<[what: string, mark: () => unknown, shown: string]>([
    ["a time from the machine's clock", () => new Date().toISOString(), "a time of the run"],
    ["a time one day ahead", () => Date.now() + 86_400_000, "1 d after a time of the run"],
    ["a generated id", randomUUID, "a generated id"],
  ])("explore reports that %s is missing, but ignores a different one", async (_what, mark, shown) => {
    const { failure } = await exploreTables(ORDERS, marking(mark, true), CANCEL);
    expect(failure?.differences).toEqual([{ path: "orders.ord_1.mark", expected: shown, actual: null }]);
    expect(await exploreTables(ORDERS, marking(mark, false), CANCEL)).toMatchObject({
      verdict: "nothing_found",
    });
  });

  it("explore compares times inside JSON text", async () => {
    const mark = () => JSON.stringify({ by: "webhook", at: new Date().toISOString() });
    const { failure } = await exploreTables(ORDERS, marking(mark, true), CANCEL);
    expect(failure?.differences).toMatchObject([{ path: "orders.ord_1.mark", actual: null }]);
    expect(await exploreTables(ORDERS, marking(mark, false), CANCEL)).toMatchObject({
      verdict: "nothing_found",
    });
  });

  it.each([true, false])(
    "explore compares times in a state that is not a database (the handler removes the time: %j)",
    async (revives) => {
      const orders: Record<string, { cents: number; cancelledAt: number | null }> = {};
      const { failure, verdict } = await explore({
        async subscriber(request) {
          const { type, order, amount } = (await request.json()) as AcmeEvent;
          if (type === "order.cancelled") orders[order] = { cents: 2_500, cancelledAt: Date.now() };
          else if (revives || !orders[order]) orders[order] = { cents: amount, cancelledAt: null };
          return new Response();
        },
        state: () => structuredClone(orders),
        reset: () => void delete orders.ord_1,
        ...{ sender: join(folderOf({ "acme.yaml": ACME }), "acme.yaml"), deviations: 1, ...CANCEL },
      });
      expect(verdict).toBe(revives ? "found" : "nothing_found");
      if (revives)
        expect(failure?.differences).toEqual([
          { path: "ord_1.cancelledAt", expected: "a time of the run", actual: null },
        ]);
    },
  );

  it("explore reports a time rounded to seconds only if a second event really changes it", async () => {
    const licences = (until: string) => (event: AcmeEvent, db: Database.Database) =>
      db
        .prepare(
          `insert into licences values (?, datetime('now', '+1 day')) on conflict (id) do update set valid_to = ${until}`,
        )
        .run(event.order);
    const tables = "create table licences (id text primary key, valid_to text);";
    const one = { story: "payment" };
    expect(await exploreTables(tables, licences("excluded.valid_to"), one)).toMatchObject({
      verdict: "nothing_found",
    });
    const { failure } = await exploreTables(tables, licences("datetime(valid_to, '+1 day')"), one);
    expect(failure?.differences).toMatchObject([
      { path: "licences.ord_1.valid_to", expected: "1 d after a time of the run" },
    ]);
  });
});

describe("a log whose entries are numbered per group", () => {
  const LOGS = {
    "a primary key":
      "stream text, version integer, event_id text unique, amount integer, primary key (stream, version)",
    "a unique index":
      "position integer primary key autoincrement, stream text, version integer, event_id text unique, amount integer, unique (stream, version)",
  };
  const REFUNDS = { story: "refunds" };
  /** Appends each event, either once or every time, with the next number of its stream. */
  const append = (once: boolean) => (event: AcmeEvent, db: Database.Database) =>
    db.transaction(() => {
      if (once && db.prepare("select 1 from log where event_id like ? || '%'").get(event.id)) return;
      const next = db
        .prepare("select coalesce(max(version), 0) + 1 from log where stream = ?")
        .pluck()
        .get(event.order);
      db.prepare("insert into log (stream, version, event_id, amount) values (?, ?, ?, ?)").run(
        ...[event.order, next, once ? event.id : `${event.id} ${next}`, event.amount],
      );
    })();

  it.each(Object.keys(LOGS) as (keyof typeof LOGS)[])(
    "explore ignores the order of log entries numbered by %s, but reports an extra entry",
    async (known) => {
      const table = `create table log (${LOGS[known]}); insert into log (stream, version, event_id, amount) values ('old', 7, 'evt_0', 5);`;
      expect(await exploreTables(table, append(true), REFUNDS)).toMatchObject({ verdict: "nothing_found" });
      expect((await exploreTables(table, append(false), REFUNDS)).verdict).toBe("found");
    },
  );

  it("explore compares the order of a log that is listed in the ordered setting", async () => {
    const table = `create table log (${LOGS["a primary key"]})`;
    const { verdict } = await exploreTables(table, append(true), { ...REFUNDS, ordered: ["log"] });
    expect(verdict).toBe("found");
  });
});
