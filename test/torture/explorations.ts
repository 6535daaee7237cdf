import { isDeepStrictEqual } from "node:util";
import { exploreSubscriber } from "../../src/trial/schedules/explore.ts";
import { type Bricks, bruteForce, build, optionsFor } from "../explore/brute-force.ts";
import type { Chance } from "./chance.ts";
import { Finding } from "./finding.ts";
import { type Bench, type Figures, type Part, withBench } from "./part.ts";

/** One in this many handlers is explored with two deviations, the others with one. */
const GROUP = 13;
const WITH_TWO = 3;
/** Overlaps take real time, so other handlers are explored in the meantime. */
const AT_ONCE = 4;

export const explorations: Part = {
  name: "explore",
  about: "random handlers: explore finds what playing every schedule does, with as few deviations",
  unit: "handlers",
  ciCount: 130,
  run: (options) => withBench("explore", options, torture),
};

async function torture(bench: Bench): Promise<Figures> {
  const verdicts: Record<string, number> = {};
  let begun = 0;
  const explore = async (): Promise<void> => {
    while (bench.goesOn(begun)) {
      const deviations = begun % GROUP < GROUP - WITH_TWO ? 1 : 2;
      begun += 1;
      const verdict = await compare(bricks(bench.chance), deviations);
      const name = `up to ${deviations}: ${verdict}`;
      verdicts[name] = (verdicts[name] ?? 0) + 1;
      if (begun % 20 === 0) bench.progress(`${begun} handlers`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, explore));
  return { handlers: begun, ...verdicts };
}

/** Generates a handler. At least half of them have no bug. */
function bricks(chance: Chance): Bricks {
  const made: Bricks = {
    seenBy: chance.pick(["event", "delivery id", "nothing"] as const),
    marks: chance.pick(["before", "after"] as const),
    tests: chance.pick(["ignored", "counted"] as const),
    writes: chance.pick(["at once", "later"] as const),
    needs: chance.pick(["nothing", "the payment first"] as const),
    refusesOld: chance.maybe(0.2),
    forgets: chance.maybe(0.5),
  };
  const { marks, needs } = made;
  return chance.maybe(0.5)
    ? {
        seenBy: "event",
        marks,
        tests: "ignored",
        writes: "at once",
        needs,
        refusesOld: false,
        forgets: false,
      }
    : made;
}

/** @throws Finding if explore and a brute-force search disagree */
async function compare(made: Bricks, deviations: number): Promise<string> {
  const { finding, flaky } = await exploreSubscriber(optionsFor(build(made), deviations));
  const explored = { least: finding?.run.schedule.length ?? null, flaky: flaky !== null };
  const played = { least: await bruteForce(build(made), deviations), flaky: false };
  if (!isDeepStrictEqual(explored, played))
    throw new Finding(`Explore and a brute force with up to ${deviations} deviations disagree.`, [
      `handler: ${JSON.stringify(made)}`,
      `explore: ${JSON.stringify(explored)}`,
      `brute force: ${JSON.stringify(played)}`,
    ]);
  return played.least === null ? "nothing" : `a bug with ${played.least}`;
}
