import fc from "fast-check";
import { expect, it } from "vitest";
import { resolveConfig } from "../../src/config/config.ts";
import { exploreSubscriber } from "../../src/explore/explore.ts";
import type { ExploreOptions } from "../../src/explore/options.ts";
import { play, playFrom } from "../../src/explore/play.ts";
import { replay, type Trace } from "../../src/explore/replay.ts";
import type { Run } from "../../src/explore/run.ts";
import { DEVIATIONS, extensions, platformKey, type Schedule } from "../../src/explore/schedule.ts";
import { openStage } from "../../src/explore/stage.ts";
import { STORIES } from "../../src/explore/stories.ts";
import { wireRoot } from "../../src/explore/wire.ts";
import { apply, correctShop, makeShop, type ShopHandler } from "./handlers.ts";

/** What a handler is made of. */
interface Bricks {
  seenBy: "nothing" | "delivery id" | "event";
  marks: "before" | "after";
  tests: "ignored" | "counted";
  writes: "at once" | "later";
  needs: "nothing" | "the payment first";
  refusesOld: boolean;
}

/** How many handlers are made; more on demand. */
const HANDLERS = Number(process.env.EXPLORE_HANDLERS ?? 12);

const bricks: fc.Arbitrary<Bricks> = fc.record({
  seenBy: fc.constantFrom("event", "event", "delivery id", "nothing"),
  marks: fc.constantFrom("before", "after"),
  tests: fc.constantFrom("ignored", "ignored", "counted"),
  writes: fc.constantFrom("at once", "at once", "later"),
  needs: fc.constantFrom("nothing", "nothing", "the payment first"),
  refusesOld: fc.constantFrom(false, false, true),
});

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

function build({ seenBy, marks, tests, writes, needs, refusesOld }: Bricks): ShopHandler {
  return makeShop(async (event, shop, seen) => {
    const key = { nothing: "", "delivery id": event.deliveryId, event: event.key }[seenBy];
    if (event.isTest && tests === "ignored") return undefined;
    if (refusesOld && event.sentAt - event.at > 5 * 60_000) return 400;
    if (seen.has(key)) return undefined;
    if (marks === "before" && key !== "") seen.add(key);
    if (needs === "the payment first" && event.type === "checkout.completed" && !shop.orders[event.order])
      return 409;
    if (writes === "at once") apply(event, shop);
    else {
      const { revenue } = shop;
      await turn();
      apply(event, shop);
      shop.revenue = revenue + (event.type === "payment.completed" ? event.amount : 0);
    }
    if (marks === "after" && key !== "") seen.add(key);
    return undefined;
  });
}

function optionsFor({ handler, reset, state }: ShopHandler, deviations: number): ExploreOptions {
  return {
    subject: {
      ...{ url: "http://subscriber.localhost/webhooks", handler, stateUrl: null, resetBy: null },
      reset: async () => reset(),
      state: async () => state(),
      close: () => undefined,
      // They have done all that they do when they answer.
      quiet: 1,
    },
    story: STORIES.find(({ name }) => name === "checkout")!,
    secret: "whsec_test",
    deviations,
    budget: 60_000,
    timeout: 30_000,
    ignore: [],
    seed: "explore",
    settings: resolveConfig({}, 0),
  };
}

/**
 * Plays every list of deviations, also those that change nothing, each on a subscriber of which nothing is known.
 * @returns whether one of them ends in another state
 */
async function bruteForce(options: ExploreOptions): Promise<boolean> {
  const { stage, close } = await openStage(options, new AbortController().signal);
  try {
    const { run: calm } = await play(stage, [], { root: wireRoot() });
    let parents: { schedule: Schedule; attempts: number }[] = [
      { schedule: [], attempts: calm.attempts.length },
    ];
    for (let size = 1; size <= options.deviations; size += 1) {
      const schedules = parents.flatMap(({ schedule, attempts }) =>
        Array.from({ length: attempts }, (_, at) => DEVIATIONS.map((kind) => ({ at, kind }))).flatMap((all) =>
          all
            .filter((next) =>
              schedule.every((one) => one.at < next.at || (one.at === next.at && one.kind !== next.kind)),
            )
            .map((next) => [...schedule, next]),
        ),
      );
      parents = [];
      for (const schedule of schedules) {
        // The platform refuses to retry what did not fail.
        const run = (await play(stage, schedule, { calm, root: wireRoot() }).catch(() => undefined))?.run;
        if (run?.delivered && JSON.stringify(run.state) !== JSON.stringify(calm.state)) return true;
        if (run) parents.push({ schedule, attempts: run.attempts.length });
      }
    }
    return false;
  } finally {
    await close();
  }
}

it("explore finds something exactly if every schedule, played without a look at what is alike, does", async () => {
  await fc.assert(
    fc.asyncProperty(bricks, async (made) => {
      const { finding, flaky } = await exploreSubscriber(optionsFor(build(made), 1));
      expect(flaky).toBeNull();
      expect(finding !== null).toBe(await bruteForce(optionsFor(build(made), 1)));
    }),
    { numRuns: HANDLERS },
  );
});

it.each<[what: string, make: () => ShopHandler, found: boolean]>([
  ["has no bug", correctShop, false],
  ["handles an event again that it sees a third time", forgetfulShop, true],
])("and so it is with two deviations, for a handler that %s", async (_what, make, found) => {
  const { finding, levels } = await exploreSubscriber(optionsFor(make(), 2));
  expect({ found: finding !== null, deviations: finding?.run.schedule.length ?? levels.length }).toEqual({
    found,
    deviations: 2,
  });
  expect(await bruteForce(optionsFor(make(), 2))).toBe(found);
});

function forgetfulShop(): ShopHandler {
  const copies = new Map<string, number>();
  const shop = makeShop((event, state) => {
    if (event.isTest) return undefined;
    const copy = (copies.get(event.key) ?? 0) + 1;
    copies.set(event.key, copy);
    if (copy !== 2) apply(event, state);
    return undefined;
  });
  return {
    ...shop,
    reset() {
      copies.clear();
      shop.reset();
    },
  };
}

it.each(STORIES.filter(({ name }) => name !== "rush"))(
  "a schedule that was not played from its beginning is what it is when it was ($name)",
  async (story) => {
    const options = { ...optionsFor(correctShop(), 2), story };
    const { stage, close } = await openStage(options, new AbortController().signal);
    const other = await openStage(options, new AbortController().signal);
    try {
      const { run: calm, trace } = await play(stage, [], { root: wireRoot() });
      const traces = new Map([[platformKey([]), trace]]);
      const count = { followed: 0, resumed: 0 };
      const compare = async (schedule: Schedule): Promise<Run> => {
        const fresh = { calm, root: wireRoot() };
        const { run, trace: own } = await play(other.stage, schedule, fresh);
        const key = platformKey(schedule);
        const earlier = traces.get(key);
        const followed = earlier && (await replay(stage, schedule, earlier, { calm, root: wireRoot() }));
        if (followed) {
          count.followed += 1;
          expect(followed).toEqual({ ...run, lag: expect.any(Number) });
        }
        const checkpoint = stage.checkpoints.latestOf(schedule);
        const resumed = await playFrom(checkpoint, stage, schedule, { calm, root: wireRoot() });
        if (resumed) {
          count.resumed += checkpoint ? 1 : 0;
          expect(resumed.run).toEqual({ ...run, lag: expect.any(Number) });
          expect(asData(resumed.trace)).toEqual(asData(own));
        } else await play(stage, schedule, { calm, root: wireRoot() });
        traces.set(key, own);
        return run;
      };
      for (const schedule of extensions([], calm.attempts)) {
        const { attempts, recovery } = await compare(schedule);
        if (story.name === "refused-then-paid")
          for (const longer of extensions(schedule, attempts, recovery)) await compare(longer);
      }
      expect(count.followed).toBeGreaterThan(5);
      expect(count.resumed).toBeGreaterThan(5);
    } finally {
      await close();
      await other.close();
    }
  },
);

/** Without the functions of a trace. */
const asData = (trace: Trace): unknown => JSON.parse(JSON.stringify(trace));
