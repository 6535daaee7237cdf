import { randomBytes, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { type ConnectionOptions, connect as tlsConnect } from "node:tls";
import { listenAt } from "../../runtime/listen.ts";
import { wallNow } from "../../world/clock.ts";
import { readFirst } from "./frames.ts";
import type { Gate } from "./gate.ts";
import { PostgresLine } from "./line.ts";
import { ENCRYPTION_REQUEST, startupMessage } from "./messages.ts";

export interface ProxyTarget {
  /** Where the database listens: a port of a host, or a socket. */
  place: { host: string; port: number } | { path: string };
  database: string;
  /** How the connection is encrypted; undefined for no encryption. */
  tls: ConnectionOptions | undefined;
  /** Whether SQL reads and writes in one step. */
  isReadWrite: (sql: string) => boolean;
}

/** Stands between a server and its database, on loopback, for as long as this process lives. */
export interface StatementProxy {
  port: number;
  /** The database name that connections must use: it contains the token of this run. */
  database: string;
  readonly connections: number;
  /** How often a client asked for TLS, which the proxy does not have. */
  readonly tlsRequests: number;
  /** How long nothing has been sent, in real milliseconds. Opening a connection may take long. */
  quietFor(): number;
  /** The processes of the database that serve connections now. */
  pids(): number[];
  /** Blocks the present connections, which are then closed without another message. */
  freeze(): void;
  close(): Promise<void>;
}

/** A client asks for TLS, and for GSSAPI. Postgres closes connections that ask again, too. */
const MOST_REFUSALS = 2;

export async function openProxy(target: ProxyTarget, gate: Gate): Promise<StatementProxy> {
  const token = `sandglass_${randomBytes(12).toString("hex")}`;
  const lines = new Set<PostgresLine>();
  const clients = new Set<Socket>();
  let [connections, tlsRequests] = [0, 0];
  let latest = wallNow();
  const touch = (): void => {
    latest = wallNow();
  };
  const server = createServer({ noDelay: true, allowHalfOpen: true }, (client) => {
    client.on("error", () => undefined).on("close", () => clients.delete(client));
    client.on("data", touch);
    clients.add(client);
    touch();
    let first = Buffer.alloc(0);
    let refusals = 0;
    client.on("data", function greet(chunk: Buffer) {
      first = Buffer.concat([first, chunk]);
      try {
        let found = readFirst(first);
        // The server's address turns encryption off. Clients that prefer encryption continue without it.
        while (found?.message.kind === "encryption") {
          refusals += 1;
          if (refusals > MOST_REFUSALS) return void client.destroy();
          tlsRequests += 1;
          client.write("N");
          first = first.subarray(found.length);
          found = readFirst(first);
        }
        if (!found) return;
        const { message, length } = found;
        const bytes = first.subarray(0, length);
        first = first.subarray(length);
        client.off("data", greet);
        if (message.kind === "cancel") {
          const known = [...lines].some(({ pid }) => pid === message.pid);
          if (!known) return void client.destroy();
          return void connect(target.place)
            .on("error", () => undefined)
            .on("close", () => client.destroy())
            .end(bytes);
        }
        const { parameters, version } = message;
        if (!isEqual(parameters.get("database") ?? "", token)) return void client.destroy();
        connections += 1;
        parameters.set("database", target.database);
        client.pause();
        void reach(target).then(
          (database) => {
            const startup = [startupMessage(version, parameters), first];
            const line = new PostgresLine(client, database, gate, startup, target.isReadWrite);
            lines.add(line);
            database.on("data", touch);
            client.on("close", () => lines.delete(line));
          },
          () => client.destroy(),
        );
      } catch {
        client.destroy();
      }
    });
  });
  const port = await listenAt(server, { port: 0, host: "127.0.0.1" });
  // The proxy lives as long as the run, and keeps no process alive.
  server.unref();
  return {
    port,
    database: token,
    get connections() {
      return connections;
    },
    get tlsRequests() {
      return tlsRequests;
    },
    quietFor: () => wallNow() - latest,
    pids: () => [...lines].map(({ pid }) => pid),
    freeze() {
      for (const line of lines) line.end();
      lines.clear();
    },
    async close() {
      for (const client of clients) client.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Connects to the database. @throws Error if the database refuses encryption */
async function reach({ place, tls }: ProxyTarget): Promise<Socket> {
  const socket = connect({ ...place, noDelay: true, allowHalfOpen: true });
  if (!tls) return socket;
  socket.write(ENCRYPTION_REQUEST);
  const [answer] = await once(socket, "data");
  if (String(answer) !== "S") throw new Error("no encryption");
  return tlsConnect({ ...tls, socket });
}

const isEqual = (one: string, other: string): boolean =>
  one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));
