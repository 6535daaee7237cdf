import { describe, expect, it } from "vitest";
import { surveyVerdict, surveyWords } from "../../src/trial/findings/verdict.ts";
import { exploreStories } from "../../src/trial/schedules/explore.ts";
import { STORIES } from "../../src/trial/stories/stories.ts";
import { makeShop, subjectOf, usualOptions } from "./handlers.ts";

describe("the library's explore()", () => {
  it("explore() skips stories whose events the subscriber ignores, if another story changes its state", async () => {
    const shop = makeShop(
      ({ type, order }, { orders }) =>
        type === "checkout.expired" && Object.assign(orders, { [order]: { status: "expired", payments: 0 } }),
    );
    const { story: _, ...options } = { ...usualOptions("checkout", 1), subject: subjectOf(shop) };
    const stories = STORIES.filter(({ name }) => ["checkout", "late-payment"].includes(name));
    const survey = await exploreStories({ ...options, stories });
    expect(surveyVerdict(survey)).toBe("nothing_found");
    expect(surveyWords(survey)).toMatch(
      /^No difference in .* checkout: Not compared: no event changed the state/,
    );
    expect(survey.explorations.map(({ story }) => story.name)).toEqual(["late-payment"]);
    expect(survey.unplayed).toMatchObject([{ name: "checkout", failed: false }]);
  });
});
