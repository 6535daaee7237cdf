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

/** Frames that violate RFC 6455, each in a different way. */
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

/** The number of endpoints that receive every event. Their subscriber is simulated. */
const ENDPOINTS = 20;
/**
 * The number of events for each follower. All followers receive all events, which is more data than may wait for a
 * single follower.
 */
const EVENTS_EACH = 300;
/** How much data may wait for a follower: a page of the journal, plus what its connection buffers. */
const BACKLOG_MB = 5;
/** How much memory the growing world itself uses. */
const WORLD_MB = 300;
/** The number of events that one advance emits. */
const BATCH = 100;

/** Writes about 12 KB to the journal for each event. */
export async function growJournal(url: string, events: number): Promise<void> {
  for (let number = 0; number < ENDPOINTS; number += 1) {
    const { id } = await must(url, "POST", "/platform/api/v1/webhooks", { url: "http://127.0.0.1:9/" });
    await must(url, "PUT", `/_sandbox/webhooks/${id}/fault`, { kind: "status", status: 200 });
  }
  for (let number = 1; number <= events; number += 1) {
    await must(url, "POST", "/platform/api/v1/checkout-sessions", { amount: "1", expires_in: 300 });
    if (number % BATCH === 0) await must(url, "POST", "/_sandbox/clock/advance", { by: "10m" });
  }
}

async function openLive(server: Server, count: number): Promise<Client[]> {
  const clients = await openMany(server.port, count);
  for (const { socket } of clients) socket.write(upgrade("/_sandbox/live?after=0"));
  const accepted = () => clients.every(({ text }) => text().startsWith("HTTP/1.1 101"));
  if (!(await within(10_000, accepted))) throw new Finding("A WebSocket was not accepted within 10 s.");
  return clients;
}

/** Sends invalid frames on WebSockets. The server must close these connections, and no others. */
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

/** Opens connections that follow the journal, as WebSockets and server-sent events, and stop reading while it grows. */
export async function unreadLive(server: Server, _chance: Chance, count: number): Promise<string> {
  const { url, port } = server;
  const sockets = await openLive(server, count);
  const streams = await openMany(port, count);
  for (const { socket } of streams) socket.write(get("/_sandbox/live?after=0", "Accept: text/event-stream"));
  await sleep(100);
  for (const { socket } of [...sockets, ...streams]) socket.pause();
  const before = server.residentMegabytes();
  await growJournal(url, EVENTS_EACH * count);
  const taken = server.residentMegabytes() - before;
  closeAll([...sockets, ...streams]);
  if (taken > WORLD_MB + 2 * count * BACKLOG_MB)
    throw new Finding(`${2 * count} followers that read nothing take ${taken} MB.`);
  return `${2 * count} followers that stopped reading, ${taken} MB for them`;
}
