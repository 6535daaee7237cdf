import { expect, it } from "vitest";
import { exploreSubscriber } from "../../src/trial/schedules/explore.ts";
import { play, playFrom } from "../../src/trial/schedules/play.ts";
import type { Run } from "../../src/trial/schedules/run.ts";
import { extensions, type Schedule } from "../../src/trial/schedules/schedule.ts";
import { openStage } from "../../src/trial/schedules/stage.ts";
import { wireRoot } from "../../src/trial/schedules/wire.ts";
import { STORIES } from "../../src/trial/stories/stories.ts";
import { agreeAbout, type Bricks, bruteForce, build, optionsFor } from "./brute-force.ts";
import { correctShop } from "./handlers.ts";

it("explore agrees with a brute-force search over single deviations, for 6 generated handlers", () =>
  agreeAbout("checkout"));

it("explore and a brute-force search both find a handler that forgets an event when its duplicate arrives", async () => {
  const made: Bricks = {
    ...{ seenBy: "event", marks: "after", tests: "ignored", writes: "at once", needs: "nothing" },
    ...{ refusesOld: false, forgets: true },
  };
  const { finding, levels } = await exploreSubscriber(optionsFor(build(made), 2));
  expect([finding?.run.schedule.length, levels.length]).toEqual([2, 2]);
  expect(await bruteForce(build(made), 2)).toBe(2);
});

const STORED = STORIES.filter(({ name }) =>
  ["checkout", "refused-then-paid", "two-customers"].includes(name),
);

it.each(STORED.map((story) => [story.name, story] as const))(
  "a schedule replayed from a checkpoint has the same result as one replayed from the start (%s)",
  async (_name, story) => {
    const options = { ...optionsFor(correctShop(), 2), story };
    const stage = await openStage(options, new AbortController().signal);
    const other = await openStage(options, new AbortController().signal);
    try {
      const calm = await play(stage, [], { root: wireRoot() });
      let resumed = 0;
      const compare = async (schedule: Schedule): Promise<Run> => {
        const run = await play(other, schedule, { calm, root: wireRoot() });
        const checkpoint = stage.checkpoints.latestOf(schedule);
        const again = checkpoint && (await playFrom(checkpoint, stage, schedule, { calm, root: wireRoot() }));
        if (again) {
          resumed += 1;
          expect(again).toEqual({ ...run, lag: expect.any(Number), path: expect.any(String) });
        } else await play(stage, schedule, { calm, root: wireRoot() });
        return run;
      };
      for (const schedule of extensions([], calm.attempts)) {
        const { attempts, recovery } = await compare(schedule);
        // For the story with the most data in checkpoints, also try some schedules of the next level.
        if (story.name !== "refused-then-paid") continue;
        const longer = extensions(schedule, attempts, recovery);
        for (const one of longer.filter((_, index) => index % 16 === 0)) await compare(one);
      }
      expect(resumed).toBeGreaterThan(5);
    } finally {
      await stage.close();
      await other.close();
    }
  },
);
