import { must } from "../api.ts";
import type { Chance } from "../chance.ts";
import { Finding } from "../finding.ts";
import { sleep } from "../part.ts";
import type { Server } from "../server.ts";
import { type Client, closeAll, get, openMany, upgrade, within } from "./sockets.ts";

const MASK = [1, 2, 3, 4];
const masked = (first: number, body: Buffer): Buffer =>
  Buffer.concat([
    Buffer.from([first, 0x80 | body.length, ...MASK]),
    body.map((byte, index) => byte ^ MASK[index % 4]!),
  ]);

/** Frames that break RFC 6455, each in its own way. */
const BAD_FRAMES: readonly Buffer[] = [
  Buffer.from([0x81, 0x02, 0x61, 0x62]),
  masked(0xf1, Buffer.from("a")),
  masked(0x83, Buffer.from("a")),
  masked(0x09, Buffer.from("a")),
  masked(0x80, Buffer.from("a")),
  masked(0x81, Buffer.from([0xc3, 0x28])),
  masked(0x88, Buffer.from([0x00])),
  masked(0x88, Buffer.from([0x00, 0x01])),
  Buffer.from([0x82, 0xff, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, ...MASK]),
  Buffer.from([0x82, 0xff, 0, 0, 0, 0, 0x40, 0, 0, 0, ...MASK]),
  Buffer.alloc(100_000, 0xff),
];

/** How often the journal grows by twenty entries, for each follower. */
const ROUNDS_EACH = 5;

async function openLive(server: Server, count: number): Promise<Client[]> {
  const clients = await openMany(server.port, count);
  for (const { socket } of clients) socket.write(upgrade("/_sandbox/live?after=0"));
  const accepted = () => clients.every(({ text }) => text().startsWith("HTTP/1.1 101"));
  if (!(await within(10_000, accepted))) throw new Finding("A WebSocket was not accepted within 10 s.");
  return clients;
}

/** WebSockets on which comes what is no frame: the server closes them, and only them. */
export async function badFrames(server: Server, chance: Chance, count: number): Promise<string> {
  const clients = await openLive(server, count);
  for (const { socket } of clients) socket.write(chance.pick(BAD_FRAMES));
  const open = () => clients.filter(({ socket }) => socket.readyState !== "closed").length;
  await within(10_000, () => open() === 0);
  const left = open();
  closeAll(clients);
  if (left > 0) throw new Finding(`${left} of ${count} WebSockets with bad frames stayed open.`);
  return `${count} WebSockets closed for bad frames`;
}

/** Followers of the journal, over WebSockets and server-sent events, that stop reading while it grows. */
export async function unreadLive(server: Server, _chance: Chance, count: number): Promise<string> {
  const { url, port } = server;
  const sockets = await openLive(server, count);
  const streams = await openMany(port, count);
  for (const { socket } of streams) socket.write(get("/_sandbox/live?after=0", "Accept: text/event-stream"));
  await sleep(100);
  for (const { socket } of [...sockets, ...streams]) socket.pause();
  const before = server.residentMegabytes();
  const text = "x".repeat(2_000);
  for (let round = 0; round < ROUNDS_EACH * count; round += 1)
    await Promise.all(
      Array.from({ length: 20 }, (_, number) =>
        must(url, "PUT", "/_sandbox/faults/platform", {
          status: 500,
          match: `/${text.slice(0, 150)}-${round}-${number}`,
        }),
      ),
    );
  const taken = server.residentMegabytes() - before;
  closeAll([...sockets, ...streams]);
  await must(url, "DELETE", "/_sandbox/faults/platform");
  if (taken > 300) throw new Finding(`${2 * count} followers that read nothing take ${taken} MB.`);
  return `${2 * count} followers that stopped reading, ${taken} MB for them`;
}
