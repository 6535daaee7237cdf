import { join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, it, onTestFinished } from "vitest";
import { explore } from "../../src/index.ts";
import { folderOf } from "../support/cli.ts";
import { readEvent } from "./handlers.ts";

const SCHEMA = `
  create table customers (id integer primary key, name text);
  create table orders (
    id integer primary key autoincrement, customer_id integer not null references customers, reference text unique, status text
  );
  create table changes (id integer primary key, order_id integer not null references orders, event text unique);
  insert into customers values (1, 'Ada'), (2, 'Grace');
  insert into orders (customer_id, reference, status) values (1, 'old-1', 'paid'), (2, 'old-2', 'cancelled');
  insert into changes (order_id, event) values (1, 'payment of old-1'), (2, 'expiry of old-2');`;

/**
 * A shop with related tables, in which each customer of the story has two orders. The database generates the ids, and
 * already contains some rows.
 * @param recordsAt SQL that selects the order for which a change is recorded; `?` is its reference
 */
function openShop(recordsAt = "select id from orders where reference = ?") {
  const file = join(folderOf(), "shop.db");
  const db = new Database(file);
  onTestFinished(() => void db.close());
  db.pragma("foreign_keys = on");
  db.exec(SCHEMA);
  const idOf = db.prepare<[string], number>(recordsAt).pluck();
  const handle = db.transaction((type: string, key: string, reference: string) => {
    if (db.prepare("select 1 from changes where event = ?").get(key)) return;
    db.prepare("insert or ignore into orders (customer_id, reference, status) values (2, ?, 'open')").run(
      reference,
    );
    if (type === "payment.completed")
      db.prepare("update orders set status = 'paid' where reference = ?").run(reference);
    if (type === "checkout.expired")
      db.prepare("update orders set status = 'cancelled' where reference = ? and status = 'open'").run(
        reference,
      );
    db.prepare("insert into changes (order_id, event) values (?, ?)").run(idOf.get(reference), key);
  });
  const subscriber = async (request: Request): Promise<Response> => {
    const { type, key, order, isTest } = await readEvent(request);
    if (!isTest) handle(type, key, order);
    return new Response("OK");
  };
  return { db, options: { subscriber, state: `sqlite:${file}`, inPlace: true } };
}

describe("a handler whose tables refer to each other by generated ids", () => {
  it.each(["late-payment", "two-customers"])(
    "explore finds nothing wrong in the story %s if generated ids link the tables, and restores existing rows",
    async (story) => {
      const { db, options } = openShop();
      const rows = () =>
        ["customers", "orders", "changes"].map((table) => db.prepare(`select * from ${table}`).all());
      const before = rows();
      const { failure, verdict } = await explore({ ...options, story, deviations: 1 });
      expect(failure?.story).toBeUndefined();
      expect(verdict).toBe("nothing_found");
      expect(rows()).toEqual(before);
    },
  );

  it("explore reports a wrong row that is reachable only through a foreign key", async () => {
    const { options } = openShop("select id from orders where ? <> '' order by id desc limit 1");
    const { failure } = await explore({ ...options, story: "two-customers", deviations: 1 });
    expect(failure?.differences.map(({ path }) => path)).toContainEqual(
      expect.stringMatching(/^changes\.\d+\.order_id$/),
    );
  });
});
