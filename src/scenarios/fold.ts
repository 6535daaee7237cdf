import type { ScenarioEvent, ScenarioReport, SourcePosition, StepReport } from "./report.ts";

/** What a report says of the run itself; its events say the rest. */
export type RunFacts = Omit<ScenarioReport, "status" | "steps" | "failure" | "log">;

/** The report that the events of a run make. A step that never ended is one that failed. */
export function reportOf(facts: RunFacts, events: readonly ScenarioEvent[]): ScenarioReport {
  const steps: StepReport[] = [];
  const log: ScenarioReport["log"] = [];
  let open:
    | { title: string; position: SourcePosition | null; at: string; log: ScenarioReport["log"] }
    | undefined;
  let end: Extract<ScenarioEvent, { type: "run.ended" }> | undefined;
  for (const event of events) {
    if (event.type === "step.started")
      open = { title: event.title, position: event.position, at: event.at, log: [] };
    else if (event.type === "step.ended") {
      const { seq: _seq, type: _type, index: _index, ...step } = event;
      steps.push(step);
      open = undefined;
    } else if (event.type === "log") {
      const line = { at: event.at, text: event.text };
      (event.step === null ? log : (open?.log ?? log)).push(line);
    } else if (event.type === "run.ended") end = event;
  }
  if (open)
    steps.push({
      title: open.title,
      position: open.position,
      result: "failed",
      started_at: open.at,
      ended_at: facts.ended_at,
      wall: { duration_ms: 0 },
      expectations: 0,
      ledger: [],
      log: open.log,
    });
  return { ...facts, status: end?.status ?? "failed", steps, failure: end?.failure ?? null, log };
}
