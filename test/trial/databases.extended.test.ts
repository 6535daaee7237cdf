import { chownSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { urlAt } from "../../src/trial/database/postgres/variable.ts";
import { openTables } from "../../src/trial/database/tables.ts";
import { workOn } from "../../src/trial/database/work.ts";
import { openStatements } from "../../src/trial/statements/postgres/wire.ts";
import { openClient } from "../explore/postgres-safety.ts";
import { ISSUED } from "../support/certificates.ts";
import { hasPostgres, type PostgresServer } from "../support/postgres.ts";
import { servePostgres } from "./postgres.ts";

describe.runIf(hasPostgres())("a Postgres database", () => {
  const started = servePostgres();

  it("a trial recognizes a Postgres database by its socket, and restores 49,999 rows", async () => {
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
      message: expect.stringContaining("Another Sandglass trial is using"),
    });
    await second.close();
    await expect(workOn(url)).rejects.toMatchObject({
      message: expect.stringContaining("Another Sandglass trial is using"),
    });
    await tables.begin();
    await client("update orders set status = 'changed' where id % 100 = 0; delete from orders where id < 10");
    await tables.end();
    await tables.close();
    expect(await sum()).toEqual(before);
  });
});

/**
 * Makes a server require SCRAM and TLS, except on its socket.
 * @returns the folder of its socket, and the file with its certificate authority
 */
async function secure(server: PostgresServer) {
  const [{ data, socket }] = (await server.query(
    "select current_setting('data_directory') as data, current_setting('unix_socket_directories') as socket",
  )) as [{ data: string; socket: string }];
  const write = (name: string, text: string): string => {
    const file = join(data, name);
    writeFileSync(file, text, { mode: 0o600 });
    chownSync(file, statSync(data).uid, statSync(data).gid);
    return file;
  };
  write("server.crt", ISSUED.cert);
  write("server.key", ISSUED.key);
  const ca = write("ca.crt", ISSUED.ca);
  await server.query("alter role shop password 'secret'");
  await server.query("alter system set ssl = on");
  write("pg_hba.conf", "local all all trust\nhostssl all all all scram-sha-256\n");
  await server.query("select pg_reload_conf()");
  return { socket, ca };
}

describe.runIf(hasPostgres())("a Postgres database that requires SCRAM and TLS", () => {
  const started = servePostgres();

  it("a trial leaves a Postgres database with SCRAM and TLS unchanged, or rejects it beforehand", async () => {
    const server = started();
    const url = await server.create("secured");
    const { socket, ca } = await secure(server);
    const bySocket = `postgres://shop@localhost:${new URL(url).port}/secured?host=${encodeURIComponent(socket)}&sslmode=disable`;
    const client = await openClient(bySocket);
    onTestFinished(client.end);
    await client("create table orders (id serial primary key, status text)");
    await client("insert into orders (status) values ('paid'), (null)");
    const before = server.dump(bySocket);
    const change = "update orders set status = 'changed'; insert into orders default values";
    const opened = (address: string) => openTables(address, { idleMs: 0 });

    await expect.poll(() => opened(url).catch(({ message }) => message)).toMatch(/no encryption/);
    await expect(opened(url)).rejects.toMatchObject({ hint: expect.stringContaining("sslmode=") });
    await expect(opened(`${url}?sslmode=verify-full`)).rejects.toMatchObject({
      message: expect.stringContaining("certificate"),
      hint: expect.stringContaining("sslrootcert="),
    });
    const addresses = [
      `${url}?sslmode=no-verify`,
      `${url}?sslmode=verify-full&sslrootcert=${ca}`,
      `${url}?sslmode=prefer&uselibpqcompat=true`,
      url,
    ];
    for (const address of addresses) {
      // The environment requires TLS for connections to this URL.
      if (address === url) vi.stubEnv("PGSSLMODE", "no-verify");
      const tables = await opened(address);
      for (let run = 0; run < 2; run += 1) {
        await tables.putBack();
        await tables.begin();
        await client(change);
        await tables.end();
      }
      await tables.close();
      expect(server.dump(bySocket), address).toBe(before);

      const work = await workOn(address);
      const statements = await openStatements(work.source);
      const copied = await openTables(work.source, { idleMs: 0, copyOf: "secured" });
      await copied.putBack();
      const used = await openClient(urlAt(address, statements.place)!);
      await used(change);
      await used.end();
      expect(await copied.read()).toMatchObject({ orders: [{ status: "changed" }, {}, { id: 3 }] });
      await copied.putBack();
      expect((await copied.read()).orders, address).toHaveLength(2);
      await copied.close();
      await statements.close();
      await work.close();
      expect(server.dump(bySocket), address).toBe(before);
    }
    vi.unstubAllEnvs();
    expect(await client("select datname from pg_database where datname like 'sandglass%'")).toEqual([]);
  });
});
