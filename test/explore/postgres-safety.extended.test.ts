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

  it("explore reports where the copy is and what to do if another program locks the Postgres database at the end", async () => {
    const shop = await openShop(server);
    const tables = await openTables(shop.url, { idleMs: 0 });
    await tables.putBack();
    for (const line of ["first", "second"]) {
      await tables.begin();
      await shop.query(
        `update orders set status = '${line}'; insert into bare default values; insert into plain values ('${line}')`,
      );
      await tables.end();
    }
    const locker = await openClient(shop.url);
    await locker("begin; lock table orders");
    await expect(Promise.resolve(tables.close())).rejects.toMatchObject({
      message: expect.stringContaining("were NOT restored: "),
      hint: expect.stringMatching(/the schema sandglass_trial in it.*--restore --state/),
    });
    await locker("rollback");
    await locker.end();
    await shop.recover();
    expect(await shop.everything()).toEqual(shop.before);
    expect(await shop.left()).toEqual([]);
  });
});
