import fc from "fast-check";
import { expect, test } from "vitest";
import { compressedAxis, compressedScale } from "../../src/timeline/axis.ts";
import { HOUR, MINUTE } from "../../src/timeline/duration.ts";

const instants = fc.array(fc.integer({ min: 0, max: 400 * 24 * HOUR }), { minLength: 1, maxLength: 60 });

test("time on the axis never runs backwards, and nothing lies outside it", () => {
  fc.assert(
    fc.property(instants, instants, (given, asked) => {
      const axis = compressedAxis(given, 900, 2_000);
      const places = [...asked].sort((a, b) => a - b).map(axis.x);
      expect(places).toEqual([...places].sort((a, b) => a - b));
      for (const place of places) {
        expect(place).toBeGreaterThanOrEqual(0);
        expect(place).toBeLessThanOrEqual(axis.width);
      }
      expect(axis.width).toBeGreaterThanOrEqual(900);
      expect(axis.width).toBeLessThanOrEqual(2_000);
    }),
  );
});

test("a longer gap on the axis is wider, and short ones stay visible next to a gap of three days", () => {
  const [start, minute, ten, hour, days] = [0, 1, 11, 71, 71 + 3 * 24 * 60].map((value) => value * MINUTE);
  const axis = compressedAxis([days!, start!, ten!, minute!, hour!], 900, 2_000);
  const places = [start, minute, ten, hour, days].map((at) => axis.x(at!));
  const gaps = places.slice(1).map((place, index) => place - places[index]!);
  expect(gaps).toEqual([...gaps].sort((a, b) => a - b));
  expect(gaps[0]).toBeGreaterThan(100);
  expect(places.at(-1)).toBe(900);
});

test("a scale maps a time to its position and back, no matter how far outside the axis it is", () => {
  const far = fc.integer({ min: -20_000 * 24 * HOUR, max: 40_000 * 24 * HOUR });
  fc.assert(
    fc.property(instants, far, (wanted, at) => {
      const { place, at: back } = compressedScale(wanted);
      expect(Math.abs(back(place(at)) - at)).toBeLessThanOrEqual(1 + Math.abs(at) * 1e-6);
      expect(place(at + HOUR)).toBeGreaterThan(place(at));
    }),
  );
  const { at, width } = compressedScale([0]);
  expect(Number.isNaN(new Date(at(width + 100_000)).getTime())).toBe(false);
});

test("a single point in time is in the middle of the axis", () => {
  expect(compressedAxis([5, 5], 900, 2_000).x(5)).toBe(450);
});
