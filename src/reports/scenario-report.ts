import type { Static } from "typebox";
import type * as schemas from "../operations/schemas/scenarios.ts";

/** The result of a scenario. Repeating the run gives the same report, except for its wall times. */
export type ScenarioReport = Static<typeof schemas.Report>;
export type StepReport = Static<typeof schemas.Step>;
export type SourcePosition = Static<typeof schemas.Position>;
export type LogLine = Static<typeof schemas.LogLine>;
export type ScenarioFailure = Static<typeof schemas.Failure>;
export type EndpointReport = Static<typeof schemas.Endpoint>;

/** A file without a valid scenario: it has a mistake, or its name is taken. */
export interface ScenarioProblem {
  /** The path from the working folder. */
  file: string;
  /** The mistake, with its place in the file if that is known. */
  message: string;
  hint: string;
}
