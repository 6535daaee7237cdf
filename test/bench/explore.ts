import { Pool } from "undici";
import { resolveConfig } from "../../src/config/config.ts";
import { exploreSubscriber } from "../../src/explore/explore.ts";
import { remoteSubject } from "../../src/explore/remote.ts";
import { STORIES } from "../../src/explore/stories.ts";
import { type Figure, median, pathOf, startProgram, timed } from "./harness.ts";

const SUBSCRIBER = pathOf("./explore-subscriber.mjs");
const DAY = 86_400_000;
const TIMEOUT = 30_000;
/** The story with the most events. */
const STORY = "refused-then-paid";
const BODY = JSON.stringify({
  event: "payment.completed",
  data: { id: "txn_bench", checkoutSession: { clientReferenceId: "order-7" }, filler: "x".repeat(600) },
});

/** Explorations of a subscriber with its state in memory, against as many bare requests one after another. */
export async function explore(): Promise<Figure[]> {
  const subscriber = await startProgram([SUBSCRIBER]);
  const at = (path: string) => `${subscriber.url}${path}`;
  const pool = new Pool(subscriber.url, { connections: 1 });
  const requests = async () => {
    const { body } = await pool.request({ method: "GET", path: "/count" });
    return Number(await body.text());
  };

  const ours = async () => {
    const subject = remoteSubject({
      url: at("/webhooks"),
      stateUrl: at("/state"),
      resetBy: at("/reset"),
      timeout: TIMEOUT,
    });
    const before = await requests();
    let schedules = 0;
    const ms = await timed(async () => {
      const { levels, finding, flaky } = await exploreSubscriber({
        subject,
        story: STORIES.find(({ name }) => name === STORY)!,
        secret: "whsec_bench",
        deviations: 2,
        budget: DAY,
        timeout: TIMEOUT,
        ignore: [],
        seed: "bench",
        settings: resolveConfig({}, 0),
      });
      if (finding || flaky) throw new Error("The subscriber of the bench has a bug.");
      schedules = levels.reduce((sum, { tried }) => sum + tried, 0);
    });
    subject.close();
    return { schedules, ms, requests: (await requests()) - before };
  };
  const bare = (count: number) =>
    timed(async () => {
      for (let index = 0; index < count; index += 1) {
        const { body } = await pool.request({
          method: "POST",
          path: "/webhooks",
          headers: { "content-type": "application/json" },
          body: BODY,
        });
        await body.dump();
      }
    });

  await ours();
  const pairs: { perSecond: number; bare: number; ratio: number }[] = [];
  for (let round = 0; round < 5; round += 1) {
    const explored = await ours();
    const bareMs = await bare(explored.requests);
    pairs.push({
      perSecond: (explored.schedules / explored.ms) * 1_000,
      bare: (explored.schedules / bareMs) * 1_000,
      ratio: bareMs / explored.ms,
    });
  }
  await pool.close();
  await subscriber.stop();
  const perSecond = median(pairs.map((pair) => pair.perSecond));
  return [
    {
      name: "schedules that explore plays, of as many bare requests",
      unit: "schedules/s",
      ours: perSecond,
      bare: median(pairs.map((pair) => pair.bare)),
      ratio: median(pairs.map(({ ratio }) => ratio)),
      limit: { least: 0.3 },
    },
    { name: "schedules that explore plays", unit: "schedules/s", ours: perSecond, limit: { least: 150 } },
  ];
}
