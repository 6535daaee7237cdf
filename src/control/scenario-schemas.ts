import { Type } from "typebox";
import { FAILURE_CODES } from "../scenarios/report.ts";
import * as shapes from "./schemas.ts";
import { Timeline } from "./webhook-schemas.ts";

const Nullable = <T extends Parameters<typeof Type.Union>[0][number]>(type: T) =>
  Type.Union([type, Type.Null()]);
const ParamValue = Type.Union([Type.String(), Type.Number(), Type.Boolean()]);
const ParamValues = Type.Record(Type.String(), ParamValue);
const Verdict = shapes.enumOf(["passed", "failed"]);

export const ScenarioItem = Type.Object(
  {
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
  },
  { title: "Scenario" },
);
export const ScenarioList = Type.Object(
  {
    data: Type.Array(ScenarioItem),
    problems: Type.Array(Type.Object({ file: Type.String(), message: Type.String(), hint: Type.String() }), {
      description: "Files that are no scenarios as they are.",
    }),
  },
  { title: "ScenarioList" },
);

export const NewRun = Type.Partial(
  Type.Object({
    params: ParamValues,
    subscriber: Type.String({ description: "Your own server, instead of the built-in inboxes." }),
    secret: Type.String({ description: "The signing secret that it knows." }),
    timeout: shapes.DurationValue,
  }),
  { title: "NewRun", ...shapes.closed },
);

const Failure = Type.Object(
  {
    code: shapes.enumOf(FAILURE_CODES),
    message: Type.String(),
    hint: Type.String(),
    step: Nullable(Type.String()),
    position: Nullable(Type.Object({ file: Type.String(), line: Type.Integer(), column: Type.Integer() })),
  },
  { title: "ScenarioFailure" },
);
const LogLine = Type.Object({ at: shapes.VirtualTime, text: Type.String() });
const Step = Type.Object(
  {
    title: Type.String(),
    result: Verdict,
    started_at: shapes.VirtualTime,
    ended_at: shapes.VirtualTime,
    wall: Type.Object({ duration_ms: Type.Number() }),
    expectations: Type.Integer(),
    ledger: Type.Array(shapes.JournalEntry),
    log: Type.Array(LogLine),
  },
  { title: "ScenarioStep" },
);
const Report = Type.Object(
  {
    name: Type.String(),
    title: Type.String(),
    description: Type.String(),
    file: Type.String(),
    status: Verdict,
    params: ParamValues,
    subscriber: Nullable(Type.String()),
    seed: Type.String(),
    started_at: shapes.VirtualTime,
    ended_at: shapes.VirtualTime,
    wall: Type.Object({ started_at: Type.String(), duration_ms: Type.Number() }),
    expectations: Type.Integer(),
    steps: Type.Array(Step),
    failure: Nullable(Failure),
    log: Type.Array(LogLine),
    endpoints: Type.Array(
      Type.Object({
        id: Type.String(),
        url: Type.String(),
        description: Nullable(Type.String()),
        events: Type.Array(Type.String()),
        timeline: Timeline,
      }),
    ),
    mail: Type.Array(
      Type.Object({ to: Type.String(), subject: Type.String(), created_at: shapes.VirtualTime }),
    ),
  },
  { title: "ScenarioReport" },
);
export const Run = Type.Object(
  {
    id: Type.String({ examples: ["run_1"] }),
    scenario: Type.String(),
    title: Type.String(),
    status: shapes.enumOf(["waiting", "running", "passed", "failed"]),
    world: Type.String({ description: "The world that it runs in, which is kept with the run." }),
    url: Type.String({ description: "Where that world is served." }),
    params: ParamValues,
    report: Nullable(Report),
  },
  { title: "ScenarioRun" },
);
export const RunRemoved = Type.Object(
  { id: Type.String(), deleted: Type.Literal(true) },
  { title: "ScenarioRunRemoved" },
);
