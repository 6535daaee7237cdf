import { tmpdir } from "node:os";
import { join } from "node:path";
import { call, must } from "../api.ts";
import { Finding } from "../finding.ts";
import { type Bench, type Figures, type Part, withBench } from "../part.ts";
import { type Server, withServer } from "../server.ts";
import { attack } from "./attacks.ts";
import { type Operation, readOperations } from "./documents.ts";
import { reduce, replayFile, SERVER_FLAGS, SETTING } from "./replay.ts";
import { Room } from "./room.ts";

/** A server uses one core, and this process a third of one, so two servers keep the two cores of a CI machine busy. */
const SERVERS = 2;
/**
 * The number of worlds on each server that have only one client. The order of their requests depends only on the seed.
 */
const QUIET_ROOMS = 4;
/** The number of clients of the one world on each server that has more than one client. */
const CLIENTS_THAT_MEET = 3;
/**
 * A memory limit above what a server with these worlds needs according to measurements (docs/reliability.md), but below
 * what a leak would take.
 */
const MOST_MEGABYTES = 700;
const WATCH_EVERY = 2_000;

export const requests: Part = {
  name: "requests",
  about: "requests made and mutated from the four OpenAPI documents, and attacks on a shared sandbox",
  unit: "requests",
  ciCount: 100_000,
  run: (options) =>
    withBench("requests", options, async (bench) => {
      if (bench.replay === undefined) {
        const attacks = await attack(bench);
        return { ...(await withServers(SERVERS, (servers) => torture(servers, bench))), ...attacks };
      }
      const problem = await replayFile(bench.replay);
      if (problem !== undefined) throw new Finding(problem);
      return { replayed: "nothing wrong" };
    }),
};

/** Starts `count` servers, runs `work` with them, and stops them. */
function withServers<T>(
  count: number,
  work: (servers: Server[]) => Promise<T>,
  servers: Server[] = [],
): Promise<T> {
  if (servers.length === count) return work(servers);
  return withServer(SERVER_FLAGS, (server) => withServers(count, work, [...servers, server]), SETTING);
}

async function torture(servers: readonly Server[], bench: Bench): Promise<Figures> {
  const operations = await readOperations(servers[0]!.url);
  const started = performance.now();
  const rooms = servers.flatMap((server, index) => makeRooms(server, index, operations, bench));
  for (const room of rooms) await room.open();
  const answered = new Set<string>();
  let done = 0;
  let found: { room: Room; problem: string } | undefined;

  async function work(room: Room, client: number): Promise<void> {
    const step = await room.client(client);
    const { server } = room;
    while (!found && bench.goesOn(done)) {
      done += 1;
      const number = done;
      const problem = await step();
      if (found) return;
      if (problem !== undefined) found = { room, problem };
      else if (!server.alive || server.stderr !== "") found = { room, problem: `stderr: ${server.stderr}` };
      const operation = room.history.at(-1)?.operation;
      if (operation) answered.add(operation);
      if (number % WATCH_EVERY === 0) await watch(number);
    }
  }

  async function watch(number: number): Promise<void> {
    const megabytes = servers.map((server) => server.residentMegabytes());
    if (Math.max(...megabytes) > MOST_MEGABYTES)
      throw new Finding(
        `A server takes ${Math.max(...megabytes)} MB after ${number} requests; the limit is ${MOST_MEGABYTES}.`,
      );
    if (number % 10_000 !== 0) return;
    bench.progress(`${number} requests, ${megabytes.join(" and ")} MB`);
    for (const server of servers) await endOtherWorlds(server.url, rooms);
  }

  await Promise.all(
    rooms.flatMap((room) => Array.from({ length: room.clients }, (_, number) => work(room, number))),
  );
  if (found) {
    const { room, problem } = found;
    const history = [...room.history];
    for (const server of servers) await server.kill();
    const file = join(tmpdir(), `sandglass-torture-requests-${bench.seed}.json`);
    throw new Finding(
      problem + (room.server.stderr === "" ? "" : `\nstderr: ${room.server.stderr}`),
      await reduce(room.name.replace("torture-", ""), history, file),
    );
  }
  const seconds = (performance.now() - started) / 1_000;
  return {
    requests: done,
    "per second": Math.round(done / seconds),
    operations: `${answered.size} of ${operations.length}`,
    "peak memory of a server, MB": Math.max(...servers.map(({ peakMegabytes }) => peakMegabytes)),
  };
}

function makeRooms(
  server: Server,
  house: number,
  operations: readonly Operation[],
  { chance }: Bench,
): Room[] {
  return Array.from({ length: QUIET_ROOMS + 1 }, (_, index) => {
    const name = `${house}-${index}`;
    const clients = index < QUIET_ROOMS ? 1 : CLIENTS_THAT_MEET;
    return new Room({ name, clients, server, operations, chance: chance.fork(`room-${name}`) });
  });
}

/** Removes the worlds that requests have created. */
async function endOtherWorlds(url: string, rooms: readonly Room[]): Promise<void> {
  const keep = new Set(["default", ...rooms.map(({ name }) => name)]);
  const { data } = await must(url, "GET", "/_sandbox/worlds");
  for (const { name } of data as { name: string }[])
    if (!keep.has(name)) await call(url, "DELETE", `/_sandbox/worlds/${encodeURIComponent(name)}`);
}
