import { timingSafeEqual } from "node:crypto";
import { createServer, type Socket } from "node:net";
import { listenAt } from "../../runtime/listen.ts";
import { wallNow } from "../../world/clock.ts";
import type { Gate } from "./gate.ts";
import { DatabaseLine } from "./line.ts";
import type { Part, Wire } from "./wire.ts";

/** The maximum time for a login. Do not wait longer, because its client may never send anything. */
const MOST_OPENING_MS = 5_000;

/** Sits between a server and its database, on loopback, for as long as this process lives. */
export interface StatementProxy {
  port: number;
  readonly connections: number;
  /** How many times a client asked for TLS, which the proxy does not support. */
  readonly tlsRequests: number;
  /** How many clients disconnected because the proxy does not support TLS. */
  readonly left: number;
  /** How long nothing has been sent, in real milliseconds. Opening a connection may take a while. */
  quietFor(): number;
  /** Whether a client has just started to log in, and so has not sent a statement yet. */
  isOpening(): boolean;
  /** The database processes that currently serve connections. */
  pids(): number[];
  /** Blocks the current connections, which are then closed without another message. */
  freeze(): void;
  close(): Promise<void>;
}

export async function openProxy<P extends Part>(wire: Wire<P>, gate: Gate): Promise<StatementProxy> {
  const lines = new Set<DatabaseLine<P>>();
  const clients = new Set<Socket>();
  /** Clients that are logging in, with the real time when they started. */
  const opening = new Map<Socket, number>();
  let [connections, tlsRequests, left] = [0, 0, 0];
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
    opening.set(client, wallNow());
    const noteOpened = () => void opening.delete(client);
    // A client that was refused TLS may leave its side of the connection open.
    client.once("end", noteOpened).once("close", noteOpened);
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
      .finally(noteOpened);
  });
  // The proxy lives as long as the run, but does not keep the process alive.
  const port = await listenAt(server.unref(), { port: 0, host: "127.0.0.1" });
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
    isOpening: () => [...opening.values()].some((began) => wallNow() - began < MOST_OPENING_MS),
    pids: () => [...lines].map(({ pid }) => pid),
    freeze() {
      for (const line of lines) line.end();
      lines.clear();
      // Clients that are logging in.
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
