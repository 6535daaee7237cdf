import { invalidState } from "../../errors/errors.ts";
import { openProxy } from "./proxy.ts";
import type { DatabaseStatements } from "./statements.ts";
import { createWatcher } from "./watcher.ts";
import type { Part, Wire } from "./wire.ts";

/**
 * Puts a proxy in front of a database.
 * @param address of the copy that the server works on
 * @throws SandboxError `unreachable`
 */
export async function openStatements(address: string): Promise<DatabaseStatements> {
  const { openPostgresWire } = await import("./postgres/wire.ts");
  return watchWire(await openPostgresWire(address));
}

async function watchWire<P extends Part>(wire: Wire<P>): Promise<DatabaseStatements> {
  const watcher = createWatcher(wire.locks);
  const proxy = await openProxy(wire, watcher);
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
    place: { host: "127.0.0.1", port: proxy.port, database: wire.token },
    async close() {
      await proxy.close();
      await wire.close();
    },
  };
}
