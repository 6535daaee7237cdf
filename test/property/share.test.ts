import fc from "fast-check";
import { expect, test } from "vitest";
import { DEVIATIONS } from "../../src/trial/schedules/deviations/index.ts";
import type { Schedule } from "../../src/trial/schedules/schedule.ts";
import { shareOf } from "../../src/trial/schedules/share.ts";

const schedulesOf = (...kinds: string[]) =>
  fc.array(fc.record({ at: fc.nat(3), kind: fc.constantFrom(...kinds) }).map((one): Schedule => [one]));
const ATTEMPTS = fc.integer({ min: 1, max: 4 });
const COUNT = fc.integer({ min: 1, max: 9 });

const partsOf = (all: readonly Schedule[], attempts: number, count: number): Schedule[][] =>
  Array.from({ length: count }, (_, at) => shareOf(all, attempts, { index: at + 1, count }));

test("each schedule is in exactly one of the parts, which have them in their order", () => {
  fc.assert(
    fc.property(schedulesOf(...DEVIATIONS), ATTEMPTS, COUNT, (all, attempts, count) => {
      const parts = partsOf(all, attempts, count);
      for (const part of parts) expect(part).toEqual(all.filter((one) => part.includes(one)));
      expect(parts.flat()).toHaveLength(all.length);
      expect(new Set(parts.flat())).toEqual(new Set(all));
    }),
  );
});

test("no part of the schedules has more requests than another by more than one schedule", () => {
  fc.assert(
    fc.property(schedulesOf("lost", "second-endpoint"), ATTEMPTS, COUNT, (all, attempts, count) => {
      const requests = partsOf(all, attempts, count).map((part) =>
        part.reduce((sum, [one]) => sum + (one!.kind === "lost" ? attempts : 2 * attempts), 0),
      );
      expect(Math.max(...requests) - Math.min(...requests)).toBeLessThanOrEqual(2 * attempts);
    }),
  );
});
