import { expect, test } from "vitest";
import { junitXml } from "../../src/reports/junit.ts";
import { scenarioSuites } from "../../src/reports/scenario-junit.ts";
import type { ScenarioFailure, ScenarioReport } from "../../src/reports/scenario-report.ts";
import { type Element, readJunit } from "./read-junit.ts";
import { at, failedScenario, scenario, step } from "./reports.ts";

const read = async (reports: ScenarioReport[]): Promise<Element[]> =>
  (await readJunit(junitXml(scenarioSuites(reports)))).children;
const casesOf = (suite: Element): Element[] => suite.children.filter(({ name }) => name === "testcase");

function withFailure(over: Partial<ScenarioFailure>): ScenarioReport {
  const report = failedScenario();
  return { ...report, failure: { ...report.failure!, ...over } };
}

test("a scenario is a JUnit suite, and each step is a test case", async () => {
  const [suite] = await read([scenario({ params: { attempts: 4 } })]);
  expect(suite!.attributes).toMatchObject({
    name: "retry-and-recover",
    tests: "2",
    failures: "0",
    time: "0.210",
    timestamp: "2026-11-21T13:00:00",
  });
  expect(casesOf(suite!).map(({ attributes }) => attributes)).toMatchObject([
    {
      name: "An endpoint is made",
      classname: "retry-and-recover",
      file: "scenarios/retry-and-recover.ts",
      time: "0.003",
    },
    { name: "A payment succeeds" },
  ]);
  const properties = suite!.children[0]!.children.map(({ attributes: { name, value } }) => [name, value]);
  expect(properties).toContainEqual(["param.attempts", "4"]);
  expect(properties).toContainEqual(["ended_at", at(71)]);
});

test("the JUnit case of a failed step contains the expectation, position and hint", async () => {
  const [suite] = await read([failedScenario()]);
  const [first, , third] = casesOf(suite!);
  expect(first!.children.map(({ name }) => name)).not.toContain("failure");
  const [failure, output] = third!.children;
  expect(failure!.attributes).toEqual({
    type: "expectation",
    message: "expect(received).toBe(expected). Expected: 4. Received: 3",
  });
  expect(failure!.text).toContain("Received: 3");
  expect(failure!.text).toContain("at scenarios/retries-exhausted.ts:31:24");
  expect(failure!.text).toContain("Advance the clock by 1 h more.");
  expect(output!.text).toContain(
    "2026-01-15 09:11:00  Attempt 3 of payment.completed failed: http://127.0.0.1:4400/_sandbox/inbox/shop, status 503",
  );
});

test("the JUnit case of a failed step lists its API calls with their errors", async () => {
  const error = { code: "missing_required_field", message: "name is required." };
  const call = { method: "POST", path: "/platform/api/v1/payment-links", status: 400, error };
  const [suite] = await read([failedScenario({ calls: [call] })]);
  const [failure] = casesOf(suite!)[2]!.children;
  expect(failure!.text).toContain(
    "API calls:\n  POST  /platform/api/v1/payment-links  400  missing_required_field: name is required.",
  );
});

test("a failure outside all steps has its own JUnit case", async () => {
  const expected: [code: ScenarioFailure["code"], element: string][] = [
    ["time_limit", "failure"],
    ["nothing_expected", "failure"],
    ["error", "error"],
    ["stopped", "error"],
  ];
  const suites = await read(
    expected.map(([code]) => ({
      ...withFailure({ code, step: null, position: null }),
      steps: [step("One"), step("Two")],
    })),
  );
  const found = suites.map((suite) => {
    const [, , third, ...more] = casesOf(suite);
    expect(more).toEqual([]);
    const { name, attributes } = third!.children[0]!;
    return [attributes.type, name];
  });
  expect(found).toEqual(expected);
});

test("steps with equal titles get different JUnit names, and the failure belongs to the right one", async () => {
  const [suite] = await read([
    {
      ...withFailure({ step: "Again" }),
      steps: [step("Again"), step("Again", { result: "failed" }), step("Again (2)")],
    },
  ]);
  const cases = casesOf(suite!);
  expect(new Set(cases.map(({ attributes }) => attributes.name)).size).toBe(3);
  expect(cases.map(({ children }) => children.length)).toEqual([0, 1, 0]);
});

test("a step whose failure the scenario catches is still a JUnit failure", async () => {
  const [suite] = await read([scenario({ steps: [step("Caught", { result: "failed" })] })]);
  expect(suite!.attributes.failures).toBe("1");
});

test("a scenario without steps is one JUnit case", async () => {
  const [suite] = await read([scenario({ steps: [] })]);
  expect(casesOf(suite!).map(({ attributes }) => attributes.name)).toEqual(["Retry and recover"]);
});

test("a file that cannot be loaded is a JUnit suite with an error", async () => {
  const suites = scenarioSuites(
    [],
    [
      {
        file: "scenarios/broken.ts",
        message: "scenarios/broken.ts:3:9: unexpected token",
        hint: "Mend it.",
      },
    ],
  );
  const [suite] = (await readJunit(junitXml(suites))).children;
  expect(suite!.attributes).toMatchObject({ name: "scenarios/broken.ts", tests: "1", errors: "1" });
  expect(suite!.children[0]!.children[0]!.text).toBe("scenarios/broken.ts:3:9: unexpected token\nMend it.");
});
