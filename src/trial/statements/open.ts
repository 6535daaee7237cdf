import { readFileSync } from "node:fs";
import { isIP } from "node:net";
import type { ConnectionOptions } from "node:tls";
import { invalidState } from "../../errors/errors.ts";
import { connectTo, databaseIn } from "../database/postgres/client.ts";
import { createLocks } from "./locks.ts";
import { openProxy } from "./proxy.ts";
import type { DatabaseStatements } from "./statements.ts";
import { findReadWrites } from "./stored-code.ts";
import { createWatcher } from "./watcher.ts";

/** The encryption that an address asks for; undefined for none. */
function encryptionOf({ hostname, searchParams: own }: URL): ConnectionOptions | undefined {
  const mode = own.get("sslmode") ?? (own.get("ssl") ? "require" : "disable");
  if (["disable", "allow", "prefer"].includes(mode)) return undefined;
  const read = (name: string) => {
    const file = own.get(name);
    return file ? readFileSync(file) : undefined;
  };
  return {
    ...{ ca: read("sslrootcert"), cert: read("sslcert"), key: read("sslkey") },
    ...{ servername: isIP(hostname) ? "" : hostname, rejectUnauthorized: mode.startsWith("verify") },
  };
}

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
  const target = { place, database: databaseIn(address), tls: encryptionOf(url), isReadWrite };
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
