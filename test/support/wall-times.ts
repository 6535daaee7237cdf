import type { EndpointReport, ScenarioReport } from "../../src/reports/scenario-report.ts";
import type { JournalEntry } from "../../src/world/journal.ts";

/** What stands in the place of a real instant, and of a real duration in milliseconds. */
const INSTANT = "1970-01-01T00:00:00.000Z";
const DURATION = 0;

/**
 * A report with a constant in every place that tells real time: `wall`, what is in it, and `duration_ms`, in ledgers
 * and timelines as well. Two runs of the same scenario give reports that are equal after this. The report that is
 * given stays as it is.
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

/** What an entry is about is the run's own data, but for how long something took. */
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
