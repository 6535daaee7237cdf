import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ignoreWords } from "../../src/trial/subject/ignore-words.ts";
import { createMatcher, namesIn, type Place, pathText } from "../../src/trial/subject/path.ts";
import { Comparison, type Json } from "../../src/trial/subject/state.ts";

/** States as subscribers have them, including field names that need quotes. */
const names = fc.oneof(
  fc.string(),
  fc.constantFrom("orders", "a.b", "$", "*", '"', "[0]", "checkout.completed"),
);
const states: fc.Arbitrary<Json> = fc.letrec((tie) => ({
  state: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.oneof(fc.integer(), fc.string(), fc.boolean(), fc.constant(null)),
    fc.array(tie("state"), { maxLength: 4 }),
    fc.dictionary(names, tie("state"), { maxKeys: 4, noNullPrototype: true }),
  ),
})).state;
const places: fc.Arbitrary<Place> = fc.array(fc.oneof(names, fc.nat(20)), { minLength: 1, maxLength: 5 });

/** The same state with all of its lists reversed. */
const reversed = (value: Json): Json => {
  if (Array.isArray(value)) return value.map(reversed).reverse();
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, reversed(one)]));
};

describe("compared states", () => {
  test("comparing a state with itself or a reordered copy finds no difference", () => {
    fc.assert(
      fc.property(states, (state) => {
        expect(new Comparison([]).differences(state, reversed(state))).toEqual([]);
        expect(new Comparison([], ["*", "*.*"]).differences(state, structuredClone(state))).toEqual([]);
      }),
    );
  });

  test("an additional list entry counts as one difference, whichever state contains it", () => {
    fc.assert(
      fc.property(fc.array(states, { maxLength: 5 }), states, (list, more) => {
        const { differences } = new Comparison([]);
        expect(differences(list, [...list, more])).toHaveLength(1);
        expect(differences([...list, more], list)).toHaveLength(1);
      }),
    );
  });

  test("ignoring a reported path makes its difference disappear", () => {
    fc.assert(
      fc.property(states, states, (one, other) => {
        const found = new Comparison([]).differences({ one }, { one: other });
        const paths = found.map(({ path }) => path);
        // Ignored paths affect which entries of a list are compared with each other, so skip paths inside lists.
        if (paths.some((path) => path.includes("["))) return;
        expect(new Comparison(paths).differences({ one }, { one: other })).toEqual([]);
      }),
    );
  });
});

test("lists whose entries are numbered per group compare equal in any order, but not if one has an extra entry", () => {
  const logOf = (amounts: number[]) =>
    amounts.map((amount, index) => ({ stream: "a", version: index + 1, amount }));
  fc.assert(
    fc.property(fc.array(fc.nat(9), { minLength: 2, maxLength: 5 }), fc.nat(9), (amounts, more) => {
      const calm = { log: [{ stream: "b", version: 1, amount: 1 }, ...logOf(amounts)] };
      const log = [...logOf(amounts.toReversed()), { stream: "b", version: 1, amount: 1 }];
      const { differences } = new Comparison([]);
      expect(differences(calm, { log })).toEqual([]);
      expect(differences(calm, { log: [...log, { stream: "a", version: 9, amount: more }] })).toHaveLength(1);
      expect(
        differences({ log: calm.log.slice(0, 1) }, { log: [{ ...calm.log[0], version: 2 }] }),
      ).toHaveLength(1);
    }),
  );
});

test.each([
  ["orders.order-7.updated_at", "orders.*.updated_at"],
  ["mails[3].id", "mails.*.id"],
  ["orders.ord_1.items[0].at", "orders.*.items.*.at"],
  ["orders.ord_1.meta.at", "orders.*.*.at"],
  ["revenue", "revenue"],
])("the advice to ignore a difference in %s covers all differences of its kind: %s", (path, advised) => {
  const words = ignoreWords([{ path, expected: 1, actual: 2 }]);
  expect(words.library).toContain(`ignore: ["${advised}"]`);
});

test("a reported path matches only the value at that path", () => {
  fc.assert(
    fc.property(places, places, (place, other) => {
      const path = pathText(place);
      expect(namesIn(path)).toEqual(place.map(String));
      expect(path).not.toMatch(/\p{C}/u);
      expect(createMatcher([path])(place)).toBe(true);
      expect(createMatcher([path])(other)).toBe(
        place.map(String).join("\0") === other.map(String).join("\0"),
      );
      expect(createMatcher([place.map(() => "*").join(".")])(place)).toBe(true);
    }),
  );
});

test("an asterisk in a field's name is taken literally in a reported path", () => {
  const RUNS = 200;
  let others = 0;
  fc.assert(
    fc.property(places, fc.nat(), fc.constantFrom("*", "a*", "**"), names, (place, index, star, name) => {
      const at = index % place.length;
      const named = place.with(at, star);
      const matches = createMatcher([pathText(named)]);
      expect(matches(named)).toBe(true);
      expect(matches(place.with(at, name))).toBe(name === star);
      if (name !== star) others += 1;
    }),
    { numRuns: RUNS },
  );
  expect(others).toBeGreaterThan(RUNS / 2);
});
