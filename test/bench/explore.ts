import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Pool } from "undici";
import { resolveConfig } from "../../src/config/config.ts";
import { serve } from "../../src/server/serve.ts";
import { exploreSubscriber } from "../../src/trial/schedules/explore.ts";
import { ownStory } from "../../src/trial/stories/own-story.ts";
import { STORIES, type Story } from "../../src/trial/stories/stories.ts";
import { remoteSubject } from "../../src/trial/subject/remote.ts";
import { FUNCTION_URL, type Subject } from "../../src/trial/subject/subscriber.ts";
import { correctShop } from "../explore/handlers.ts";
import { type Figure, median, pathOf, rateOf, startProgram, summary } from "./harness.ts";

const HEADERS = { "content-type": "application/json" };
const SUBSCRIBER = pathOf("./explore-subscriber.mjs");
const DAY = 86_400_000;
const TIMEOUT = 30_000;
const BODY = JSON.stringify({
  event: "payment.completed",
  data: { id: "txn_bench", checkoutSession: { clientReferenceId: "order-7" }, filler: "x".repeat(600) },
});

const OWN_STORY = `export default {
  name: "own",
  title: "Two customers pay",
  seed: "empty",
  async run({ sandbox }) {
    await sandbox.webhooks.create({ url: sandbox.inbox("shop").url, events: ["payment.completed"] });
    await sandbox.payments.createLink({ name: "Coffee", short_code: "coffee", amount: "18000000" });
    await sandbox.payments.pay("coffee", { client_reference_id: "order-1" });
    await sandbox.clock.advance("30s");
    await sandbox.payments.pay("coffee", { client_reference_id: "order-2" });
  },
};`;

/** Explores the subject once. @returns how many schedules were tried */
async function exploreSubject(subject: Subject, story: Story, deviations: number): Promise<number> {
  const { levels, finding, flaky } = await exploreSubscriber({
    subject,
    story,
    secret: "whsec_bench",
    deviations,
    budget: DAY,
    timeout: TIMEOUT,
    ignore: [],
    seed: "bench",
    settings: resolveConfig({}, 0),
    serve,
  });
  if (finding || flaky) throw new Error("The subscriber of the bench has a bug.");
  return levels.reduce((sum, { tried }) => sum + tried, 0);
}

/**
 * Measures explorations of a server and of a function, each compared with the same number of bare calls, one after
 * another.
 */
export async function explore(): Promise<Figure[]> {
  const ofOwn = "a function, with a story of one's own";
  return [
    await exploreServer(),
    await exploreFunction("a function", 0.0375, 1_000, async () => shipped("checkout"), 3),
    await exploreFunction(ofOwn, 0.005, 100, makeOwnStory, 2),
  ];
}

const shipped = (name: string): Story => STORIES.find((story) => story.name === name)!;

/** Creates a scenario in which two customers pay. */
async function makeOwnStory(): Promise<Story> {
  const folder = mkdtempSync(join(tmpdir(), "sandglass-bench-"));
  try {
    writeFileSync(join(folder, "own.ts"), OWN_STORY);
    return await ownStory("own", resolveConfig({ scenarios: "." }, 0), folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

interface Explored {
  /** The number of schedules tried, and the number of calls to the subscriber that this took. */
  schedules: number;
  calls: number;
}

/**
 * Compares explorations with the same number of bare calls, alternating between the two. The speed of each depends on
 * the machine, but their ratio does not.
 * @param least the ratio that must be reached
 * @param aim the resulting number of schedules per second, on a machine that makes `aim / least` bare calls per second
 */
async function compare(
  what: string,
  least: number,
  aim: number,
  exploreOnce: () => Promise<Explored>,
  callBare: (count: number) => Promise<void>,
): Promise<Figure> {
  const { schedules, calls } = await exploreOnce();
  await callBare(calls);
  const pairs: Parameters<typeof summary>[0] = [];
  for (let round = 0; round < 5; round += 1)
    pairs.push([await rateOf(schedules, exploreOnce), await rateOf(schedules, () => callBare(calls))]);
  return {
    name: `schedules that explore plays for ${what}, of as many bare calls: ${aim} a second where those are ${Math.round(aim / least)}`,
    ...summary(pairs, "schedules/s").wall!,
    ratio: median(pairs.map(([explored, bare]) => explored.perSecond / bare.perSecond)),
    limit: { least },
  };
}

/** Measures explorations of a function with its state in memory. */
async function exploreFunction(
  what: string,
  least: number,
  aim: number,
  storyOf: () => Promise<Story>,
  deviations: number,
): Promise<Figure> {
  const shop = correctShop();
  let calls = 0;
  const counted =
    <In extends unknown[], Out>(call: (...input: In) => Out) =>
    (...input: In): Out => {
      calls += 1;
      return call(...input);
    };
  const subject = remoteSubject({
    ...{ url: FUNCTION_URL, timeout: TIMEOUT },
    handler: counted(shop.handler),
    resetBy: counted(async () => shop.reset()),
    stateUrl: counted(async () => shop.state()),
  });
  async function exploreOnce(): Promise<Explored> {
    calls = 0;
    const schedules = await exploreSubject(subject, await storyOf(), deviations);
    return { schedules, calls };
  }
  async function callBare(count: number): Promise<void> {
    for (let index = 0; index < count; index += 1) {
      const response = await shop.handler(
        new Request(FUNCTION_URL, { method: "POST", headers: HEADERS, body: BODY }),
      );
      await response.arrayBuffer();
    }
  }
  return compare(what, least, aim, exploreOnce, callBare);
}

/** Measures explorations of a server with its state in memory. */
async function exploreServer(): Promise<Figure> {
  const subscriber = await startProgram([SUBSCRIBER]);
  const at = (path: string) => `${subscriber.url}${path}`;
  const pool = new Pool(subscriber.url, { connections: 1 });
  const requests = async () => {
    const { body } = await pool.request({ method: "GET", path: "/count" });
    return Number(await body.text());
  };

  async function exploreOnce(): Promise<Explored> {
    const subject = remoteSubject({
      url: at("/webhooks"),
      stateUrl: at("/state"),
      resetBy: at("/reset"),
      timeout: TIMEOUT,
    });
    const before = await requests();
    const schedules = await exploreSubject(subject, shipped("refused-then-paid"), 3);
    subject.close();
    return { schedules, calls: (await requests()) - before };
  }
  async function callBare(count: number): Promise<void> {
    for (let index = 0; index < count; index += 1) {
      const { body } = await pool.request({
        method: "POST",
        path: "/webhooks",
        headers: HEADERS,
        body: BODY,
      });
      await body.dump();
    }
  }

  try {
    return await compare("a server", 0.3, 300, exploreOnce, callBare);
  } finally {
    await pool.close();
    await subscriber.stop();
  }
}
