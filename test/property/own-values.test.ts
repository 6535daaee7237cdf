import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createNaming } from "../../src/trial/subject/own-names.ts";
import { findOwnValues, hasWholeTimes, type SeenRun } from "../../src/trial/subject/own-values.ts";
import { Comparison } from "../../src/trial/subject/state.ts";

const BEGAN = Date.parse("2026-01-15T09:00:00Z");
const NONE = { orders: [] };
const [SECOND, DAY] = [1_000, 86_400_000];

/** A run that took 300 ms and wrote a value after 100 ms. */
const runOf = (write: (now: number) => unknown, began: number): SeenRun => ({
  state: { orders: [{ value: write(began + 100) }] },
  began,
  ended: began + 300,
});

/** Formats in which programs store times. */
const FORMS: Record<string, (instant: number) => unknown> = {
  "ISO 8601": (at) => new Date(at).toISOString(),
  "Postgres's text": (at) => new Date(at).toISOString().replace("Z", "000+00:00"),
  "SQLite's text": (at) => new Date(at).toISOString().slice(0, 19).replace("T", " "),
  milliseconds: (at) => at,
  seconds: (at) => Math.floor(at / SECOND),
  "seconds with a fraction": (at) => at / SECOND,
  "a numeric text": String,
  "JSON text": (at) => JSON.stringify({ paid: true, at: new Date(at).toISOString() }),
  "a list": (at) => [{ at }],
};
const forms = fc.constantFrom(...Object.keys(FORMS));

/** Learns from two runs that are five seconds apart, and compares the first one with a third run ten minutes later. */
function compared(write: (now: number) => unknown, third: (now: number) => unknown) {
  const [first, again, later] = [
    runOf(write, BEGAN),
    runOf(write, BEGAN + 5 * SECOND),
    runOf(third, BEGAN + 600 * SECOND),
  ];
  const own = findOwnValues(first, again, NONE);
  const naming = createNaming(own, BEGAN);
  const named = ({ state, ended }: SeenRun) => naming(state, ended);
  return { own, differences: new Comparison([]).differences(named(first), named(later)) };
}

describe("times from the machine's clock", () => {
  it("times at a constant offset from the start of each run are equal, in any format", () => {
    fc.assert(
      fc.property(forms, fc.integer({ min: -400, max: 400 }), fc.nat(90), (form, days, minutes) => {
        const distance = days * DAY + minutes * 60 * SECOND;
        const write = (now: number) => FORMS[form]!(now + distance);
        const { own, differences } = compared(write, write);
        expect(own.map(({ holds }) => holds)).toEqual(["time"]);
        expect(differences).toEqual([]);
      }),
    );
  });

  it("a time set during a run differs from null, from older times and from times at another offset", () => {
    fc.assert(
      fc.property(
        forms,
        fc.integer({ min: -30, max: 30 }),
        fc.integer({ min: 1, max: 30 }),
        (form, days, more) => {
          const write = (now: number) => FORMS[form]!(now + days * DAY);
          const others = [
            () => null,
            () => FORMS[form]!(BEGAN - 400 * DAY),
            (now: number) => FORMS[form]!(now + (days + more) * DAY),
          ];
          for (const other of others) expect(compared(write, other).differences).toHaveLength(1);
        },
      ),
    );
  });

  it("times with different offsets are distinguished, no matter how long the runs took", () => {
    const distances = fc.uniqueArray(fc.integer({ min: 1, max: 100 }), { minLength: 2, maxLength: 4 });
    fc.assert(
      fc.property(forms, distances, (form, minutes) => {
        const write = (now: number) => minutes.map((one) => FORMS[form]!(now + one * 60 * SECOND));
        expect(compared(write, write).differences).toEqual([]);
        const [one, ...others] = minutes;
        const wrong = (now: number) =>
          [one!, one!, ...others.slice(1)].map((at) => FORMS[form]!(now + at * 60 * SECOND));
        expect(compared(write, wrong).differences).toHaveLength(1);
      }),
    );
  });

  it("a time that is equal in both runs comes from an event, not from the machine", () => {
    fc.assert(
      fc.property(forms, fc.integer({ min: 60 * SECOND, max: 400 * DAY }), (form, distance) => {
        const write = () => FORMS[form]!(BEGAN - distance);
        expect(findOwnValues(runOf(write, BEGAN), runOf(write, BEGAN + 5_000), NONE)).toEqual([]);
      }),
    );
  });

  it("numbers that happen to differ, such as counters and amounts, are not times", () => {
    fc.assert(
      fc.property(fc.nat(1_000_000), fc.integer({ min: 1, max: 10_000 }), (one, more) => {
        const runs = [runOf(() => one, BEGAN), runOf(() => one + more, BEGAN + 1_000)] as const;
        expect(findOwnValues(...runs, NONE)).toEqual([]);
      }),
    );
  });
});

describe("two runs within a second", () => {
  const whole = (now: number) => Math.floor((now + DAY) / SECOND);

  it("a time in whole seconds cannot be attributed if both runs fall into that second", () => {
    expect(hasWholeTimes(runOf(whole, BEGAN), NONE, [])).toBe(true);
    expect(
      hasWholeTimes(
        runOf((now) => whole(now) * SECOND + 1, BEGAN),
        NONE,
        [],
      ),
    ).toBe(false);
  });

  it("an event's time, or an earlier one, can be attributed within one second", () => {
    const { state, ...rest } = runOf(whole, BEGAN);
    expect(hasWholeTimes({ state, ...rest }, NONE, [`{"expires":${whole(BEGAN)}}`])).toBe(false);
    expect(hasWholeTimes({ state, ...rest }, state, [])).toBe(false);
  });
});

it("null, earlier values and values common to both runs are not generated ids", () => {
  const before = { orders: [{ id: "old-token-0001" }] };
  const run = (id: string, began: number): SeenRun => ({
    state: { orders: [{ id }, { id: "same-token-0001" }, { id: null }] },
    began,
    ended: began + 1,
  });
  const naming = createNaming(findOwnValues(run("aaaa-1111-bbbb", 1), run("cccc-2222-dddd", 9), before), 1);
  const named = (id: unknown) =>
    (naming({ orders: [{ id }] }, 20) as { orders: { id: unknown }[] }).orders[0]!.id;
  expect(["eeee-3333-ffff", "same-token-0001", "old-token-0001", null, "short"].map(named)).toEqual([
    "a generated id",
    "same-token-0001",
    "old-token-0001",
    null,
    "short",
  ]);
});

it("values that two runs return in a different order are not generated ids", () => {
  const run = (ids: string[]): SeenRun => ({
    state: { orders: ids.map((id) => ({ id })) },
    began: 1,
    ended: 2,
  });
  const [one, other] = ["customer-0001", "customer-0002"];
  expect(findOwnValues(run([one, other]), run([other, one]), NONE)).toEqual([]);
});
