import { Pool } from "undici";
import { resolveConfig } from "../../src/config/config.ts";
import { exploreSubscriber } from "../../src/explore/explore.ts";
import { remoteSubject } from "../../src/explore/remote.ts";
import { STORIES } from "../../src/explore/stories.ts";
import type { Subject } from "../../src/explore/subscriber.ts";
import { correctShop } from "../explore/handlers.ts";
import { type Figure, median, pathOf, rateOf, startProgram, summary } from "./harness.ts";

const SUBSCRIBER = pathOf("./explore-subscriber.mjs");
const DAY = 86_400_000;
const TIMEOUT = 30_000;
const BODY = JSON.stringify({
  event: "payment.completed",
  data: { id: "txn_bench", checkoutSession: { clientReferenceId: "order-7" }, filler: "x".repeat(600) },
});

/** Explores once. @returns how many schedules it tried */
async function exploreSubject(subject: Subject, story: string, deviations: number): Promise<number> {
  const { levels, finding, flaky } = await exploreSubscriber({
    subject,
    story: STORIES.find(({ name }) => name === story)!,
    secret: "whsec_bench",
    deviations,
    budget: DAY,
    timeout: TIMEOUT,
    ignore: [],
    seed: "bench",
    settings: resolveConfig({}, 0),
  });
  if (finding || flaky) throw new Error("The subscriber of the bench has a bug.");
  return levels.reduce((sum, { tried }) => sum + tried, 0);
}

/** Explorations of a server and of a function. */
export async function explore(): Promise<Figure[]> {
  return [...(await exploreServer()), await exploreFunction()];
}

/** Explorations of a function with its state in memory. */
async function exploreFunction(): Promise<Figure> {
  const shop = correctShop();
  const subject: Subject = {
    ...{ url: "http://subscriber.localhost/webhooks", handler: shop.handler, stateUrl: null, resetBy: null },
    reset: async () => shop.reset(),
    state: async () => shop.state(),
    close: () => undefined,
  };
  const schedules = await exploreSubject(subject, "checkout", 3);
  const rates = [];
  for (let round = 0; round < 5; round += 1)
    rates.push(await rateOf(schedules, () => exploreSubject(subject, "checkout", 3)));
  return {
    name: "a schedule that explore plays for a function: 2000 in a second",
    unit: "µs of CPU",
    ours: median(rates.map(({ cpuMicros }) => cpuMicros)),
    limit: { most: 500 },
  };
}

/** Explorations of a server with its state in memory, against as many bare requests one after another. */
async function exploreServer(): Promise<Figure[]> {
  const subscriber = await startProgram([SUBSCRIBER]);
  const at = (path: string) => `${subscriber.url}${path}`;
  const pool = new Pool(subscriber.url, { connections: 1 });
  const requests = async () => {
    const { body } = await pool.request({ method: "GET", path: "/count" });
    return Number(await body.text());
  };

  /** Explores once. @returns how many schedules it tried, and with how many requests */
  async function exploreOnce(): Promise<{ schedules: number; sent: number }> {
    const subject = remoteSubject({
      url: at("/webhooks"),
      stateUrl: at("/state"),
      resetBy: at("/reset"),
      timeout: TIMEOUT,
    });
    const before = await requests();
    const schedules = await exploreSubject(subject, "refused-then-paid", 3);
    subject.close();
    return { schedules, sent: (await requests()) - before };
  }
  async function sendBare(count: number): Promise<void> {
    for (let index = 0; index < count; index += 1) {
      const { body } = await pool.request({
        method: "POST",
        path: "/webhooks",
        headers: { "content-type": "application/json" },
        body: BODY,
      });
      await body.dump();
    }
  }

  const { schedules, sent } = await exploreOnce();
  await sendBare(sent);
  const pairs: Parameters<typeof summary>[0] = [];
  for (let round = 0; round < 5; round += 1)
    pairs.push([await rateOf(schedules, exploreOnce), await rateOf(schedules, () => sendBare(sent))]);
  await pool.close();
  await subscriber.stop();
  const { ours, wall } = summary(pairs, "schedules/s");
  return [
    {
      name: "schedules that explore plays in a second, of as many bare requests",
      ...wall!,
      ratio: median(pairs.map(([explored, bare]) => explored.perSecond / bare.perSecond)),
      limit: { least: 0.3 },
    },
    {
      name: "a schedule that explore plays: 150 in a second",
      unit: "µs of CPU",
      ours,
      limit: { most: 6_667 },
    },
  ];
}
