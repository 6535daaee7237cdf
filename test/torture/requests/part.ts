import { tmpdir } from "node:os";
import { join } from "node:path";
import { call, must } from "../api.ts";
import { Finding } from "../finding.ts";
import { type Bench, type Figures, type Part, withBench } from "../part.ts";
import { type Server, withServer } from "../server.ts";
import { type Operation, readOperations } from "./documents.ts";
import { reduce, replayFile, SERVER_FLAGS } from "./replay.ts";
import { Room } from "./room.ts";

/** Worlds that get requests side by side, each from one client, in an order that the seed alone decides. */
const QUIET_ROOMS = 6;
/** Clients of the one world in which requests meet. */
const CLIENTS_THAT_MEET = 3;
/** Far above what a server with these worlds needs, and far below what a leak would reach. */
const MOST_MEGABYTES = 700;
const WATCH_EVERY = 2_000;

export const requests: Part = {
  name: "requests",
  about: "requests made and mutated from the four OpenAPI documents, over raw sockets",
  unit: "requests",
  ciCount: 100_000,
  run: (options) =>
    withBench("requests", options, async (bench) => {
      if (bench.replay === undefined) return withServer(SERVER_FLAGS, (server) => torture(server, bench));
      const problem = await replayFile(bench.replay);
      if (problem !== undefined) throw new Finding(problem);
      return { replayed: "nothing wrong" };
    }),
};

async function torture(server: Server, bench: Bench): Promise<Figures> {
  const operations = await readOperations(server.url);
  const started = performance.now();
  const rooms = await openRooms(server, operations, bench);
  const answered = new Map<string, number>();
  let done = 0;
  let found: { room: Room; problem: string } | undefined;

  async function work(room: Room, client: number): Promise<void> {
    const step = await room.client(client);
    while (!found && bench.goesOn(done)) {
      done += 1;
      const number = done;
      const problem = await step();
      if (found) return;
      if (problem !== undefined) found = { room, problem };
      else if (!server.alive || server.stderr !== "") found = { room, problem: `stderr: ${server.stderr}` };
      const operation = room.history.at(-1)?.operation;
      if (operation) answered.set(operation, (answered.get(operation) ?? 0) + 1);
      if (number % WATCH_EVERY === 0) await watch(number);
    }
  }

  async function watch(number: number): Promise<void> {
    const megabytes = server.residentMegabytes();
    if (megabytes > MOST_MEGABYTES)
      throw new Finding(
        `The server takes ${megabytes} MB after ${number} requests; the limit is ${MOST_MEGABYTES}.`,
      );
    if (number % 10_000 === 0) {
      bench.progress(`${number} requests, ${megabytes} MB`);
      await endOtherWorlds(server.url, rooms);
    }
  }

  const clients = rooms.map((_, index) => (index < QUIET_ROOMS ? 1 : CLIENTS_THAT_MEET));
  await Promise.all(
    rooms.flatMap((room, index) =>
      Array.from({ length: clients[index]! }, (_, number) => work(room, number)),
    ),
  );
  if (found) {
    const { room, problem } = found;
    const history = [...room.history];
    await server.kill();
    const file = join(tmpdir(), `sandglass-torture-requests-${bench.seed}.json`);
    throw new Finding(
      problem + (server.stderr === "" ? "" : `\nstderr: ${server.stderr}`),
      await reduce(room.name.replace("torture-", ""), history, file),
    );
  }
  const seconds = (performance.now() - started) / 1_000;
  return {
    requests: done,
    "per second": Math.round(done / seconds),
    operations: `${answered.size} of ${operations.length}`,
    "peak memory, MB": server.peakMegabytes,
  };
}

async function openRooms(
  server: Server,
  operations: readonly Operation[],
  { chance }: Bench,
): Promise<Room[]> {
  const rooms = Array.from(
    { length: QUIET_ROOMS + 1 },
    (_, index) => new Room(`${index}`, server, operations, chance.fork(`room-${index}`)),
  );
  for (const room of rooms) await room.open();
  return rooms;
}

/** Ends the worlds that requests have made. */
async function endOtherWorlds(url: string, rooms: readonly Room[]): Promise<void> {
  const keep = new Set(["default", ...rooms.map(({ name }) => name)]);
  const { data } = await must(url, "GET", "/_sandbox/worlds");
  for (const { name } of data as { name: string }[])
    if (!keep.has(name)) await call(url, "DELETE", `/_sandbox/worlds/${encodeURIComponent(name)}`);
}
