import type { Static } from "typebox";
import type * as schemas from "../operations/schemas/scenarios.ts";
import type { ParamValue } from "./define.ts";

/** What a scenario that was run came to. The same run again gives the same report but for its wall times. */
export type ScenarioReport = Static<typeof schemas.Report>;
export type StepReport = Static<typeof schemas.Step>;
export type SourcePosition = Static<typeof schemas.Position>;
export type LogLine = Static<typeof schemas.LogLine>;
export type ScenarioFailure = Static<typeof schemas.Failure>;
export type EndpointReport = Static<typeof schemas.Endpoint>;

/** What happens while a scenario runs, in order: what a page shows live, and what a report is made of. */
export type ScenarioEvent = { seq: number } & (
  | { type: "run.started"; at: string; name: string; title: string; params: Record<string, ParamValue> }
  | { type: "step.started"; at: string; index: number; title: string; position: SourcePosition | null }
  | ({ type: "step.ended"; index: number } & StepReport)
  | { type: "log"; at: string; text: string; step: number | null }
  | { type: "run.ended"; at: string; status: "passed" | "failed"; failure: ScenarioFailure | null }
);
