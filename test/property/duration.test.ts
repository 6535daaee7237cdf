import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { SandboxError } from "../../src/errors/errors.ts";
import { formatDuration } from "../../src/timeline/duration.ts";
import { iso, LAST_INSTANT, parseDuration, parseInstant, readInstant } from "../../src/world/duration.ts";

const instants = fc.oneof(
  fc.integer({ min: 0, max: LAST_INSTANT }),
  fc.constantFrom(0, 1, LAST_INSTANT - 1, LAST_INSTANT),
);
const part = (max: number) => fc.integer({ min: 0, max });
const two = (value: number) => String(value).padStart(2, "0");

describe("durations", () => {
  test("whole milliseconds are parsed unchanged, as a number or as a string", () => {
    fc.assert(
      fc.property(instants, (ms) => {
        expect([parseDuration(ms), parseDuration(String(ms)), parseDuration(`${ms}ms`)]).toEqual([
          ms,
          ms,
          ms,
        ]);
      }),
    );
  });

  test("the parts of a duration add up, in short form and in ISO 8601", () => {
    fc.assert(
      fc.property(part(400), part(99), part(99), part(99), part(999), (d, h, m, s, ms) => {
        const total = (((d * 24 + h) * 60 + m) * 60 + s) * 1_000 + ms;
        expect(parseDuration(`${d}d${h}h${m}m${s}s${ms}ms`)).toBe(total);
        expect(parseDuration(`P${d}DT${h}H${m}M${s}.${String(ms).padStart(3, "0")}S`)).toBe(total);
        expect(parseDuration(` ${d}d${h}h${m}m${s}s${ms}ms `)).toBe(total);
      }),
    );
  });

  test("a formatted duration parses back to the same length", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 10_000_000 }), (seconds) => {
        expect(parseDuration(formatDuration(seconds * 1_000).replaceAll(" ", ""))).toBe(seconds * 1_000);
      }),
    );
    fc.assert(
      fc.property(part(999), (ms) => {
        expect(parseDuration(formatDuration(ms).replaceAll(" ", ""))).toBe(ms);
      }),
    );
  });

  test("an invalid duration is always rejected with a message and a hint, never with another error", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.anything(), fc.double()), (value) => {
        try {
          const ms = parseDuration(value);
          expect(Number.isInteger(ms) && ms >= 0 && ms <= LAST_INSTANT).toBe(true);
        } catch (error) {
          expect(error).toBeInstanceOf(SandboxError);
          expect((error as SandboxError).code).toBe("invalid_duration");
          expect((error as SandboxError).hint).toMatch(/\S/);
        }
      }),
      { numRuns: 1_000, examples: [[{ toString: "" }], [1n], [[-1n]], [Object.create(null)]] },
    );
  });

  test.each([
    "",
    " ",
    "P",
    "PT",
    "-1h",
    "1x",
    "1h 30m",
    "h1",
    "1.h",
    "P1M",
    "P1Y",
    "1e3",
    "0x10",
    "∞",
    "1h-5m",
  ])("the duration %j is rejected", (text) => {
    expect(() => parseDuration(text)).toThrow(SandboxError);
  });
});

describe("instants", () => {
  test("a formatted instant parses back to the same value", () => {
    fc.assert(
      fc.property(instants, (ms) => {
        expect(readInstant(iso(ms))).toBe(ms);
        expect(parseInstant(iso(ms))).toBe(ms);
        expect(parseInstant(ms)).toBe(ms);
      }),
    );
  });

  test("an instant without a time zone is UTC, and an offset is applied", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 86_400, max: 4_000_000_000 }),
        fc.integer({ min: -14 * 60, max: 14 * 60 }),
        (second, offset) => {
          const local = iso((second + offset * 60) * 1_000).slice(0, 19);
          const minutes = Math.abs(offset);
          const zone = `${offset < 0 ? "-" : "+"}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
          expect(readInstant(local + zone)).toBe(second * 1_000);
          expect(readInstant(iso(second * 1_000).slice(0, 19))).toBe(second * 1_000);
        },
      ),
    );
  });

  test("a date is accepted if and only if it exists in the calendar", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1970, max: 9999 }), part(13), part(32), (year, month, day) => {
        const days = month >= 1 && month <= 12 ? new Date(Date.UTC(year, month, 0)).getUTCDate() : 0;
        const text = `${year}-${two(month)}-${two(day)}`;
        expect(readInstant(text)).toBe(day >= 1 && day <= days ? Date.UTC(year, month - 1, day) : undefined);
      }),
      { numRuns: 500 },
    );
  });

  test("parseInstant() rejects any other value with a SandboxError", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.anything()), (value) => {
        const ms = readInstant(value);
        if (ms !== undefined) expect(ms >= 0 && ms <= LAST_INSTANT).toBe(true);
        else if (typeof value !== "number") expect(() => parseInstant(value)).toThrow(SandboxError);
      }),
      { numRuns: 1_000 },
    );
  });
});

test("iso() formats every instant exactly as Date does, no matter what it formatted before", () => {
  const instant = fc.oneof(fc.integer({ min: -200, max: 200 }), fc.integer({ min: -8.64e15, max: 8.64e15 }));
  fc.assert(
    fc.property(fc.array(instant, { maxLength: 200 }), (instants) => {
      expect(instants.map(iso)).toEqual(instants.map((ms) => new Date(ms).toISOString()));
    }),
  );
});
