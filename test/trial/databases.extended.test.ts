import { describe, expect, it, onTestFinished } from "vitest";
import { openTables } from "../../src/trial/database/tables.ts";
import { workOn } from "../../src/trial/database/work.ts";
import { openClient } from "../explore/postgres-safety.ts";
import { hasPostgres } from "../support/postgres.ts";
import { servePostgres } from "./postgres.ts";

describe.runIf(hasPostgres())("a Postgres database", () => {
  const started = servePostgres();

  it("recognizes a Postgres database by its socket, and restores 49,999 rows", async () => {
    const server = started();
    const url = await server.create("large");
    const client = await openClient(url);
    onTestFinished(client.end);
    await client(
      "create table orders (id int primary key, status text); insert into orders select n, 'paid' from generate_series(1, 49999) n",
    );
    const sum = () => client("select count(*), sum(hashtext(o::text)) from orders o");
    const before = await sum();
    const [{ folder }] = (await client("select current_setting('unix_socket_directories') as folder")) as [
      { folder: string },
    ];
    const bySocket = `postgres://shop@localhost:${new URL(url).port}/large?host=${encodeURIComponent(folder)}`;
    const tables = await openTables(bySocket, { idleMs: 0 });
    await tables.putBack();
    const second = await openTables(url, { idleMs: 0 });
    await expect(second.putBack()).rejects.toMatchObject({
      message: expect.stringContaining("Another trial"),
    });
    await second.close();
    await expect(workOn(url)).rejects.toMatchObject({ message: expect.stringContaining("Another trial") });
    await tables.begin();
    await client("update orders set status = 'changed' where id % 100 = 0; delete from orders where id < 10");
    await tables.end();
    await tables.close();
    expect(await sum()).toEqual(before);
  });
});
