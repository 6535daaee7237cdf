import fc from "fast-check";
import { expect, test } from "vitest";
import { type Paint, scenarioLines, summaryLine } from "../../src/reports/terminal.ts";
import { endpoint, entry, failed, failedScenario, scenario, step } from "./reports.ts";

const same = (text: string) => text;
const paint: Paint = { bold: same, dim: same, green: same, red: same, yellow: same };
const marked = (name: string) => (text: string) => `<${name}>${text}</${name}>`;

test("a passed scenario takes one line on the terminal", () => {
  const lines = scenarioLines(scenario({ params: { attempts: 4 } }), { paint });
  expect(lines).toEqual([
    "passed  retry-and-recover  Retry and recover  2 steps, 4 expectations, 1 h 11 min in 210 ms, attempts=4",
  ]);
});

test("--verbose prints a scenario's steps and what they caused", () => {
  const report = scenario({
    steps: [
      step("A payment succeeds", {
        ledger: [entry("payment.completed", 0, { id: "pay_1" }), entry("delivery.started", 0), failed(0, 1)],
        log: [{ at: "2026-01-15T09:00:00.000Z", text: "two\nlines" }],
      }),
    ],
  });
  const text = scenarioLines(report, { paint, verbose: true }).join("\n");
  expect(text).toContain("1 A payment succeeds  1 payment completed, 1 attempt failed");
  expect(text).toContain(
    "2026-01-15 09:00:00  Attempt 1 of payment.completed failed  wh_0001, status 503, 1 in a row",
  );
  expect(text).toContain("2026-01-15 09:00:00  two");
  expect(text).not.toContain("begins");
});

test("a line about a delivery or endpoint identifies the endpoint by its URL", () => {
  const url = "http://127.0.0.1:3000/webhooks";
  const ledger = [
    entry("fault.set", 0, { target: "webhook:wh_0001", spec: { status: 503 } }),
    failed(0, 1),
    entry("retry.skipped", 1, { webhook_id: "wh_0002", event: "payment.completed", attempt: 2 }),
    entry("webhook.disabled", 2, { id: "wh_0001", reason: "manual" }),
  ];
  const endpoints = [endpoint({ url }), endpoint({ id: "wh_0002", url: `${url}/2` })];
  const report = scenario({ steps: [step("Two endpoints", { ledger })], endpoints });
  const text = scenarioLines(report, { paint, verbose: true }).join("\n");
  expect(text).toContain(`Fault set on webhook:wh_0001  ${url}, {"status":503}`);
  expect(text).toContain(`Attempt 1 of payment.completed failed  ${url}, status 503`);
  expect(text).toMatch(new RegExp(`Attempt 2 of payment.completed skipped  ${url}/2$`, "m"));
  expect(text).toContain(`Endpoint disabled  ${url}, by hand`);
});

test("a failed scenario prints its step's API calls with their errors", () => {
  const calls = [
    { method: "GET", path: "/platform/api/v1/payment-links", status: 200, error: null },
    {
      method: "POST",
      path: "/platform/api/v1/payment-links",
      status: 400,
      error: { code: "missing_required_field", message: "name is required." },
    },
  ];
  const text = scenarioLines(failedScenario({ calls }), { paint }).join("\n");
  expect(text).toMatch(/Received: 3[\s\S]*API calls:\n +GET {2}\/platform\/api\/v1\/payment-links {2}200\n/);
  expect(text).toContain(
    "POST  /platform/api/v1/payment-links  400  missing_required_field: name is required.",
  );
});

test("a failed scenario prints its step, expectation, position and hint", () => {
  const lines = scenarioLines(failedScenario(), { paint });
  const found = (part: string) => {
    const index = lines.findIndex((line) => line.includes(part));
    expect(index, part).toBeGreaterThanOrEqual(0);
    return index;
  };
  const order = [
    "failed  retries-exhausted",
    "3 Three retries follow  failed",
    "Attempt 3 of payment.completed failed",
    "Expected: 4",
    "at scenarios/retries-exhausted.ts:31:24",
    "Advance the clock by 1 h more.",
  ].map(found);
  expect(order).toEqual([...order].sort((a, b) => a - b));
});

test("a failed step prints only the end of a long summary", () => {
  const report = failedScenario();
  const ledger = Array.from({ length: 50 }, (_, index) => failed(index, index + 1));
  const steps = report.steps.map((one) => (one.result === "failed" ? { ...one, ledger } : one));
  const text = scenarioLines({ ...report, steps }, { paint }).join("\n");
  expect(text).toContain("38 before");
  expect(text).toContain("Attempt 50 of");
  expect(text).not.toContain("Attempt 38 of");
});

test("a failure outside all steps is printed after them", () => {
  const report = failedScenario();
  const lines = scenarioLines(
    {
      ...report,
      steps: [step("One")],
      failure: { ...report.failure!, code: "time_limit", step: null, position: null },
    },
    { paint },
  );
  expect(lines.join("\n")).toMatch(/1 One[\s\S]*It took too long[\s\S]*at scenarios\/retries-exhausted\.ts/);
});

test("the caller decides whether a report is coloured", () => {
  const colors: Paint = {
    bold: same,
    dim: same,
    green: marked("green"),
    red: marked("red"),
    yellow: marked("yellow"),
  };
  expect(scenarioLines(scenario(), { paint: colors })[0]).toMatch(/^<green>passed<\/green>/);
  expect(scenarioLines(failedScenario(), { paint: colors })[0]).toMatch(/^<red>failed<\/red>/);
});

test("the last line of a run shows its counts and duration", () => {
  const reports = [scenario(), scenario(), failedScenario()];
  expect(summaryLine(reports, { paint })).toBe("2 passed, 1 failed, 2 h 33 min of virtual time in 630 ms");
  expect(summaryLine(reports, { paint, wallMs: 4_120 })).toBe(
    "2 passed, 1 failed, 2 h 33 min of virtual time in 4.1 s",
  );
  expect(summaryLine([], { paint })).toBe("nothing was run, 0 ms of virtual time in 0 ms");
});

const hostile = fc.oneof(
  fc.string({ unit: "binary", maxLength: 40 }),
  fc.string({
    unit: fc.constantFrom("\u001b[2J", "\r", "\n", "\t", "\u2028", "\u202e", "\u0007", "\u009b", "a"),
    maxLength: 8,
  }),
);

test("no text in a report can move the cursor or break a line", () => {
  fc.assert(
    fc.property(hostile, (text) => {
      const report = failedScenario({
        name: text,
        title: text,
        file: text,
        params: { [text]: text },
        steps: [
          step(text, {
            result: "failed",
            log: [{ at: "2026-01-15T09:00:00.000Z", text }],
            ledger: [entry(text, 0, { id: text }), entry("mail.sent", 0, { to: text, subject: text })],
          }),
        ],
        failure: {
          code: "error",
          message: text,
          hint: text,
          step: text,
          position: { file: text, line: 1, column: 1 },
        },
      });
      const lines = scenarioLines(report, { paint, verbose: true });
      for (const line of lines) expect(line).not.toMatch(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u);
    }),
    { numRuns: 100 },
  );
});
