import fc from "fast-check";
import { expect, test } from "vitest";
import { type Schedule, shareOf } from "../../src/trial/schedules/schedule.ts";

test("each schedule is in exactly one part, in order, and parts differ in size by at most one", () => {
  const schedules = fc.array(fc.nat(3).map((at): Schedule => [{ at, kind: "lost" }]));
  fc.assert(
    fc.property(schedules, fc.integer({ min: 1, max: 9 }), (all, count) => {
      const parts = Array.from({ length: count }, (_, at) => shareOf(all, { index: at + 1, count }));
      for (const part of parts) expect(part).toEqual(all.filter((one) => part.includes(one)));
      expect(parts.flat()).toHaveLength(all.length);
      expect(new Set(parts.flat())).toEqual(new Set(all));
      const sizes = parts.map(({ length }) => length);
      expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1);
    }),
  );
});
