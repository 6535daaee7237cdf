import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { decide } from "../../src/trial/database/abandoned.ts";
import { openTables } from "../../src/trial/database/tables.ts";
import { configured } from "../support/cli.ts";
import { hasPostgres, type PostgresServer, startPostgres } from "../support/postgres.ts";
import { openClient, openShop, PARTS } from "./postgres-safety.ts";
import { ONLY_NAMED } from "./safety.ts";

describe.runIf(hasPostgres())("a user's Postgres database", () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.close());

  it("explore --start only reads the Postgres database, and removes the copy of a killed trial", async () => {
    const shop = await openShop(server);
    const ended = await shop.explore("parts.mjs", shop.url, ...configured({ databaseEnv: PARTS }));
    expect([ended.code, ended.stderr]).toEqual([1, expect.stringMatching(ONLY_NAMED)]);
    expect(await shop.everything()).toEqual(shop.before);
    expect(await shop.left()).toEqual([]);

    const killed = await shop.start();
    await expect.poll(async () => (await shop.left()).length).toBe(1);
    killed.kill("SIGKILL");
    await killed.ended;
    expect(await shop.everything()).toEqual(shop.before);
    expect(await shop.recover()).toBe("");
    expect(await shop.left()).toEqual([]);
  });

  it("explore restores a Postgres database after a server ignored the copy, and lists the variables that the server got", async () => {
    const shop = await openShop(server);
    const bypassing = configured({ databaseEnv: ["PGURL"] });
    const { code, stderr } = await shop.explore("round.mjs", shop.url, ...bypassing);
    expect([code, stderr]).toEqual([
      3,
      expect.stringMatching(/does not use the copy.*DATABASE_URL, PGURL\./),
    ]);
    expect(stderr).not.toContain("secret@");
    expect(await shop.everything()).toEqual(shop.before);
    expect(await shop.left()).toEqual([]);

    // While other connections use the database, their rows cannot be distinguished from the server's.
    const other = await openClient(shop.url);
    const again = await shop.explore("round.mjs");
    await other.end();
    expect([again.code, again.stderr]).toEqual([
      3,
      expect.stringContaining("were NOT restored: others use it"),
    ]);
    expect(await decide(shop.url, "restore")).toContain("has its rows from the start");
    expect(await shop.everything()).toEqual(shop.before);
    expect(await shop.left()).toEqual([]);
  });

  it("explore refuses to copy a Postgres database without the createdb privilege, and prints the statements that grant all missing privileges", async () => {
    const shop = await openShop(server);
    await server.query("create role keeper login");
    await server.query(`alter database ${shop.name} owner to keeper`);
    await shop.query("grant select on all tables in schema public to keeper");
    // SQLAlchemy's format, in which a project's own variable may be.
    const state = shop.url.replace(/^\w+:\/\/shop:secret@/, "postgresql+asyncpg://keeper@");
    const { code, stderr } = await shop.explore("server.mjs", state);
    expect([code, stderr]).toEqual([
      3,
      expect.stringContaining(
        'alter role "keeper" createdb; grant set on parameter session_replication_role to "keeper"',
      ),
    ]);
    expect(await shop.left()).toEqual([]);
  });

  it("explore rejects a second in-place trial on Postgres, no matter how the address is spelled", async () => {
    const shop = await openShop(server);
    const tables = await openTables(shop.url, { idleMs: 0 });
    await tables.putBack();
    const second = await openTables(shop.url.replace("127.0.0.1", "localhost"), { idleMs: 0 });
    await expect(second.putBack()).rejects.toMatchObject({
      message: expect.stringContaining("Another Sandglass trial is using"),
    });
    await second.close();
    await tables.close();
    expect(await shop.left()).toEqual([]);
  });

  it("explore stops without restoring any rows if another program writes to Postgres between deliveries", async () => {
    const shop = await openShop(server);
    const tables = await openTables(shop.url, { idleMs: 0 });
    for (const line of ["first", "second"]) {
      await tables.putBack();
      await tables.begin();
      await shop.query(`insert into notes (line) values ('${line}')`);
      await tables.end();
    }
    await tables.putBack();
    await shop.query("insert into plain values ('mine')");
    await expect(tables.begin()).rejects.toMatchObject({
      message: expect.stringMatching(/changed plain in .* nothing was restored/),
    });
    await tables.close();
    expect(await shop.query("select line from plain where line = 'mine'")).toHaveLength(1);
    expect(await shop.left()).toHaveLength(1);
    expect(await decide(shop.url, "keep")).toContain("was left as it is");
    expect(await shop.query("select line from plain where line = 'mine'")).toHaveLength(1);
    expect(await shop.left()).toEqual([]);
  });
});
