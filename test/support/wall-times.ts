import type { EndpointReport, ScenarioReport } from "../../src/reports/scenario-report.ts";
import type { JournalEntry } from "../../src/world/journal.ts";

/** The values that replace a real instant, and a real duration in milliseconds. */
const INSTANT = "1970-01-01T00:00:00.000Z";
const DURATION = 0;

/**
 * Returns a copy of a report in which everything that depends on real time is a constant: `wall`, its contents, and
 * `duration_ms`, also in ledgers and timelines. Two runs of the same scenario give equal results. The given report is
 * not changed.
 */
export function withoutWallTimes(report: ScenarioReport): ScenarioReport {
  return {
    ...report,
    wall: { started_at: INSTANT, duration_ms: DURATION },
    steps: report.steps.map((step) => ({
      ...step,
      wall: { duration_ms: DURATION },
      ledger: step.ledger.map(entryWithout),
    })),
    endpoints: report.endpoints.map(endpointWithout),
  };
}

/** An entry's data does not depend on real time, except for durations. */
function entryWithout(entry: JournalEntry): JournalEntry {
  const { data } = entry;
  return {
    ...entry,
    wall: INSTANT,
    data: typeof data.duration_ms === "number" ? { ...data, duration_ms: DURATION } : data,
  };
}

function endpointWithout(endpoint: EndpointReport): EndpointReport {
  const { timeline } = endpoint;
  const attempts = timeline.attempts.map((attempt) => ({
    ...attempt,
    duration_ms: attempt.duration_ms === null ? null : DURATION,
  }));
  return { ...endpoint, timeline: { ...timeline, attempts } };
}
