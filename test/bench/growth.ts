import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { paymentsArea } from "../../src/payments/area.ts";
import { SEEDED_KEYS } from "../../src/payments/seed/organizations.ts";
import type { Served } from "../../src/server/serve.ts";
import { type Growing, type Growth, REQUESTS } from "../support/growing-requests.ts";
import { fillHistory, type History } from "../support/history.ts";
import type { Figure } from "./harness.ts";
import { quietSandbox } from "./quiet-sandbox.ts";

/** The number of payments in the smaller world, and in the larger one. */
const SIZES = [10_000, 100_000] as const;
/** Each cost is the lowest of this many rounds, to exclude time taken by other programs. */
const ROUNDS = 5;
/**
 * The maximum CPU milliseconds for one page of a list in the larger world. The same amount is added for each additional
 * history that the page counts.
 */
const MOST_FOR_A_PAGE = 10;
/**
 * The maximum exponent for each kind of growth. The cost of a request that reads the whole history grows in proportion
 * to the history, but no faster.
 */
const MOST: Record<Growth, number> = { page: 1.1, constant: 0.3, history: 1.2 };

/** The CPU milliseconds that some work takes: the lowest of a few rounds. */
async function cost(work: () => Promise<unknown>, rounds = ROUNDS): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < rounds; round += 1) {
    const before = process.cpuUsage();
    await work();
    const { user, system } = process.cpuUsage(before);
    least = Math.min(least, (user + system) / 1_000);
  }
  return least;
}

async function request(
  { url }: Served,
  history: History,
  { method = "GET", path, body }: Growing,
): Promise<void> {
  const asked = typeof path === "string" ? path : path(history);
  const content = typeof body === "function" ? body(history) : body;
  const response = await fetch(url + asked, {
    method,
    headers: { authorization: `Bearer ${SEEDED_KEYS.write}`, "content-type": "application/json" },
    ...(content === undefined ? {} : { body: JSON.stringify(content) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${asked} answered ${response.status}: ${text.slice(0, 300)}`);
}

/** Measures a restore in a data folder. */
async function restoreInFolder(bytes: Buffer): Promise<number> {
  const dataDir = mkdtempSync(join(tmpdir(), "sandglass-growth-"));
  const { sandbox, close } = await quietSandbox({ dataDir });
  const least = await cost(() => sandbox.restore(bytes, "growth"), 2);
  await close();
  rmSync(dataDir, { recursive: true, force: true });
  return least;
}

/** Measures all requests in a world of the given size, and then a restore in a data folder. */
async function costs(payments: number): Promise<number[]> {
  const served = await quietSandbox();
  const history = await fillHistory(served.sandbox, served.url, payments);
  const found: number[] = [];
  for (const one of REQUESTS) found.push(await cost(() => request(served, history, one)));
  const bytes = await served.sandbox.snapshot();
  await served.close();
  return [...found, await restoreInFolder(bytes)];
}

/**
 * How many endpoints receive the same event. Several numbers are tried, to see how the cost of an event grows with
 * them.
 */
const ENDPOINTS = [100, 1_000] as const;

/** The CPU milliseconds of a payment whose event goes to this many endpoints, all of which respond at once. */
async function costToEndpoints(count: number): Promise<number> {
  const { sandbox, close } = await quietSandbox();
  const area = sandbox.part(paymentsArea);
  const caller = { org: area.organizations.main().id, ip: "127.0.0.1", method: "POST", path: "/" };
  for (let made = 0; made < count; made += 1) {
    const { id } = area.endpoints.create(caller, {
      url: "http://127.0.0.1:9/",
      events: ["payment.completed"],
    });
    sandbox.webhooks.fail({ id, kind: "status", status: 200 });
  }
  const link = area.links.create(caller, { name: "Tea", amount: "2500000" }).id;
  const least = await cost(() => sandbox.payments.pay({ payment_link_id: link }));
  await close();
  return least;
}

async function endpoints(): Promise<Figure> {
  const [bare, ours] = [await costToEndpoints(ENDPOINTS[0]), await costToEndpoints(ENDPOINTS[1])];
  return {
    name: `growth: an event to ${ENDPOINTS.join(" and to ")} endpoints`,
    unit: "ms of CPU",
    ours,
    bare,
    ratio: Math.log10(ours / bare) / Math.log10(ENDPOINTS[1] / ENDPOINTS[0]),
    limit: { most: 1.1 },
  };
}

/** The number of timers that become due in the dry run. */
const TIMERS = 100_000;
/** The longest that other requests may wait, in milliseconds. */
const MOST_HELD_UP = 250;

/**
 * The longest turn of the event loop during some work, in milliseconds: the lowest of a few rounds. A turn counts as no
 * more than its CPU time, so other programs do not affect the result.
 */
async function heldUp(work: () => Promise<unknown>): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS; round += 1) {
    let longest = 0;
    let last = performance.now();
    let used = process.cpuUsage();
    let working = true;
    const turn = () => {
      const { user, system } = process.cpuUsage(used);
      longest = Math.max(longest, Math.min(performance.now() - last, (user + system) / 1_000));
      last = performance.now();
      used = process.cpuUsage();
      if (working) setImmediate(turn);
    };
    setImmediate(turn);
    await work();
    working = false;
    turn();
    least = Math.min(least, longest);
  }
  return least;
}

/** Measures how long work on a whole large world holds up other requests. */
async function holds(): Promise<Figure[]> {
  const served = await quietSandbox({ worlds: { snapshotMemory: 4_096 } });
  const { sandbox, worlds } = served;
  await fillHistory(sandbox, served.url, SIZES[1]);
  const { timers, store } = sandbox.world;
  const day = sandbox.clock.now() + 86_400_000;
  const { snapshots } = worlds;
  const work: [string, () => Promise<unknown>][] = [
    ["a snapshot", async () => snapshots.save("large", await sandbox.capture())],
    ["a restore", async () => sandbox.restore(await snapshots.bytesOf("large"), "large")],
    [
      "a fork",
      async () => {
        await worlds.create({ name: "fork", from: "default" });
        worlds.remove("fork");
      },
    ],
    ["an export", () => sandbox.export()],
    [`a dry run of ${TIMERS.toLocaleString("en")} expiries`, async () => sandbox.clock.preview({ by: "2d" })],
  ];
  const sessions = store.sql<{ id: string }>("select id from checkout_sessions").all();
  const org = sandbox.part(paymentsArea).organizations.main().id;
  store.transaction(() => {
    for (const { id } of sessions.slice(0, TIMERS)) timers.set("payments.session_expiry", id, day, { org });
  });
  const figures: Figure[] = [];
  for (const [what, once] of work)
    figures.push({
      name: `growth: other requests wait during ${what}`,
      unit: "ms",
      ours: await heldUp(once),
      limit: { most: MOST_HELD_UP },
    });
  await served.close();
  return figures;
}

/** Measures how the cost of every kind of request grows with the history. */
export async function growth(): Promise<Figure[]> {
  const [small, large] = [await costs(SIZES[0]), await costs(SIZES[1])];
  const measured = [
    ...REQUESTS,
    { name: "a restore in a data folder", grows: "history" as const, counts: 1 },
  ];
  const figures = measured.flatMap(({ name, grows, counts = 1 }, index): Figure[] => {
    const [bare, ours] = [small[index]!, large[index]!];
    const exponent = Math.log10(ours / bare) / Math.log10(SIZES[1] / SIZES[0]);
    return [
      {
        name: `growth: ${name}`,
        unit: "ms of CPU",
        ours,
        bare,
        ratio: exponent,
        limit: { most: MOST[grows] },
      },
      ...(grows === "page"
        ? [
            {
              name: `growth: ${name}, at 100,000`,
              unit: "ms of CPU",
              ours,
              limit: { most: MOST_FOR_A_PAGE * counts },
            },
          ]
        : []),
    ];
  });
  return [...figures, ...(await holds()), await endpoints()];
}
