import { expect, test } from "vitest";
import type { ScenarioReport } from "../../src/reports/scenario-report.ts";
import { attempt, endpoint, entry, failedScenario, step, timeline } from "../reports/reports.ts";
import { withoutWallTimes } from "./wall-times.ts";

/** A run in which every real time is derived from a different number. */
function run(wall: number): ScenarioReport {
  const instant = new Date(wall * 86_400_000).toISOString();
  const ledger = [
    { ...entry("upstream.answered", 0, { provider: "one", duration_ms: wall }), seq: 1, wall: instant },
    {
      ...entry("mail.sent", 0, { id: "mail_1", wall: "a word of the user's", nested: { duration_ms: 7 } }),
      seq: 2,
      wall: instant,
    },
  ];
  return failedScenario({
    wall: { started_at: instant, duration_ms: wall },
    steps: [step("One", { wall: { duration_ms: wall }, ledger })],
    endpoints: [
      endpoint({
        timeline: timeline({
          attempts: [attempt(0, { duration_ms: wall }), attempt(1, { status: "pending" })],
        }),
      }),
    ],
  });
}

test("withoutWallTimes makes two runs equal if they differ only in real time", () => {
  expect(run(1)).not.toEqual(run(2));
  expect(withoutWallTimes(run(1))).toEqual(withoutWallTimes(run(2)));
});

test("withoutWallTimes removes only real time and leaves the original unchanged", () => {
  const report = run(3);
  const kept = structuredClone(report);
  const without = withoutWallTimes(report);
  expect(report).toEqual(kept);
  expect(without.steps[0]!.ledger[1]!.data).toEqual(report.steps[0]!.ledger[1]!.data);
  expect(without.endpoints[0]!.timeline.attempts[1]!.duration_ms).toBeNull();
  expect({ ...without, wall: null, steps: null, endpoints: null }).toEqual({
    ...report,
    wall: null,
    steps: null,
    endpoints: null,
  });
});

test("withoutWallTimes preserves differences in virtual time", () => {
  const other = run(1);
  expect(withoutWallTimes({ ...other, ended_at: "2026-01-15T10:00:00.000Z" })).not.toEqual(
    withoutWallTimes(other),
  );
});
