import { invalidState } from "../../errors/errors.ts";
import { openProxy } from "./proxy.ts";
import type { DatabaseStatements } from "./statements.ts";
import { createWatcher } from "./watcher.ts";
import type { Part, Wire } from "./wire.ts";

/** Puts a proxy in front of a database. */
export async function watchWire<P extends Part>(wire: Wire<P>): Promise<DatabaseStatements> {
  const watcher = createWatcher(wire.locks);
  const proxy = await openProxy(wire, watcher);
  watcher.use(proxy);
  return {
    ...{ ...watcher, gate: watcher },
    quietFor: () => Math.min(watcher.quietFor(), proxy.quietFor()),
    ...{ env: {}, seesAll: true },
    get connections() {
      return proxy.connections;
    },
    insistsOnTls() {
      const { connections, tlsRequests, left } = proxy;
      if (connections > 0 || tlsRequests + left === 0) return undefined;
      const seen =
        tlsRequests > 0
          ? "The server insists on TLS for its database."
          : "The server connected to its database and disconnected before logging in, as clients that insist on TLS do.";
      return invalidState(
        `${seen} The address that it received belongs to a proxy on this machine, which watches its statements and does not support TLS.`,
        `${wire.withoutTls} The proxy itself uses TLS to the database if the address in --state requires it.`,
      );
    },
    place: { host: "127.0.0.1", port: proxy.port, database: wire.token },
    async close() {
      await proxy.close();
      await wire.close();
    },
  };
}
