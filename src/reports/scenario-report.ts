import type { Static } from "typebox";
import type * as schemas from "../operations/schemas/scenarios.ts";

/** What a scenario that was run came to. The same run again gives the same report but for its wall times. */
export type ScenarioReport = Static<typeof schemas.Report>;
export type StepReport = Static<typeof schemas.Step>;
export type SourcePosition = Static<typeof schemas.Position>;
export type LogLine = Static<typeof schemas.LogLine>;
export type ScenarioFailure = Static<typeof schemas.Failure>;
export type EndpointReport = Static<typeof schemas.Endpoint>;

/** A file that is no scenario as it is: it has a mistake, or a name that is taken. */
export interface ScenarioProblem {
  /** As a person in the working folder would write it. */
  file: string;
  /** What is wrong, and where in the file if that is known. */
  message: string;
  hint: string;
}
