import { Type } from "typebox";
import { flag, integer, listOf, nullable, oneOf, shape, text, VirtualTime } from "../http/shapes.ts";
import { Position, ScenarioFailure, Timeline } from "../timeline/schemas.ts";
import { DurationValue, dataOf, idOf, nameOf, partialBody } from "./common.ts";
import { operationsOf } from "./operation.ts";
import { ApiCall, JournalEntry } from "./records.ts";

const ParamValue = Type.Union([Type.String(), Type.Number(), Type.Boolean()]);
const ParamValues = Type.Record(Type.String(), ParamValue);
const Verdict = oneOf(["passed", "failed"]);

export const ScenarioItem = shape("Scenario", {
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
  shipped: flag("Whether the scenario comes with Sandglass or is your own."),
});
export const ScenarioList = shape("ScenarioList", {
  data: Type.Array(ScenarioItem),
  problems: listOf(
    Type.Object({ file: Type.String(), message: Type.String(), hint: Type.String() }),
    "Files that cannot be loaded as scenarios.",
  ),
});

export const NewRun = partialBody("NewRun", {
  params: ParamValues,
  subscriber: text("Your own webhook handler's URL, instead of the built-in inboxes."),
  secret: text("The signing secret that your handler verifies with."),
  timeout: DurationValue,
});

export const LogLine = Type.Object({ at: VirtualTime, text: Type.String() });
export const Step = shape("ScenarioStep", {
  title: Type.String(),
  position: nullable(Position),
  result: Verdict,
  started_at: VirtualTime,
  ended_at: VirtualTime,
  wall: Type.Object({ duration_ms: Type.Number() }),
  expectations: Type.Integer(),
  ledger: listOf(JournalEntry, "The journal entries from the step, in order."),
  log: Type.Array(LogLine),
});
/** An endpoint with its timeline as of the end of the run. */
export const Endpoint = Type.Object({
  id: Type.String(),
  url: Type.String(),
  description: nullable(Type.String()),
  events: Type.Array(Type.String()),
  timeline: Timeline,
});
export const Report = shape("ScenarioReport", {
  name: Type.String(),
  title: Type.String(),
  description: Type.String(),
  file: text(
    "The scenario's path, relative to the working folder; `sandglass/scenarios/…` for a shipped scenario.",
  ),
  status: Verdict,
  params: ParamValues,
  subscriber: nullable(text("The subscriber that replaced the built-in inboxes.")),
  seed: Type.String(),
  started_at: VirtualTime,
  ended_at: VirtualTime,
  wall: Type.Object({ started_at: Type.String(), duration_ms: Type.Number() }),
  expectations: integer("How many expectations were checked, including failed ones."),
  steps: Type.Array(Step),
  failure: nullable(ScenarioFailure),
  calls: listOf(ApiCall, "The latest API calls in the step that failed; empty if the run passed."),
  log: listOf(LogLine, "What the scenario logged outside of steps."),
  endpoints: listOf(Endpoint, "The endpoints that the run used."),
  mail: Type.Array(Type.Object({ to: Type.String(), subject: Type.String(), created_at: VirtualTime })),
});
export const Run = shape("ScenarioRun", {
  id: Type.String({ examples: ["run_1"] }),
  scenario: Type.String(),
  title: Type.String(),
  status: oneOf(["waiting", "running", "passed", "failed"]),
  world: text("The world in which the scenario runs; it exists as long as the run is stored."),
  url: text("Where that world is served."),
  params: ParamValues,
  file: Type.String(),
  report: nullable(Report),
});

const operation = operationsOf("Scenarios");

/** The server's scenarios, which are the same in every world. See docs/scenarios.md, "Run scenarios". */
export const scenarioOperations = [
  operation("scenarios.list", "GET /scenarios", {
    id: "listScenarios",
    // Reading a scenario executes its file.
    effect: "changes",
    summary: "Your own scenarios, and those that come with Sandglass",
    answer: ScenarioList,
  }),
  operation("scenarios.run", "POST /scenarios/:name/runs", {
    id: "runScenario",
    reachesOut: true,
    summary: "Run a scenario in a fresh world with a paused clock",
    params: nameOf("a scenario"),
    body: NewRun,
    answer: Run,
    status: 201,
  }),
  operation("runs.list", "GET /scenarios/runs", {
    id: "listScenarioRuns",
    summary: "The latest runs of scenarios, oldest first, without their reports",
    answer: dataOf(Run, "ScenarioRuns"),
  }),
  operation("runs.get", "GET /scenarios/runs/:id", {
    id: "getScenarioRun",
    summary: "A run, and its report once it has ended",
    params: idOf("a run"),
    answer: Run,
  }),
  operation("runs.delete", "DELETE /scenarios/runs/:id", {
    id: "deleteScenarioRun",
    effect: "ends",
    summary: "Stop a run if it is in progress, and end its world",
    params: idOf("a run"),
    answer: shape("ScenarioRunRemoved", { id: Type.String(), deleted: Type.Literal(true) }),
  }),
];
