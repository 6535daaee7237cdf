import { writeFileSync } from "node:fs";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { must } from "./api.ts";
import { Finding } from "./finding.ts";
import { type Bench, type Figures, type Part, withBench } from "./part.ts";
import { type Server, withServer } from "./server.ts";

/** Real milliseconds that a silent subscriber gets while the clock is advanced. */
const SETTLE_MS = 2_000;
/** Well above what the deliveries of a round may take when each one ends at its time-out. */
const MOST_ROUND_MS = 60_000;
const MOST_MEGABYTES = 500;

const head = (...headers: string[]) =>
  `HTTP/1.1 200 OK\r\n${headers.map((line) => `${line}\r\n`).join("")}\r\n`;
const CHUNKED = head("Transfer-Encoding: chunked");
const CHUNK = `10000\r\n${"x".repeat(65_536)}\r\n`;

/** Takes a thousand times its size once it is unpacked. */
const BOMB = Buffer.concat(Array<Buffer>(50).fill(gzipSync(Buffer.alloc(4_000_000))));

/** How a subscriber answers, and how each attempt at it has to end: with `null` it is a success. */
interface Hostile {
  serve: (socket: Socket) => void;
  ends: readonly (string | null)[];
}

const HOSTILE: Record<string, Hostile> = {
  "drips a byte at a time": {
    serve: (socket) => repeat(socket, CHUNKED, "1\r\n.\r\n", 10),
    ends: ["timeout"],
  },
  "drips a head": {
    serve: (socket) => repeat(socket, "HTTP/1.1 200 OK\r\n", "X-A: b\r\n", 10),
    ends: ["timeout"],
  },
  "sends a body without end": { serve: (socket) => flood(socket, CHUNKED, CHUNK), ends: ["timeout"] },
  "sends a head without end": {
    serve: (socket) => flood(socket, "HTTP/1.1 200 OK\r\n", `X-A: ${"y".repeat(8_000)}\r\n`),
    ends: ["invalid_response", "connection_reset", "timeout"],
  },
  "sends interim answers without end": {
    serve: (socket) => flood(socket, "", "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n".repeat(200)),
    ends: ["timeout", "invalid_response"],
  },
  "sends 100 Continue without end": {
    serve: (socket) => flood(socket, "", "HTTP/1.1 100 Continue\r\n\r\n".repeat(200)),
    ends: ["timeout", "invalid_response"],
  },
  "answers with a gzip bomb": {
    serve: (socket) => {
      socket.write(head("Content-Encoding: gzip", `Content-Length: ${BOMB.length}`));
      socket.write(BOMB);
    },
    ends: [null],
  },
  "resets at once": { serve: (socket) => socket.resetAndDestroy(), ends: ["connection_reset"] },
  "closes without a word": {
    serve: (socket) => socket.end(),
    ends: ["connection_reset", "invalid_response"],
  },
  "resets within the body": {
    serve: (socket) => socket.write(`${CHUNKED}5\r\nhello\r\n`, () => socket.resetAndDestroy()),
    ends: ["connection_reset", "invalid_response"],
  },
  "says nothing": { serve: () => undefined, ends: ["timeout"] },
  "speaks another protocol": {
    serve: (socket) => socket.end("220 mail.example ESMTP\r\n"),
    ends: ["invalid_response"],
  },
  "names two lengths": {
    serve: (socket) => socket.end(head("Content-Length: 5", "Content-Length: 6")),
    ends: ["invalid_response"],
  },
  "answers twice": {
    serve: (socket) => socket.write(head("Content-Length: 0").repeat(2)),
    ends: [null, "invalid_response"],
  },
};

export const subscribers: Part = {
  name: "subscribers",
  about: "subscribers that drip, flood, never end or answer nonsense",
  unit: "rounds",
  ciCount: 3,
  run: (options) =>
    withBench("subscribers", options, async (bench) => {
      writeFileSync(
        join(bench.folder, "sandbox.config.mjs"),
        `export default { settleTimeout: ${SETTLE_MS} };\n`,
      );
      const listening = await Promise.all(Object.values(HOSTILE).map(({ serve }) => listen(serve)));
      const flags = ["--paused", "--rate-limit", "off", "--config", join(bench.folder, "sandbox.config.mjs")];
      try {
        return await withServer(flags, (server) =>
          torture(
            server,
            bench,
            listening.map(({ url }) => url),
          ),
        );
      } finally {
        for (const { close } of listening) close();
      }
    }),
};

async function torture(server: Server, bench: Bench, urls: string[]): Promise<Figures> {
  const { url } = server;
  const names = Object.keys(HOSTILE);
  const ids: string[] = [];
  const api = "/platform/api/v1";
  for (const target of [...urls, `${url}/_sandbox/inbox/good`])
    ids.push((await must(url, "POST", `${api}/webhooks`, { url: target, events: ["payment.completed"] })).id);
  let rounds = 0;
  let attempts = 0;
  let slowest = 0;
  for (; bench.goesOn(rounds); rounds += 1) {
    const started = performance.now();
    const session = await must(url, "POST", `${api}/checkout-sessions`, { amount: "1" });
    await must(url, "POST", "/_sandbox/payments", { session_id: session.id });
    await must(url, "POST", "/_sandbox/clock/advance", { by: "2h" });
    slowest = Math.max(slowest, performance.now() - started);
    server.residentMegabytes();
    server.check();
    for (const [index, id] of ids.entries()) {
      const { data } = await must(
        url,
        "GET",
        `${api}/webhooks/${id}/deliveries?limit=100&event=payment.completed`,
      );
      const allowed = HOSTILE[names[index] ?? ""]?.ends ?? [null];
      attempts += data.length;
      for (const { error, status, attempt } of data)
        if (status === "pending" || !allowed.includes(error))
          throw new Finding(
            `A subscriber that ${names[index] ?? "is well"}: attempt ${attempt} ended ${status} with ${error}.`,
          );
      await must(url, "POST", `/_sandbox/webhooks/${id}/enable`).catch(() => undefined);
    }
  }
  if (slowest > MOST_ROUND_MS) throw new Finding(`A round took ${Math.round(slowest)} ms.`);
  if (server.peakMegabytes > MOST_MEGABYTES) throw new Finding(`The server took ${server.peakMegabytes} MB.`);
  return {
    rounds,
    behaviours: names.length,
    "attempts looked at": attempts,
    "slowest round, ms": Math.round(slowest),
    "peak memory, MB": server.peakMegabytes,
  };
}

/** Serves what `serve` sends once a request has begun. */
async function listen(serve: (socket: Socket) => void): Promise<{ url: string; close: () => void }> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined).on("close", () => sockets.delete(socket));
    socket.once("data", () => {
      socket.resume();
      serve(socket);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

function repeat(socket: Socket, first: string, text: string, everyMs: number): void {
  socket.write(first);
  const timer = setInterval(() => socket.write(text), everyMs);
  socket.on("close", () => clearInterval(timer));
}

/** Tens of megabytes a second, as far as the other side reads: more would starve the other subscribers of this process. */
function flood(socket: Socket, first: string, text: string): void {
  socket.write(first);
  const more = () => {
    if (socket.writable) socket.write(text, () => setTimeout(more, 1));
  };
  more();
}
