import { describe, expect, it } from "vitest";
import { exploreSubscriber } from "../../src/trial/schedules/explore.ts";
import { optionsFor } from "./brute-force.ts";
import { correctShop } from "./handlers.ts";

/** A shop whose state takes so long to read that the budget is over before all schedules with one deviation are tried. */
function slowShop() {
  const shop = correctShop();
  const state = () => {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 60);
    return shop.state();
  };
  return { ...shop, state };
}

describe("the budget of explore", () => {
  it.each([
    ["tries all schedules with one deviation, however long they take", false],
    ["stops earlier if the user limited its time", true],
  ])("explore %s", async (_title, isLimited) => {
    const options = { ...optionsFor(slowShop(), 1), budget: 1000, isLimited };
    const { levels, stopped } = await exploreSubscriber(options);
    const [{ tried, schedules }] = levels as [(typeof levels)[0]];
    expect([stopped, tried === schedules]).toEqual(isLimited ? ["budget", false] : [null, true]);
  });
});
