import { Type } from "typebox";
import { FAILURE_CODES } from "../../scenarios/report.ts";
import { DurationValue, enumOf, nullable, object, partialBody, VirtualTime } from "./common.ts";
import { JournalEntry } from "./records.ts";
import { Timeline } from "./webhooks.ts";

/** Shapes of the control API's calls about scenarios. */

const ParamValue = Type.Union([Type.String(), Type.Number(), Type.Boolean()]);
const ParamValues = Type.Record(Type.String(), ParamValue);
const Verdict = enumOf(["passed", "failed"]);

export const ScenarioItem = object("Scenario", {
  name: Type.String({ examples: ["retry-and-recover"] }),
  title: Type.String(),
  description: Type.String(),
  params: Type.Record(
    Type.String(),
    Type.Object({
      default: ParamValue,
      description: Type.Optional(Type.String()),
      choices: Type.Optional(Type.Array(ParamValue)),
    }),
  ),
  file: Type.String(),
  shipped: Type.Boolean({ description: "Whether it comes with Sandglass, or is your own." }),
});
export const ScenarioList = object("ScenarioList", {
  data: Type.Array(ScenarioItem),
  problems: Type.Array(Type.Object({ file: Type.String(), message: Type.String(), hint: Type.String() }), {
    description: "Files that are no scenarios as they are.",
  }),
});

export const ScenarioSource = object("ScenarioSource", {
  name: Type.String(),
  file: Type.String(),
  source: nullable(Type.String({ description: "Null if the file cannot be read any more." })),
});

export const NewRun = partialBody("NewRun", {
  params: ParamValues,
  subscriber: Type.String({ description: "Your own server, instead of the built-in inboxes." }),
  secret: Type.String({ description: "The signing secret that it knows." }),
  timeout: DurationValue,
});

const Position = Type.Object({ file: Type.String(), line: Type.Integer(), column: Type.Integer() });
const Failure = object("ScenarioFailure", {
  code: enumOf(FAILURE_CODES),
  message: Type.String(),
  hint: Type.String(),
  step: nullable(Type.String()),
  position: nullable(Position),
});
const LogLine = Type.Object({ at: VirtualTime, text: Type.String() });
const Step = object("ScenarioStep", {
  title: Type.String(),
  position: nullable(Position),
  result: Verdict,
  started_at: VirtualTime,
  ended_at: VirtualTime,
  wall: Type.Object({ duration_ms: Type.Number() }),
  expectations: Type.Integer(),
  ledger: Type.Array(JournalEntry),
  log: Type.Array(LogLine),
});
const Endpoint = Type.Object({
  id: Type.String(),
  url: Type.String(),
  description: nullable(Type.String()),
  events: Type.Array(Type.String()),
  timeline: Timeline,
});
const Report = object("ScenarioReport", {
  name: Type.String(),
  title: Type.String(),
  description: Type.String(),
  file: Type.String(),
  status: Verdict,
  params: ParamValues,
  subscriber: nullable(Type.String()),
  seed: Type.String(),
  started_at: VirtualTime,
  ended_at: VirtualTime,
  wall: Type.Object({ started_at: Type.String(), duration_ms: Type.Number() }),
  expectations: Type.Integer(),
  steps: Type.Array(Step),
  failure: nullable(Failure),
  log: Type.Array(LogLine),
  endpoints: Type.Array(Endpoint),
  mail: Type.Array(Type.Object({ to: Type.String(), subject: Type.String(), created_at: VirtualTime })),
});
export const Run = object("ScenarioRun", {
  id: Type.String({ examples: ["run_1"] }),
  scenario: Type.String(),
  title: Type.String(),
  status: enumOf(["waiting", "running", "passed", "failed"]),
  world: Type.String({ description: "The world that it runs in; it stays as long as the run is stored." }),
  url: Type.String({ description: "Where that world is served." }),
  params: ParamValues,
  file: Type.String(),
  source: nullable(
    Type.String({
      description: "The scenario's file as it was when the run was asked for; null in the list of runs.",
    }),
  ),
  report: nullable(Report),
});
export const RunRemoved = object("ScenarioRunRemoved", { id: Type.String(), deleted: Type.Literal(true) });
