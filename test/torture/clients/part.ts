import type { Chance } from "../chance.ts";
import { Finding } from "../finding.ts";
import { type Bench, type Figures, type Part, withBench } from "../part.ts";
import { type Server, withServer } from "../server.ts";
import { halfOpen, idle, resetRefused, slow, unread } from "./connections.ts";
import { badFrames, unreadLive } from "./frames.ts";

/** A kind of client: its behaviour, and its number as a share of `--count`. */
type Behaviour = [
  name: string,
  share: number,
  run: (server: Server, chance: Chance, count: number) => Promise<string>,
];

const BEHAVIOURS: readonly Behaviour[] = [
  ["refused and reset", 0.2, resetRefused],
  ["half open", 0.05, halfOpen],
  ["slow", 0.02, slow],
  ["bad frames", 0.02, badFrames],
  ["not reading answers", 0.002, unread],
  ["not reading the journal", 0.0005, unreadLive],
  ["idle", 1, idle],
];

/** How long a well-behaved client may have to wait after the other clients. */
const ANSWER_MS = 20_000;

export const clients: Part = {
  name: "clients",
  about: "clients that reset, stop, crawl, idle, break frames or do not read",
  unit: "idle connections, and fewer of the others",
  ciCount: 10_000,
  run: (options) =>
    withBench("clients", options, (bench) =>
      withServer(["--paused", "--rate-limit", "off"], (server) => torture(server, bench)),
    ),
};

async function torture(server: Server, { chance, count, progress }: Bench): Promise<Figures> {
  const figures: Figures = {};
  for (const [name, share, run] of BEHAVIOURS) {
    const wanted = Math.max(2, Math.round(count * share));
    const what = await run(server, chance.fork(name), wanted);
    await checkHealth(server);
    figures[name] = `${what} (${server.residentMegabytes()} MB after)`;
    progress(`${name}: ${figures[name]}`);
  }
  figures["peak memory, MB"] = server.peakMegabytes;
  return figures;
}

/** Checks that a well-behaved client gets a response, and that nothing was written to stderr. */
async function checkHealth(server: Server): Promise<void> {
  const signal = AbortSignal.timeout(ANSWER_MS);
  const answer = await fetch(`${server.url}/_sandbox/status`, { signal }).catch(() => undefined);
  if (answer?.status !== 200) throw new Finding(`No answer to another client within ${ANSWER_MS} ms.`);
  await answer.text();
  server.residentMegabytes();
  server.check();
}
