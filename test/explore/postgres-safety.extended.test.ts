import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openTables } from "../../src/trial/database/tables.ts";
import { hasPostgres, type PostgresServer, startPostgres } from "../support/postgres.ts";
import { openClient, openShop } from "./postgres-safety.ts";

describe.runIf(hasPostgres())("a user's Postgres database", () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.close());

  it("keeps what another program inserts: named where no delivery writes, and nothing is judged where one does", async () => {
    const shop = await openShop(server);
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
    const shop = await openShop(server);
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
