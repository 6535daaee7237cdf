import { type AddressInfo, createServer, type Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { onTestFinished } from "vitest";
import { SELF_SIGNED } from "./self-signed.ts";

/** The bytes that a server sends when a request has arrived, and what the server does afterwards. */
export type RawReply =
  | string
  | Buffer
  | { text: string; after: "reset" | "end" | "drip" | { flood: string } };

const DRIP_MS = 20;
/** A flood is sent as fast as it is read, but leaves the process time for other work. */
const FLOOD_MS = 1;

/** A subscriber below the level of HTTP. It sends the bytes that it is given, which an HTTP library would not. */
export async function startRawSubscriber(reply: RawReply, { tls }: { tls: boolean }) {
  const sockets = new Set<Socket>();
  const serve = (socket: Socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    socket.on("close", () => void sockets.delete(socket));
    socket.once("data", () => answer(socket, reply));
  };
  const server = tls ? createTlsServer(SELF_SIGNED, serve) : createServer(serve);
  server.on("tlsClientError", () => undefined);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return { url: `${tls ? "https" : "http"}://127.0.0.1:${(server.address() as AddressInfo).port}/hook` };
}

function answer(socket: Socket, reply: RawReply): void {
  if (typeof reply === "string" || Buffer.isBuffer(reply)) return void socket.write(reply);
  if (reply.after === "end") return void socket.end(reply.text);
  if (reply.after === "reset") return void socket.write(reply.text, () => socket.resetAndDestroy());
  socket.write(reply.text);
  if (typeof reply.after === "object") return void flood(socket, reply.after.flood);
  const drip = setInterval(() => void socket.write("1\r\n.\r\n"), DRIP_MS);
  socket.on("close", () => clearInterval(drip));
}

function flood(socket: Socket, text: string): void {
  if (socket.writable) socket.write(text, () => setTimeout(flood, FLOOD_MS, socket, text));
}
