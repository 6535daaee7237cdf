import { createRequire } from "node:module";
import { expect, it, onTestFinished } from "vitest";
import { enterMysql } from "../../src/trial/statements/mysql/login.ts";
import { queryPart } from "../../src/trial/statements/mysql/requests.ts";
import { openProxy } from "../../src/trial/statements/proxy.ts";
import { MYSQL } from "../../src/trial/statements/sql-form.ts";
import { startMysqlServer } from "../support/mysql-server.ts";
import { SELF_SIGNED } from "../support/self-signed.ts";

const mysql = createRequire(import.meta.url)("mysql2/promise");
const PASSWORD = "pass word";

/** Starts a server that behaves like MySQL 8, a proxy in front of it, and a client for each. */
async function openBoth(tls?: { key: string; cert: string }) {
  const server = await startMysqlServer(PASSWORD, tls);
  onTestFinished(server.close);
  const target = {
    place: { host: "127.0.0.1", port: server.port },
    tls: tls && { rejectUnauthorized: false },
    rollbackErrors: new Set<number>(),
  };
  const never = (): never => {
    throw new Error("not called");
  };
  const proxy = await openProxy(
    {
      ...{ of: "mysql", form: MYSQL, token: "shop", withoutTls: "" },
      locks: { waitsFor: async () => false, isLeft: async () => false },
      enter: (client, door) => enterMysql(client, door, target),
      textOf: (sql) => sql,
      isReadWrite: () => false,
      ...{ begin: queryPart(""), commit: queryPart(""), undo: never },
      ...{ needsNoTransaction: never, failure: never, answerOutside: never, close: async () => undefined },
    },
    { arrive: () => undefined, leave: () => undefined },
  );
  onTestFinished(proxy.close);
  const ask = async (port: number, ssl?: object): Promise<unknown> => {
    const client = await mysql.createConnection({
      ...{ host: "127.0.0.1", port, user: "shop", password: PASSWORD, database: "shop" },
      ...(ssl && { ssl }),
    });
    const [rows] = await client.query("select 1 as one");
    await client.end();
    return rows;
  };
  return {
    logins: server.logins,
    itself: () => ask(server.port, tls && { rejectUnauthorized: false }),
    throughProxy: () => ask(proxy.port),
  };
}

const ONE = [{ one: 1 }];

it("the proxy lets a MySQL 8 client use the fast login after the trial has logged in to that account", async () => {
  const { logins, itself, throughProxy } = await openBoth();
  expect(await itself()).toEqual(ONE);
  expect(await throughProxy()).toEqual(ONE);
  expect(await throughProxy()).toEqual(ONE);
  expect(logins).toEqual({ fast: 2, full: 1 });
});

it("the proxy forwards a full MySQL 8 login, with the password encrypted with the server's key", async () => {
  const { logins, throughProxy } = await openBoth();
  expect(await throughProxy()).toEqual(ONE);
  expect(logins).toEqual({ fast: 0, full: 1 });
});

it("the proxy explains to a MySQL client why a login that requires TLS fails before the trial has logged in", async () => {
  const { logins, itself, throughProxy } = await openBoth(SELF_SIGNED);
  await expect(throughProxy()).rejects.toThrow(
    "Use the account from --state: it has already logged in, so the server knows its password.",
  );
  expect(await itself()).toEqual(ONE);
  expect(await throughProxy()).toEqual(ONE);
  expect(logins).toEqual({ fast: 1, full: 1 });
});
