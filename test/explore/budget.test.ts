import { describe, expect, it } from "vitest";
import { exploreSubscriber } from "../../src/trial/schedules/explore.ts";
import { build, optionsFor } from "./brute-force.ts";
import { correctShop } from "./handlers.ts";

/** A budget that is long enough for a calm run on a busy machine. */
const BUDGET_MS = 5_000;

/**
 * A shop whose state takes so long to read, from the first schedule on, that the budget runs out before all schedules
 * with one deviation have been tried.
 */
function slowShop() {
  const shop = correctShop();
  let isSlow = false;
  const state = () => {
    if (isSlow) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, BUDGET_MS / 20);
    return shop.state();
  };
  const onProgress = () => {
    isSlow = true;
  };
  return { shop: { ...shop, state }, onProgress };
}

const CORRECT: Parameters<typeof build>[0] = {
  ...{ seenBy: "event", marks: "before", tests: "ignored", writes: "at once" },
  ...{ needs: "nothing", refusesOld: false, forgets: false },
};

describe("the budget of an exploration", () => {
  it.each([
    ["tries all schedules with one deviation, no matter how long they take", false],
    ["stops before all schedules with one deviation are tried if the user has limited its time", true],
  ])("explore %s", async (_title, isLimited) => {
    const { shop, onProgress } = slowShop();
    const options = { ...optionsFor(shop, 1), budget: BUDGET_MS, isLimited, onProgress };
    const { levels, stopped } = await exploreSubscriber(options);
    const [{ tried, schedules }] = levels as [(typeof levels)[0]];
    expect([stopped, tried === schedules]).toEqual(isLimited ? ["budget", false] : [null, true]);
  });

  it("explore --all stops if its budget runs out while a finding is being confirmed", async () => {
    // The shop fails only with two deviations. Until all schedules with one deviation have been tried, each schedule
    // has the whole budget.
    const shop = build({ ...CORRECT, forgets: true });
    let wrong = 0;
    const state = () => {
      const now = shop.state();
      if (Object.values(now.orders).some(({ payments }) => payments > 1)) wrong += 1;
      if (wrong === 2) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 3_100);
      return now;
    };
    const options = { ...optionsFor({ ...shop, state }, 2), budget: 3_000, all: true };
    expect((await exploreSubscriber(options)).stopped).toBe("budget");
  });
});
