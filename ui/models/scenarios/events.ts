import type { Static } from "typebox";
import type { Run } from "../../../src/operations/schemas/scenarios.ts";

export type Report = NonNullable<Static<typeof Run>["report"]>;
export type StepReport = Report["steps"][number];
export type Failure = NonNullable<Report["failure"]>;
export type Position = StepReport["position"];
export type LogLine = Report["log"][number];
export type EndpointReport = Report["endpoints"][number];

/** What is told of a run while it goes on, numbered without gaps. */
export type RunEvent = { seq: number } & (
  | { type: "run.started"; at: string }
  | { type: "step.started"; at: string; index: number; title: string; position: Position }
  | ({ type: "step.ended"; index: number } & StepReport)
  | { type: "log"; at: string; text: string; step: number | null }
  | { type: "run.ended"; at: string; status: "passed" | "failed"; failure: Failure | null }
);

export const EVENT_TYPES: readonly RunEvent["type"][] = [
  "run.started",
  "step.started",
  "step.ended",
  "log",
  "run.ended",
];
