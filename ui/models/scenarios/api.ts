import type { Static } from "typebox";
import type {
  NewRun as NewRunSchema,
  Run as RunSchema,
  ScenarioItem,
  ScenarioList as ScenarioListSchema,
} from "../../../src/operations/schemas/scenarios.ts";
import type { ScenarioEvent as RunEvent } from "../../../src/scenarios/report.ts";
import type { Transport } from "../../api.ts";

export type Report = NonNullable<Static<typeof RunSchema>["report"]>;
export type StepReport = Report["steps"][number];
export type Failure = NonNullable<Report["failure"]>;
export type Position = StepReport["position"];
export type LogLine = Report["log"][number];
export type EndpointReport = Report["endpoints"][number];

/** A message about a run, numbered without gaps. */
export type { RunEvent };

export const EVENT_TYPES: readonly RunEvent["type"][] = [
  "run.started",
  "step.started",
  "step.ended",
  "log",
  "run.ended",
];

export type Scenario = Static<typeof ScenarioItem>;
export type ScenarioList = Static<typeof ScenarioListSchema>;
export type ScenarioProblem = ScenarioList["problems"][number];
export type ParamSpec = Scenario["params"][string];
export type ParamValue = ParamSpec["default"];
export type Run = Static<typeof RunSchema>;
export type RunRequest = Static<typeof NewRunSchema>;

/** Who listens to a run. */
export interface RunListener {
  event: (event: RunEvent) => void;
  /** `lost`: it is tried again by itself. `refused`: it is not, as the server has no such run any more. */
  connection: (state: "open" | "lost" | "refused") => void;
}

export type ScenarioApi = ReturnType<typeof createScenarioApi>;

const CLOSED = 2;
const id = encodeURIComponent;

/** Scenarios of the server and the runs of them, asked through the world of this page. */
export function createScenarioApi({ base, control: callAt, data, stream }: Transport) {
  const call = <Answer>(method: string, path: string, body?: unknown) =>
    callAt<Answer>(method, `scenarios${path}`, body);
  return {
    base,
    list: () => call<ScenarioList>("GET", ""),
    source: async (scenario: string) =>
      (await call<{ source: string | null }>("GET", `/${id(scenario)}/source`)).source,
    runs: () => data<Run>("scenarios/runs"),
    run: (run: string) => call<Run>("GET", `/runs/${id(run)}`),
    start: (scenario: string, request: RunRequest) => call<Run>("POST", `/${id(scenario)}/runs`, request),
    remove: (run: string) => call<unknown>("DELETE", `/runs/${id(run)}`),
    reportHref: (run: string): string => `${base}_sandbox/scenarios/runs/${id(run)}/report.html`,

    /** Hears a run from its beginning. A lost connection goes on where it was. Returns the end of it. */
    follow(run: string, listener: RunListener): () => void {
      const source = stream(`_sandbox/scenarios/runs/${id(run)}/events`);
      source.onopen = () => listener.connection("open");
      source.onerror = () => listener.connection(source.readyState === CLOSED ? "refused" : "lost");
      for (const type of EVENT_TYPES)
        source.addEventListener(type, ({ data }: MessageEvent<string>) =>
          listener.event(JSON.parse(data) as RunEvent),
        );
      return () => source.close();
    },
  };
}
