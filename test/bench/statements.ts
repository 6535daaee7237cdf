import { execFile, spawn } from "node:child_process";
import { availableParallelism } from "node:os";
import { promisify } from "node:util";
import { closePlan, openPlan } from "../../src/cli/explore/workers.ts";
import { readSubject } from "../../src/cli/trial/subject.ts";
import { serve } from "../../src/server/serve.ts";
import { exploreStories } from "../../src/trial/schedules/explore.ts";
import { hasMariadb, startMariadb } from "../support/mariadb.ts";
import { portOfItsOwn } from "../support/ports.ts";
import { hasPostgres, type PostgresServer, startPostgres } from "../support/postgres.ts";
import { type Engine, MARIADB, POSTGRES } from "../support/statements/engines.ts";
import { openDatabase } from "../support/statements/explore.ts";
import { openDatabase as openMariadbDatabase } from "../support/statements/mysql/shop.ts";
import { type Figure, median, pathOf, timed } from "./harness.ts";

const run = promisify(execFile);
/**
 * How much longer a schedule may take than its deliveries, in real milliseconds and as a multiple of the deliveries'
 * time.
 */
const [MOST_MS, MOST_DELIVERIES] = [60, 1.5];
const EVENTS = ["order.created", "order.paid"];
const HANDLER = "test/support/statements/handler.mjs";

/** Measures how much time it costs to observe a handler's SQL statements. */
export async function statements(): Promise<Figure[]> {
  return [...(await ofPostgres()), ...(await ofMariadb())];
}

async function ofPostgres(): Promise<Figure[]> {
  if (!hasPostgres()) {
    console.log("statements: Postgres is not installed, so nothing of it is measured.");
    return [];
  }
  const server = await startPostgres();
  try {
    const url = await openDatabase(server, "on-conflict");
    return [await roundTrips("Postgres", POSTGRES, url), await schedules(server)];
  } finally {
    await server.close();
  }
}

async function ofMariadb(): Promise<Figure[]> {
  if (!hasMariadb()) {
    console.log("statements: MariaDB is not installed, so nothing of it is measured.");
    return [];
  }
  const server = await startMariadb();
  try {
    return [await roundTrips("MariaDB", MARIADB, await openMariadbDatabase(server, "on-duplicate-key"))];
  } finally {
    await server.close();
  }
}

/** Measures the round trip of a typical statement in a handler, one that writes. */
async function roundTrips(database: string, { openStatements, urlAt }: Engine, url: string): Promise<Figure> {
  const proxy = await openStatements(url);
  const letSleep = keepAwake();
  try {
    const args = [pathOf("./statements-client.mjs"), url, urlAt(url, proxy.place)];
    const { stdout } = await run(process.execPath, args);
    const rounds: { bare: number; proxied: number }[] = JSON.parse(stdout);
    // Three processes take turns in each round, so other programs slow a round down by far more than the proxy does. So
    // compare the fastest rounds.
    const fastest = (of: "bare" | "proxied") => Math.min(...rounds.map((round) => round[of]));
    const [ours, bare] = [fastest("proxied"), fastest("bare")];
    return {
      name: `a round trip to ${database} through the proxy, of a bare one, in the fastest of many rounds`,
      ...{ ours, bare, ratio: ours / bare, unit: "ms", limit: { most: 2 } },
    };
  } finally {
    letSleep();
    await proxy.close();
  }
}

/**
 * Keeps the processors awake on Linux with loops that yield to every other process at once. A virtual processor falls
 * asleep while it waits for another process. Waking it takes longer than a statement, and that time would distort the
 * measurement.
 * @returns a function that stops the loops
 */
function keepAwake(): () => void {
  const loops = Array.from({ length: availableParallelism() }, () =>
    spawn("chrt", ["--idle", "0", process.execPath, "-e", "for (;;);"], { stdio: "ignore" }),
  );
  for (const loop of loops) loop.on("error", () => undefined);
  return () => {
    for (const loop of loops) loop.kill("SIGKILL");
  };
}

/** Measures schedules without a restart, each compared with the deliveries that it makes. */
async function schedules(server: PostgresServer): Promise<Figure> {
  const state = await openDatabase(server, "on-conflict");
  const url = `http://127.0.0.1:${await portOfItsOwn()}/webhooks`;
  const facts = await readSubject("explore", url, {
    ...{
      state,
      secret: "whsec_bench",
      deviations: "1",
      budget: "10m",
      sender: "polar",
      events: EVENTS.join(),
    },
    start: `exec ${process.execPath} ${HANDLER} on-conflict pg`,
  });
  const plan = await openPlan(facts, undefined);
  try {
    const took: number[] = [];
    const { server: owned } = plan.subject;
    let restarts = 0;
    const { restart, crash } = owned!;
    owned!.restart = () => {
      restarts += 1;
      return restart();
    };
    owned!.crash = (ended) => {
      restarts += 1;
      return crash(ended);
    };
    let [last, before] = [performance.now(), 0];
    await exploreStories({
      ...plan,
      serve,
      signal: new AbortController().signal,
      onProgress() {
        const now = performance.now();
        if (restarts === before) took.push(now - last);
        [last, before] = [now, restarts];
      },
    });
    const bare = median(await deliverBare(url));
    const ours = median(took.slice(1));
    return {
      name: `a schedule of two deliveries, in ms above ${MOST_DELIVERIES} of what the bare deliveries take`,
      ...{ ours: ours - MOST_DELIVERIES * bare, bare, unit: "ms", limit: { most: MOST_MS } },
    };
  } finally {
    await closePlan(plan);
  }
}

/** Makes two deliveries, one after the other, again and again. @returns how long each pair took */
async function deliverBare(url: string): Promise<number[]> {
  const pairs: number[] = [];
  for (let pair = 0; pair < 30; pair += 1)
    pairs.push(
      await timed(async () => {
        for (const type of EVENTS) {
          const body = JSON.stringify({ type, data: { id: `bench-${pair}` } });
          await (await fetch(url, { method: "POST", body })).arrayBuffer();
        }
      }),
    );
  return pairs;
}
