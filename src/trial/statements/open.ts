import { isIP } from "node:net";
import { invalidState } from "../../errors/errors.ts";
import { connectTo, databaseIn } from "../database/postgres/client.ts";
import { createLocks } from "./locks.ts";
import { openProxy } from "./proxy.ts";
import type { DatabaseStatements } from "./statements.ts";
import { findReadWrites } from "./stored-code.ts";
import { createWatcher } from "./watcher.ts";

/**
 * Puts a proxy in front of a database.
 * @param address of the copy that the server works on
 * @throws SandboxError `unreachable`
 */
export async function openStatements(address: string): Promise<DatabaseStatements> {
  const url = new URL(address);
  const connection = await connectTo(address);
  const locks = createLocks(connection);
  const watcher = createWatcher(locks);
  const socket = url.searchParams.get("host");
  const port = Number(url.port || url.searchParams.get("port") || 5432);
  const host = socket || url.hostname || "localhost";
  const place = host.startsWith("/")
    ? { path: `${host}/.s.PGSQL.${port}` }
    : { host: decodeURIComponent(host).replace(/^\[|\]$/g, ""), port };
  const isReadWrite = await findReadWrites(connection);
  // Encrypt as pg does: a database that accepts the trial's own connection then accepts the proxy's, too.
  const tls = connection.tls && { ...connection.tls, servername: isIP(url.hostname) ? "" : url.hostname };
  const target = { place, database: databaseIn(address), tls, isReadWrite };
  const proxy = await openProxy(target, watcher);
  watcher.use(proxy);
  const { watch, agree, pause, quietFor } = watcher;
  return {
    ...{ watch, agree, pause, gate: watcher },
    quietFor: () => Math.min(quietFor(), proxy.quietFor()),
    ...{ env: {}, seesAll: true },
    get connections() {
      return proxy.connections;
    },
    insistsOnTls: () =>
      proxy.connections === 0 && proxy.tlsRequests > 0
        ? invalidState(
            "The server insists on TLS to its database. The address that it is given leads to a proxy on this machine, which watches its statements and speaks no TLS.",
            "Let your code follow sslmode in the address, which says disable, or leave TLS out where the host is 127.0.0.1. The proxy itself uses TLS to the database if the address in --state says so.",
          )
        : undefined,
    place: { host: "127.0.0.1", port: proxy.port, database: proxy.database },
    async close() {
      await proxy.close();
      await connection.end();
    },
  };
}
