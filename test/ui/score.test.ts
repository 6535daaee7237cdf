import fc from "fast-check";
import { expect, test } from "vitest";
import { createScore, shownAt } from "../../ui/models/score.ts";

test.each([
  ["no events", [], 600],
  ["one event", [60], 1_200],
  ["one event at the very end", [100], 1_200],
  ["eight events", [10, 20, 30, 40, 50, 60, 70, 80], 1_620],
  ["fifty events", Array.from({ length: 50 }, (_, index) => index + 1), 2_500],
])("the animation of an advance with %s takes the expected time", (_what, instants, duration) => {
  expect(createScore(0, 100, instants).duration).toBe(duration);
});

test("the progress line of an advance on the page pauses for 600 ms when an endpoint is disabled, at most three times", () => {
  const score = createScore(0, 100, [20, 40, 60, 80], [40]);
  expect(score.duration).toBe(1_800);
  const arrived = 2 * (1_200 / 5);
  expect(shownAt(score, arrived - 1).until).toBe(20);
  for (const rested of [0, 300, 599])
    expect(shownAt(score, arrived + rested)).toEqual({ line: 40, until: 40 });
  expect(shownAt(score, arrived + 720).line).toBeGreaterThan(40);
  expect(shownAt(score, score.duration)).toEqual({ line: 100, until: 100 });
  expect(createScore(0, 100, [20, 40, 60, 80], [20, 40, 60, 80]).duration).toBe(3_000);
  expect(createScore(0, 100, [20, 100], [100]).duration).toBe(1_800);
});

test("the progress line of an advance moves from stop to stop, and an event appears only once the line reaches it", () => {
  const instants = fc.array(fc.integer({ min: -10, max: 1_010 }), { maxLength: 40 });
  fc.assert(
    fc.property(
      instants,
      fc.array(fc.integer({ min: -5, max: 3_000 }), { maxLength: 40 }),
      (happened, times) => {
        const score = createScore(0, 1_000, happened);
        let last = 0;
        for (const elapsed of times.sort((a, b) => a - b)) {
          const { line, until } = shownAt(score, elapsed);
          expect(until).toBeLessThanOrEqual(line);
          expect(line).toBeGreaterThanOrEqual(last);
          expect(score.stops.some((stop) => stop > until && stop <= line)).toBe(false);
          last = line;
        }
        expect(shownAt(score, score.duration)).toEqual({ line: 1_000, until: 1_000 });
      },
    ),
  );
});
