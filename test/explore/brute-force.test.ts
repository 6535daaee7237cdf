import fc from "fast-check";
import { expect, it } from "vitest";
import { resolveConfig } from "../../src/config/config.ts";
import { serve } from "../../src/server/serve.ts";
import { exploreSubscriber } from "../../src/trial/schedules/explore.ts";
import { play, playFrom } from "../../src/trial/schedules/play.ts";
import { replay, type Trace } from "../../src/trial/schedules/replay.ts";
import type { Run } from "../../src/trial/schedules/run.ts";
import { extensions, platformKey, type Schedule } from "../../src/trial/schedules/schedule.ts";
import { openStage } from "../../src/trial/schedules/stage.ts";
import { wireRoot } from "../../src/trial/schedules/wire.ts";
import { ownStory } from "../../src/trial/stories/own-story.ts";
import { STORIES, type Story } from "../../src/trial/stories/stories.ts";
import { folderOf } from "../support/cli.ts";
import { type Bricks, bruteForce, build, optionsFor } from "./brute-force.ts";
import { correctShop } from "./handlers.ts";

const anyBricks: fc.Arbitrary<Bricks> = fc.record({
  seenBy: fc.constantFrom("event", "delivery id", "nothing"),
  marks: fc.constantFrom("before", "after"),
  tests: fc.constantFrom("ignored", "counted"),
  writes: fc.constantFrom("at once", "later"),
  needs: fc.constantFrom("nothing", "the payment first"),
  refusesOld: fc.constantFrom(false, false, true),
  forgets: fc.boolean(),
});
/** Handlers without a bug. One that marks an event as seen and then refuses it for now would lose it. */
const correctBricks: fc.Arbitrary<Bricks> = fc
  .constantFrom<Pick<Bricks, "marks" | "needs">>(
    { marks: "before", needs: "nothing" },
    { marks: "after", needs: "nothing" },
    { marks: "after", needs: "the payment first" },
  )
  .map((order) => ({
    ...{ seenBy: "event", tests: "ignored", writes: "at once", refusesOld: false, forgets: false },
    ...order,
  }));
/** At least every second one has no bug. */
const bricks = fc.oneof(correctBricks, anyBricks);

/** `npm run torture -- explore` compares many more. */
it.each([
  [1, 100],
  [2, 30],
])(
  "explore with up to %i deviations finds what a brute force finds, for %i handlers",
  async (deviations, numRuns) => {
    await fc.assert(
      fc.asyncProperty(bricks, async (made) => {
        const { finding, flaky } = await exploreSubscriber(optionsFor(build(made), deviations));
        expect(flaky).toBeNull();
        expect(finding?.run.schedule.length ?? null).toBe(await bruteForce(build(made), deviations));
      }),
      { numRuns },
    );
  },
);

it.each<[what: string, forgets: boolean, least: number | null]>([
  ["has no bug", false, null],
  ["forgets an event at the second copy", true, 2],
])("both say the same of a handler that %s", async (_what, forgets, least) => {
  const made: Bricks = {
    ...{ seenBy: "event", marks: "after", tests: "ignored", writes: "at once", needs: "nothing" },
    ...{ refusesOld: false, forgets },
  };
  const { finding, levels } = await exploreSubscriber(optionsFor(build(made), 2));
  expect({ found: finding?.run.schedule.length ?? null, levels: levels.length }).toEqual({
    found: least,
    levels: 2,
  });
  expect(await bruteForce(build(made), 2)).toBe(least);
});

/** Scenarios of one's own, by what they do beside making things happen. */
const OWN = {
  "one after another": `
    await step("One pays", () => sandbox.payments.pay("coffee", { client_reference_id: "order-1" }));
    await sandbox.clock.advance("30s");
    const [{ id }] = (await sandbox.events({ types: ["payment.completed"] })).slice(-1);
    await sandbox.payments.pay("coffee", { client_reference_id: "order-2", metadata: { after: String(id) } });`,
  "at the same time": `
    await Promise.all(["order-1", "order-2"].map((client_reference_id) => sandbox.payments.pay("coffee", { client_reference_id })));
    await expect(sandbox.payments.pay("tea")).rejects.toThrow();
    await sandbox.clock.advance("1m");`,
};

/** A scenario of one's own as a story. */
function ownStoryThat(does: keyof typeof OWN): Promise<Story> {
  const folder = folderOf({
    "own.ts": `export default {
        name: "own",
        title: "Two customers pay",
        seed: "empty",
        async run({ sandbox, step, expect }) {
          await sandbox.webhooks.create({ url: sandbox.inbox("shop").url, events: ["payment.completed"] });
          await sandbox.payments.createLink({ name: "Coffee", short_code: "coffee", amount: "18000000" });
          ${OWN[does]}
        },
      };`,
  });
  return ownStory("own", resolveConfig({ scenarios: "." }, 0), folder);
}

const shipped = STORIES.filter(({ name }) => name !== "rush").map(
  (story) => [story.name, async () => story] as const,
);
const own = (Object.keys(OWN) as (keyof typeof OWN)[]).map(
  (does) => [`one's own, ${does}`, () => ownStoryThat(does)] as const,
);
it.each([...shipped, ...own])(
  "a schedule that was not played from its beginning is what it is when it was (%s)",
  async (_name, storyOf) => {
    const story = await storyOf();
    const options = { ...optionsFor(correctShop(), 2), story, serve };
    const { stage, close } = await openStage(options, new AbortController().signal);
    const other = await openStage({ ...options, story: await storyOf() }, new AbortController().signal);
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
