import { timingSafeEqual } from "node:crypto";
import { createServer, type Socket } from "node:net";
import { listenAt } from "../../runtime/listen.ts";
import { wallNow } from "../../world/clock.ts";
import type { Gate } from "./gate.ts";
import { DatabaseLine } from "./line.ts";
import type { Part, Wire } from "./wire.ts";

/** Stands between a server and its database, on loopback, for as long as this process lives. */
export interface StatementProxy {
  port: number;
  readonly connections: number;
  /** How often a client asked for TLS, which the proxy does not have. */
  readonly tlsRequests: number;
  /** How many clients left as soon as they heard that there is no TLS. */
  readonly left: number;
  /** How long nothing has been sent, in real milliseconds. Opening a connection may take long. */
  quietFor(): number;
  /** Whether a client is logging in, and so has sent no statement yet. */
  isOpening(): boolean;
  /** The processes of the database that serve connections now. */
  pids(): number[];
  /** Blocks the present connections, which are then closed without another message. */
  freeze(): void;
  close(): Promise<void>;
}

export async function openProxy<P extends Part>(wire: Wire<P>, gate: Gate): Promise<StatementProxy> {
  const lines = new Set<DatabaseLine<P>>();
  const clients = new Set<Socket>();
  let [connections, opening, tlsRequests, left] = [0, 0, 0, 0];
  let latest = wallNow();
  const touch = (): void => {
    latest = wallNow();
  };
  const door = {
    touch,
    admits(database: string): boolean {
      const isAdmitted = isEqual(database, wire.token);
      if (isAdmitted) connections += 1;
      return isAdmitted;
    },
    noteTls() {
      tlsRequests += 1;
    },
    noteLeft() {
      left += 1;
    },
    isOwn: (pid: number) => [...lines].some((line) => line.pid === pid),
  };
  const server = createServer({ noDelay: true, allowHalfOpen: true }, (client) => {
    client.on("error", () => undefined).on("close", () => clients.delete(client));
    client.on("data", touch);
    clients.add(client);
    touch();
    opening += 1;
    wire
      .enter(client, door)
      .then(
        (entrance) => {
          if (!entrance) return void client.destroySoon();
          const line = new DatabaseLine(client, entrance, gate, wire);
          entrance.database.on("data", touch);
          lines.add(line);
          client.on("close", () => lines.delete(line));
        },
        () => client.destroy(),
      )
      .finally(() => {
        opening -= 1;
      });
  });
  const port = await listenAt(server, { port: 0, host: "127.0.0.1" });
  // The proxy lives as long as the run, and keeps no process alive.
  server.unref();
  return {
    port,
    get connections() {
      return connections;
    },
    get tlsRequests() {
      return tlsRequests;
    },
    get left() {
      return left;
    },
    quietFor: () => wallNow() - latest,
    isOpening: () => opening > 0,
    pids: () => [...lines].map(({ pid }) => pid),
    freeze() {
      for (const line of lines) line.end();
      lines.clear();
      // Those that log in.
      for (const client of clients) client.destroy();
    },
    async close() {
      for (const client of clients) client.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const isEqual = (one: string, other: string): boolean => {
  const [bytes, others] = [Buffer.from(one), Buffer.from(other)];
  return bytes.length === others.length && timingSafeEqual(bytes, others);
};
