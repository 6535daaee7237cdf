import { Worker } from "node:worker_threads";
import { must } from "./api.ts";
import { growJournal } from "./clients/frames.ts";
import { get, openMany } from "./clients/sockets.ts";
import { Finding } from "./finding.ts";
import { type Bench, type Figures, type Part, percentile, sleep, withBench } from "./part.ts";
import { type Server, withServer } from "./server.ts";

/**
 * How long a simple call to another world may wait, measured by the work that the server's main thread does meanwhile,
 * so it does not matter how busy the machine is.
 */
const ANSWER_MS = 250;
const PLAIN = "/w/calm/platform/api/v1/payment-links?limit=1";
const PAUSE_MS = 10;
/** The number of events in the journal for each follower. Their entries take 12 KB each, more than 8 MiB in total. */
const EVENTS_EACH = 12;
/** How much memory may remain in use after followers have left, because Node has not returned it. */
const LEFT_MB = 100;

/** Operations that copy or read a whole world. Each call gets its number. */
const HEAVY: readonly [what: string, call: (url: string, number: number) => Promise<unknown>][] = [
  ["exports", readExport],
  ["snapshots", (url, number) => must(url, "POST", "/_sandbox/snapshots", { name: `load-${number % 5}` })],
  [
    "forks",
    (url, number) => must(url, "POST", "/_sandbox/worlds", { name: `fork-${number}`, from: "default" }),
  ],
  ["restores", (url) => must(url, "POST", "/_sandbox/snapshots/load-0/restore", {})],
];

/** Reads the export without parsing it, because this process is taking measurements at the same time. */
async function readExport(url: string): Promise<void> {
  const { status, body } = await fetch(`${url}/_sandbox/export`, {
    headers: { "accept-encoding": "identity" },
  });
  if (status !== 200) throw new Finding(`GET /_sandbox/export answered ${status}.`);
  await body!.pipeTo(new WritableStream());
}

export const load: Part = {
  name: "load",
  about: "copies of whole worlds at once, lists of many worlds, followers that never read",
  unit: "copies of each kind",
  ciCount: 60,
  run: (options) =>
    withBench("load", options, (bench) =>
      withServer(["--paused", "--rate-limit", "off"], (server) => torture(server, bench)),
    ),
};

async function torture(server: Server, { count, progress }: Bench): Promise<Figures> {
  const { url } = server;
  const figures: Figures = {};
  const note = (what: string, figure: string) => {
    figures[what] = figure;
    progress(`${what}: ${figure}`);
  };
  await must(url, "POST", "/_sandbox/worlds", { name: "calm" });
  note("another world, idle", `answered within ${await callMeanwhile(server, sleep(1_000))}`);
  for (const [what, call] of HEAVY) {
    // The first call of each kind also loads its code.
    await call(url, count);
    const began = performance.now();
    const all = Promise.all(Array.from({ length: count }, (_, number) => call(url, number)));
    const waited = await callMeanwhile(server, all);
    const seconds = ((performance.now() - began) / 1_000).toFixed(1);
    note(what, `${count} in ${seconds} s; another world answered within ${waited}`);
  }
  const waited = await callMeanwhile(server, must(url, "GET", "/_sandbox/worlds"));
  note(`list of ${count + 3} worlds`, `another world answered within ${waited}`);
  note(`${count} followers that never read`, `${await followUnread(server, count)} MB after they left`);
  server.check();
  figures["peak memory, MB"] = server.peakMegabytes;
  return figures;
}

/**
 * Calls another world until `work` has ended.
 * @returns the longest wait, in milliseconds of work by the server
 * @throws Finding if one in twenty calls waits too long. A single call is not enough, because it may be waiting for a
 *   processor
 */
async function callMeanwhile({ url, child: { pid } }: Server, work: Promise<unknown>): Promise<string> {
  const caller = new Worker(new URL("./caller.mjs", import.meta.url), {
    workerData: { pid, url, path: PLAIN, pause: PAUSE_MS },
  });
  const waits = new Promise<number[]>((resolve, reject) => caller.on("message", resolve).on("error", reject));
  try {
    await work;
    caller.postMessage("over");
    const all = await waits;
    const usual = Math.round(percentile(all, 0.95));
    if (usual > ANSWER_MS) throw new Finding(`Calls of another world were held up for ${usual} ms.`);
    return `${usual} ms, at most ${Math.round(Math.max(...all))} ms`;
  } finally {
    await caller.terminate();
  }
}

/**
 * Follows a long journal without reading it, and then disconnects.
 * @returns how many megabytes stay in use
 */
async function followUnread(server: Server, count: number): Promise<number> {
  const { url, port } = server;
  await growJournal(`${url}/w/calm`, EVENTS_EACH * count);
  const before = server.residentMegabytes();
  const clients = await openMany(port, count);
  for (const { socket } of clients) {
    socket.pause();
    socket.write(get("/w/calm/_sandbox/live?after=0", "Accept: text/event-stream"));
  }
  await sleep(500);
  for (const { socket } of clients) socket.destroy();
  await sleep(500);
  const left = Math.max(0, server.residentMegabytes() - before);
  if (left > LEFT_MB) throw new Finding(`${count} followers that left keep ${left} MB.`);
  return left;
}
