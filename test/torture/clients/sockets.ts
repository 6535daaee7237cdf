import { connect, type Socket } from "node:net";

/** A connection to a server that does only what it is told. */
export interface Client {
  socket: Socket;
  /** The text that was received. Only the start of a long text is stored. */
  text: () => string;
  /** Resolves when either side has closed the connection. */
  closed: Promise<void>;
}

const MOST_REMEMBERED = 10_000;

/** Opens a connection. Errors are ignored, because the other side may refuse it. */
export function open(port: number): Promise<Client> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true, noDelay: true });
    let seen = "";
    const closed = new Promise<void>((ended) => socket.once("close", () => ended()));
    const client = { socket, text: () => seen, closed };
    socket.on("error", () => resolve(client));
    socket.on("connect", () => resolve(client));
    socket.on("data", (chunk: Buffer) => {
      if (seen.length < MOST_REMEMBERED) seen += chunk.toString("latin1");
    });
    socket.on("end", () => socket.end());
  });
}

export const openMany = (port: number, count: number): Promise<Client[]> =>
  Promise.all(Array.from({ length: count }, () => open(port)));

export const get = (path: string, ...headers: string[]): string =>
  `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n${headers.map((line) => `${line}\r\n`).join("")}\r\n`;

export const upgrade = (path: string, ...headers: string[]): string =>
  get(
    path,
    "Connection: Upgrade",
    "Upgrade: websocket",
    "Sec-WebSocket-Version: 13",
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
    ...headers,
  );

export function closeAll(clients: readonly Client[]): void {
  for (const { socket } of clients) socket.destroy();
}

/** Resolves with whether `condition` became true in time. */
export async function within(ms: number, condition: () => boolean): Promise<boolean> {
  const until = performance.now() + ms;
  while (!condition() && performance.now() < until) await new Promise((resolve) => setTimeout(resolve, 20));
  return condition();
}
