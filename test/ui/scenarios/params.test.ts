import fc from "fast-check";
import { expect, test } from "vitest";
import { readRoute } from "../../../ui/models/router.ts";
import type { ParamSpec } from "../../../ui/models/scenarios/api.ts";
import {
  fieldOf,
  filledOf,
  formHref,
  readAll,
  readAsked,
  readParam,
  subscriberProblem,
} from "../../../ui/models/scenarios/params.ts";

const values = fc.oneof(fc.string(), fc.boolean(), fc.double({ noNaN: true, noDefaultInfinity: true }));
const names = fc.stringMatching(/^[A-Za-z][A-Za-z0-9_-]{0,40}$/);

test("what a form begins with means the defaults", () => {
  fc.assert(
    fc.property(fc.dictionary(names, values, { maxKeys: 4 }), (defaults) => {
      const params = Object.fromEntries(
        Object.entries(defaults).map(([name, value]) => [name, { default: value }]),
      );
      // Minus zero is written as zero.
      expect(readAll(params, filledOf(params))).toEqual(
        Object.fromEntries(Object.entries(defaults).map(([name, value]) => [name, value === 0 ? 0 : value])),
      );
    }),
  );
});

test("the address of a form says what it is filled with, whatever that is", () => {
  const subscribers = fc.option(fc.webUrl(), { nil: null });
  fc.assert(
    fc.property(fc.dictionary(names, values, { maxKeys: 4 }), subscribers, (params, subscriber) => {
      const { parts, query } = readRoute(formHref("story", params, subscriber));
      const text = Object.fromEntries(Object.entries(params).map(([name, value]) => [name, String(value)]));
      expect([parts, readAsked(query)]).toEqual([["story"], { values: text, subscriber: subscriber ?? "" }]);
    }),
    { numRuns: 40 },
  );
});

test.each<[spec: ParamSpec, field: string]>([
  [{ default: "coffee" }, "text"],
  [{ default: "two\nlines" }, "lines"],
  [{ default: 3 }, "number"],
  [{ default: false }, "switch"],
  [{ default: 3, choices: [1, 2, 3] }, "choice"],
])("%j is filled in as %s", (spec, field) => {
  expect(fieldOf(spec)).toBe(field);
});

test.each<[spec: ParamSpec, text: string, value: unknown]>([
  [{ default: 1 }, "2.5", 2.5],
  [{ default: 1 }, "", undefined],
  [{ default: 1 }, "many", undefined],
  [{ default: 1 }, "Infinity", undefined],
  [{ default: true }, "false", false],
  [{ default: true }, "maybe", undefined],
  [{ default: 503, choices: [500, 503] }, "500", 500],
  [{ default: 503, choices: [500, 503] }, "404", undefined],
  [{ default: "a" }, " b ", " b "],
])("for %j the text %j means %j", (spec, text, value) => {
  const read = readParam(spec, text);
  expect(read.value).toEqual(value);
  expect(read.problem === undefined).toBe(value !== undefined);
});

test("what is asked for and means nothing is left at its default", () => {
  const params = { status: { default: 503, choices: [500, 503] }, failures: { default: 2 } };
  expect(filledOf(params, { status: "404", failures: "3", other: "x" })).toEqual({
    status: "503",
    failures: "3",
  });
});

test("subscribers", () => {
  expect(["", "http://127.0.0.1:3000/webhooks", "https://shop.test"].map(subscriberProblem)).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
  expect(["nowhere", "ftp://shop.test", "http://"].every((text) => subscriberProblem(text))).toBe(true);
});
