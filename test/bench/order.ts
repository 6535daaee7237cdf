import { existsSync } from "node:fs";
import { join } from "node:path";
import { closePlan, openPlan } from "../../src/cli/explore/workers.ts";
import { readSubject } from "../../src/cli/trial/subject.ts";
import { serve } from "../../src/server/serve.ts";
import { exploreStories } from "../../src/trial/schedules/explore.ts";
import { portOfItsOwn } from "../support/ports.ts";
import { hasPostgres, type PostgresServer, startPostgres } from "../support/postgres.ts";
import { openDatabase } from "../support/statements/explore.ts";
import { eventsOf, WRONG } from "../support/statements/shop.ts";
import { type Figure, median, pathOf, timedRun } from "./harness.ts";

/** The folder with an earlier version of the package, for comparison. */
const { SANDGLASS_BENCH_BEFORE } = process.env;
const HANDLER = "test/support/statements/handler.mjs";
const ROUNDS = 3;
const SCHEMA = `
  create table events (id text primary key);
  create table mails (number int generated always as identity primary key, type text not null);
  create table shops (id int primary key, events int not null);
  insert into shops values (1, 0);`;
/**
 * How long, in seconds, a server takes to start, and how long a run with two deliveries and their SQL statements takes.
 */
const STARTS = [0.1, 1, 5];
const RUN_S = 0.05;

/**
 * Measures all schedules with one deviation for an Express shop that starts with tsx, alternating with an earlier
 * version of the package.
 */
export async function level(): Promise<Figure[]> {
  if (!SANDGLASS_BENCH_BEFORE || !hasPostgres()) {
    console.error(
      "level: skipped. It needs Postgres, and an earlier package in SANDGLASS_BENCH_BEFORE, such as one of 0.4.0.",
    );
    return [];
  }
  const before = join(SANDGLASS_BENCH_BEFORE, "dist/cli/main.js");
  if (!existsSync(before)) throw new Error(`There is no ${before}: build that package first.`);
  const server = await startPostgres();
  try {
    await server.query(SCHEMA);
    const rounds: [ours: number, before: number][] = [];
    for (let round = 0; round < ROUNDS; round += 1)
      rounds.push([
        await exploreShop(pathOf("../../dist/cli/main.js"), server),
        await exploreShop(before, server),
      ]);
    return [
      {
        name: "schedules with one deviation of an Express shop, of the time that the earlier version takes",
        ours: median(rounds.map(([ours]) => ours)),
        bare: median(rounds.map(([, earlier]) => earlier)),
        unit: "ms",
        ratio: median(rounds.map(([ours, earlier]) => ours / earlier)),
        // The limit is for this shop, which starts in 0.7 s. The longer a server takes to start, the more time is
        // saved: with Prisma, the ratio was 0.38.
        limit: { most: 0.65 },
      },
    ];
  } finally {
    await server.close();
  }
}

async function exploreShop(cli: string, { url }: PostgresServer): Promise<number> {
  const address = `http://127.0.0.1:${await portOfItsOwn()}/webhook`;
  const start = `${pathOf("../../node_modules/.bin/tsx")} ${pathOf("./express-shop.mjs")}`;
  const own = ["--sender", "stripe", "--secret", "whsec_bench", "--story", "subscription"];
  return timedRun(
    [
      cli,
      "explore",
      address,
      ...own,
      "--start",
      start,
      "--state",
      url,
      "--deviations",
      "1",
      "--budget",
      "30m",
    ],
    // The server finds the package pg through the folder in which explore runs.
    { cwd: pathOf("."), env: { STRIPE_WEBHOOK_SECRET: "whsec_bench" } },
  );
}

/**
 * Measures how long it takes until the first finding in handlers with ten common bugs. It counts restarts and runs,
 * because these are the same on every machine; the figure is the time that they would take at the speeds above.
 */
export async function firstFindings(): Promise<Figure[]> {
  if (!hasPostgres()) {
    console.error("firstFindings: Postgres is not installed, so nothing is measured.");
    return [];
  }
  const server = await startPostgres();
  try {
    const counts: { restarts: number; runs: number }[] = [];
    for (const kind of WRONG.slice(0, 10)) counts.push(await untilFound(server, kind));
    return STARTS.map((start, index) => ({
      name: `the first finding in each of ten wrong handlers, for a server that starts in ${start} s, on average`,
      ours: counts.reduce((sum, one) => sum + one.restarts * start + one.runs * RUN_S, 0) / counts.length,
      unit: "s",
      limit: { most: [2.5, 6, 24][index]! },
    }));
  } finally {
    await server.close();
  }
}

async function untilFound(server: PostgresServer, kind: (typeof WRONG)[number]) {
  const facts = await readSubject("explore", `http://127.0.0.1:${await portOfItsOwn()}/webhooks`, {
    ...{ state: await openDatabase(server, kind), secret: "whsec_bench", deviations: "1" },
    ...{
      start: `exec ${process.execPath} ${HANDLER} ${kind} pg`,
      sender: "polar",
      events: eventsOf(kind),
      budget: "10m",
    },
  });
  const plan = await openPlan({ ...facts, workers: 1 }, undefined);
  const { server: owned, state } = plan.subject;
  const count = { restarts: 1, runs: 0 };
  const { restart, crash } = owned!;
  owned!.restart = () => {
    count.restarts += 1;
    return restart();
  };
  const { reset } = state;
  state.reset = () => {
    count.runs += 1;
    return reset();
  };
  owned!.crash = (ended) => {
    count.restarts += 1;
    return crash(ended);
  };
  try {
    const { explorations } = await exploreStories({
      ...{ ...plan, serve, signal: new AbortController().signal },
    });
    const found = explorations.find(({ finding }) => finding)?.finding;
    if (!found) throw new Error(`Nothing was found in ${kind}.`);
    return count;
  } finally {
    await closePlan(plan);
  }
}
