import type { Sandbox } from "../sandbox/sandbox.ts";
import type { JournalEntry } from "../world/journal.ts";
import type { ParamValue } from "./define.ts";

/** What a scenario that was run came to. The same run again gives the same report but for its wall times. */
export interface ScenarioReport {
  name: string;
  title: string;
  description: string;
  /** The scenario's file, as a person in the working folder would write it. */
  file: string;
  status: "passed" | "failed";
  params: Record<string, ParamValue>;
  /** The receiver that took the part of the built-in inboxes. */
  subscriber: string | null;
  seed: string;
  /** Virtual time, ISO 8601. */
  started_at: string;
  ended_at: string;
  /** Real time. */
  wall: { started_at: string; duration_ms: number };
  /** How many expectations were looked at, failed ones included. */
  expectations: number;
  steps: StepReport[];
  /** Why it failed; null when it passed. */
  failure: ScenarioFailure | null;
  /** What was logged outside of steps. */
  log: LogLine[];
  /** The endpoints that the run used, as they stood at its end. */
  endpoints: EndpointReport[];
  /** E-mails of the run. */
  mail: { to: string; subject: string; created_at: string }[];
}

/** A step: a title, a result, and the ledger of what it caused. */
export interface StepReport {
  title: string;
  /** Where the step begins in the user's files, if that is known. */
  position: SourcePosition | null;
  result: "passed" | "failed";
  /** Virtual time, ISO 8601. */
  started_at: string;
  ended_at: string;
  wall: { duration_ms: number };
  expectations: number;
  /** Journal entries that came while it ran, in order. */
  ledger: JournalEntry[];
  log: LogLine[];
}

/** A place in a file, counted from 1. */
export interface SourcePosition {
  file: string;
  line: number;
  column: number;
}

export interface LogLine {
  /** Virtual time, ISO 8601. */
  at: string;
  text: string;
}

export const FAILURE_CODES = [
  "expectation",
  "error",
  "time_limit",
  "nothing_expected",
  "step_not_awaited",
  "stopped",
] as const;

/** Why a scenario failed. */
export interface ScenarioFailure {
  /** `expectation`: one was not met; `error`: it threw; the others say what their names say. */
  code: (typeof FAILURE_CODES)[number];
  /** Plain text, of one line or several. */
  message: string;
  /** The way out; empty when the message says all. */
  hint: string;
  /** The title of the step in which it happened; null outside of steps. */
  step: string | null;
  /** Where in the user's files, if that is known. */
  position: SourcePosition | null;
}

/** An endpoint with its timeline: attempts, planned retries, counter, changes. */
export interface EndpointReport {
  id: string;
  url: string;
  description: string | null;
  events: string[];
  timeline: ReturnType<Sandbox["payments"]["timeline"]>;
}

/** What happens while a scenario runs, in order: what a page shows live, and what a report is made of. */
export type ScenarioEvent = { seq: number } & (
  | { type: "run.started"; at: string; name: string; title: string; params: Record<string, ParamValue> }
  | { type: "step.started"; at: string; index: number; title: string; position: SourcePosition | null }
  | ({ type: "step.ended"; index: number } & StepReport)
  | { type: "log"; at: string; text: string; step: number | null }
  | { type: "run.ended"; at: string; status: "passed" | "failed"; failure: ScenarioFailure | null }
);
