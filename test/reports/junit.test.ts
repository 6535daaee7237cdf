import fc from "fast-check";
import { expect, test } from "vitest";
import { junitXml, type TestCase, type TestSuite } from "../../src/reports/junit.ts";
import { readJunit } from "./read-junit.ts";

const PASSED: TestCase = { name: "Pay", classname: "scenarios.pay", time_s: 0.0123 };
const suite = (cases: TestCase[], more: Partial<TestSuite> = {}): TestSuite => ({
  name: "pay",
  time_s: 1.25,
  cases,
  ...more,
});

test("JUnit XML contains the number of test cases in each suite", async () => {
  const problem = { type: "expectation", message: "not equal", text: "1\n2" };
  const report = await readJunit(
    junitXml([
      suite([PASSED, { ...PASSED, failure: problem }]),
      suite([
        { ...PASSED, error: problem },
        { ...PASSED, skipped: "no receiver" },
      ]),
    ]),
  );
  expect(report).toMatchObject({
    name: "testsuites",
    attributes: { name: "sandglass", tests: "4", failures: "1", errors: "1", time: "2.500" },
    children: [
      { attributes: { tests: "2", failures: "1", errors: "0", skipped: "0", time: "1.250" } },
      { attributes: { tests: "2", failures: "0", errors: "1", skipped: "1", time: "1.250" } },
    ],
  });
});

test("a JUnit case contains its file, outcome and output", async () => {
  const [cases] = (
    await readJunit(
      junitXml([
        suite([
          { ...PASSED, file: "scenarios/pay.ts", output: "a line" },
          { ...PASSED, failure: { type: "expectation", message: "not equal", text: "1 is not 2" } },
          { ...PASSED, skipped: "no receiver" },
        ]),
      ]),
    )
  ).children;
  expect(cases!.children).toMatchObject([
    {
      attributes: { name: "Pay", classname: "scenarios.pay", time: "0.012", file: "scenarios/pay.ts" },
      children: [{ name: "system-out", text: "a line" }],
    },
    {
      children: [
        { name: "failure", attributes: { type: "expectation", message: "not equal" }, text: "1 is not 2" },
      ],
    },
    { children: [{ name: "skipped", attributes: { message: "no receiver" } }] },
  ]);
});

test("a JUnit suite contains its properties, and a timestamp without fractions or a time zone", async () => {
  const text = junitXml([
    suite([], { timestamp: "2026-01-15T09:00:00.123Z", properties: { seed: "default", "param.a": "1" } }),
  ]);
  const [first] = (await readJunit(text)).children;
  expect(first!.attributes.timestamp).toBe("2026-01-15T09:00:00");
  expect(first!.children[0]!.children.map(({ attributes }) => attributes)).toEqual([
    { name: "seed", value: "default" },
    { name: "param.a", value: "1" },
  ]);
});

test("JUnit XML without suites is valid", async () => {
  expect((await readJunit(junitXml([]))).attributes.tests).toBe("0");
});

/** Replaces each character that XML cannot contain with a placeholder. Everything else must be returned unchanged. */
function readable(text: string): string {
  return Array.from(text, (character) => {
    const code = character.codePointAt(0)!;
    const allowed =
      code === 0x9 ||
      code === 0xa ||
      code === 0xd ||
      (code >= 0x20 && code <= 0xd7ff) ||
      (code >= 0xe000 && code <= 0xfffd) ||
      code >= 0x10000;
    return allowed ? character : "\ufffd";
  }).join("");
}

const anyText = fc.oneof(
  { weight: 3, arbitrary: fc.string({ unit: "binary", maxLength: 20 }) },
  // Unpaired surrogates, and surrogates in the wrong order.
  {
    weight: 1,
    arbitrary: fc.string({ unit: fc.constantFrom("\ud800", "\udfff", "a", "\u{1f600}"), maxLength: 8 }),
  },
  {
    weight: 2,
    arbitrary: fc
      .array(
        fc.constantFrom(
          "]]>",
          "<!--",
          "--",
          "<![CDATA[",
          "&amp;",
          "&#0;",
          "\r\n",
          "\r",
          "\t",
          '"',
          "'",
          "\0",
          "\u2028",
          "\ufffe",
          "\u0085",
        ),
        { maxLength: 6 },
      )
      .map((parts) => parts.join("")),
  },
);
const anyProblem = fc.record({ type: anyText, message: anyText, text: anyText });
const anyCase: fc.Arbitrary<TestCase> = fc
  .record({
    name: anyText,
    classname: anyText,
    file: anyText,
    time_s: fc.double({ min: 0, max: 1e6, noNaN: true }),
  })
  .chain((base) =>
    fc.oneof(
      fc.record({ failure: anyProblem, output: anyText }).map((more) => ({ ...base, ...more })),
      fc.record({ error: anyProblem }).map((more) => ({ ...base, ...more })),
      fc.record({ skipped: anyText }).map((more) => ({ ...base, ...more })),
    ),
  );

test("any text in JUnit XML survives parsing unchanged", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ name: anyText, cases: fc.array(anyCase, { minLength: 20, maxLength: 60 }) }), {
        minLength: 1,
        maxLength: 3,
      }),
      async (given) => {
        const root = await readJunit(
          junitXml(given.map(({ name, cases }) => ({ name, cases, time_s: 0, properties: { name } }))),
        );
        const read = root.children.map(({ attributes, children }) => ({
          name: attributes.name,
          property: children[0]!.children[0]!.attributes.value,
          cases: children
            .slice(1)
            .map(({ attributes: { name, classname, file }, children: [outcome, output] }) => ({
              name,
              classname,
              file,
              outcome: [outcome!.name, outcome!.attributes, outcome!.text],
              output: output?.text,
            })),
        }));
        expect(read).toEqual(
          given.map(({ name, cases }) => ({
            name: readable(name),
            property: readable(name),
            cases: cases.map((one) => ({
              name: readable(one.name),
              classname: readable(one.classname),
              file: readable(one.file!),
              outcome: outcomeOf(one),
              output: one.output === undefined ? undefined : readable(one.output),
            })),
          })),
        );
      },
    ),
    { numRuns: 6 },
  );
});

function outcomeOf({ failure, error, skipped }: TestCase): [string, Record<string, string>, string] {
  const problem = failure ?? error;
  if (!problem) return ["skipped", { message: readable(skipped!) }, ""];
  const { type, message, text } = problem;
  return [
    failure ? "failure" : "error",
    { message: readable(message), type: readable(type) },
    readable(text),
  ];
}
