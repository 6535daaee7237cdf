import type { Static } from "typebox";
import type { Input } from "../http/shapes.ts";
import type * as schemas from "../operations/scenarios.ts";
import type { Position } from "../timeline/schemas.ts";

export type { ScenarioFailure } from "../timeline/schemas.ts";
export type NewRun = Input<typeof schemas.NewRun>;

/** The result of a scenario. Reports of repeated runs are equal, except for wall times. */
export type ScenarioReport = Static<typeof schemas.Report>;
export type StepReport = Static<typeof schemas.Step>;
export type SourcePosition = Static<typeof Position>;
export type LogLine = Static<typeof schemas.LogLine>;
export type EndpointReport = Static<typeof schemas.Endpoint>;

/** A file that is not a valid scenario, because it contains an error or its name is already in use. */
export type ScenarioProblem = Static<typeof schemas.ScenarioList>["problems"][number];
