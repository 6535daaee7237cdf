import type { Chance } from "../chance.ts";
import { Finding } from "../finding.ts";
import { sleep } from "../part.ts";
import type { Server } from "../server.ts";
import { closeAll, get, open, openMany, upgrade, within } from "./sockets.ts";

const STATUS = "/_sandbox/status";
const FOREIGN = "Origin: https://elsewhere.example";

/** Requests that are rejected before they reach a route, or that no route may receive. */
const REFUSED = [
  upgrade("/_sandbox/live", FOREIGN),
  upgrade("/nowhere"),
  upgrade("/w/nowhere/_sandbox/live"),
  upgrade("/_sandbox/live?after=x"),
  upgrade("/_sandbox/live", "Sec-WebSocket-Version: 1"),
  "CONNECT 127.0.0.1:1 HTTP/1.1\r\nHost: a\r\n\r\n",
  "GET / HTTP/9\r\n\r\n",
  `GET /${"x".repeat(20_000)} HTTP/1.1\r\n\r\n`,
  "\u0016\u0003\u0001\u0002\u0000",
  "",
];

/** Opens connections that are reset at the moment at which the server rejects them. */
export async function resetRefused(server: Server, chance: Chance, count: number): Promise<string> {
  for (let done = 0; done < count; done += 1) {
    const { socket } = await open(server.port);
    const request = chance.pick(REFUSED);
    if (chance.maybe(0.5)) socket.write(request, "latin1", () => socket.resetAndDestroy());
    else {
      socket.write(request, "latin1");
      setImmediate(() => socket.resetAndDestroy());
    }
    if (!server.alive) server.check();
  }
  return `${count} refused and reset`;
}

/** Opens connections that stop in the middle of a request. Some of them close only their sending side. */
export async function halfOpen(server: Server, chance: Chance, count: number): Promise<string> {
  const clients = await openMany(server.port, count);
  const whole = `POST /platform/api/v1/payment-links HTTP/1.1\r\nHost: a\r\nContent-Length: 50\r\nContent-Type: application/json\r\n\r\n{"name":`;
  for (const { socket } of clients) {
    const part = whole.slice(0, chance.below(whole.length + 1));
    if (chance.maybe(0.5)) socket.end(part);
    else socket.write(part);
  }
  await sleep(300);
  closeAll(clients);
  return `${count} requests that stop in the middle`;
}

/** Simulates clients that send a whole request a few bytes at a time. Each must get a response. */
export async function slow(server: Server, chance: Chance, count: number): Promise<string> {
  const clients = await openMany(server.port, count);
  const request = get(STATUS, "Connection: close");
  await Promise.all(
    clients.map(async ({ socket }) => {
      for (let at = 0; at < request.length; ) {
        const size = chance.between(1, 8);
        socket.write(request.slice(at, at + size));
        at += size;
        await sleep(20);
      }
    }),
  );
  const answered = () => clients.filter(({ text }) => text().startsWith("HTTP/1.1 200")).length;
  await within(10_000, () => answered() === count);
  closeAll(clients);
  if (answered() < count) throw new Finding(`${count - answered()} of ${count} slow clients got no answer.`);
  return `${count} slow clients answered`;
}

/** Opens connections that send nothing, all at the same time. */
export async function idle(server: Server, chance: Chance, count: number): Promise<string> {
  const before = server.residentMegabytes();
  const clients = [];
  for (let left = count; left > 0; left -= 500)
    clients.push(...(await openMany(server.port, Math.min(500, left))));
  const here = clients.filter(({ socket }) => socket.readyState === "open");
  const some = chance.pick(here).socket;
  const started = performance.now();
  const answer = await fetch(server.url + STATUS);
  await answer.text();
  const took = Math.round(performance.now() - started);
  some.write(get(STATUS));
  const taken = server.residentMegabytes() - before;
  closeAll(clients);
  if (here.length < count)
    throw new Finding(`Only ${here.length} of ${count} idle connections stayed open.`, [
      "The limit of open files (ulimit -n) has to be above the count, for both processes.",
    ]);
  return `${count} idle, ${taken} MB for them, another client answered in ${took} ms`;
}

/** Simulates clients that request a lot and read nothing. The data that waits for them must not fill the memory. */
export async function unread(server: Server, _chance: Chance, count: number): Promise<string> {
  const before = server.residentMegabytes();
  const clients = await openMany(server.port, count);
  const many = get("/platform/openapi.json").repeat(200);
  for (const { socket } of clients) {
    socket.pause();
    socket.write(many);
  }
  await sleep(1_000);
  const taken = server.residentMegabytes() - before;
  closeAll(clients);
  if (taken > 20 * count + 150) throw new Finding(`${count} clients that read nothing take ${taken} MB.`);
  return `${count} clients that read none of 200 answers, ${taken} MB for them`;
}
