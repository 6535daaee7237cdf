import type { ScenarioFailure, SourcePosition, StepReport } from "../reports/scenario-report.ts";
import type { ParamValue } from "./define.ts";

/** An event of a running scenario, numbered in order. The page shows events live, and reports are built from them. */
export type ScenarioEvent = { seq: number } & (
  | { type: "run.started"; at: string; name: string; title: string; params: Record<string, ParamValue> }
  | { type: "step.started"; at: string; index: number; title: string; position: SourcePosition | null }
  | ({ type: "step.ended"; index: number } & StepReport)
  | { type: "log"; at: string; text: string; step: number | null }
  | { type: "run.ended"; at: string; status: "passed" | "failed"; failure: ScenarioFailure | null }
);
