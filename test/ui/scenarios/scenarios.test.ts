import { expect, test } from "vitest";
import {
  createScenarioApi,
  type Run,
  type RunEvent,
  type RunRequest,
} from "../../../ui/models/scenarios/api.ts";
import { earlierRun, problemText } from "../../../ui/models/scenarios/course.ts";
import { Scenarios } from "../../../ui/models/scenarios/scenarios.ts";
import { runOf } from "./support/runs.ts";

function served() {
  const state = { runs: [] as Run[], reads: 0, look: () => {} };
  const api = {
    runs: async () => {
      state.reads += 1;
      return [...state.runs];
    },
    start: async (scenario: string, { params = {} }: RunRequest) => {
      const run = runOf({ id: `run_${state.runs.length + 1}`, scenario, params });
      state.runs.push(run);
      return run;
    },
    remove: async (id: string) => {
      state.runs = state.runs.filter((run) => run.id !== id);
    },
  };
  const machine = {
    every: (_ms: number, run: () => void) => {
      state.look = run;
      return () => {};
    },
  };
  return { state, scenarios: new Scenarios(api as never, machine) };
}

test("runs are listed newest first, and looked at again while one is under way", async () => {
  const { state, scenarios } = served();
  await scenarios.start("story", {});
  await scenarios.start("story", { params: { failures: 2 } });
  await scenarios.runs.read();
  expect(scenarios.latest.value!.map(({ id }) => id)).toEqual(["run_2", "run_1"]);
  const before = state.reads;
  state.look();
  expect(state.reads).toBe(before + 1);
  state.runs = state.runs.map((run) => ({ ...run, status: "passed" as const }));
  await scenarios.runs.read();
  state.look();
  expect(state.reads).toBe(before + 2);
  await scenarios.remove("run_2");
  expect(scenarios.latest.value!.map(({ id }) => id)).toEqual(["run_1"]);
});

test("a run is repeated as it was asked for; with a secret only where that is known", async () => {
  const { scenarios } = served();
  const request = { params: { failures: 2 }, subscriber: "http://127.0.0.1:3000", secret: "whsec_1" };
  const mine = await scenarios.start("story", request);
  expect(scenarios.again(mine, request.subscriber)).toEqual(request);
  const foreign = runOf({ id: "run_9", params: { failures: 3 } });
  expect(scenarios.again(foreign, null)).toEqual({ params: { failures: 3 } });
  expect(scenarios.again(foreign, "http://127.0.0.1:3000")).toBeUndefined();
});

test("what is to come is read from the latest run that passed with the same parameters", () => {
  const run = runOf({ id: "run_5", params: { failures: 2 } });
  const passed = { status: "passed", params: { failures: 2 } } as const;
  const runs = [
    runOf({ id: "run_1", ...passed }),
    runOf({ id: "run_2", ...passed }),
    runOf({ id: "run_3", ...passed, status: "failed" }),
    runOf({ id: "run_4", ...passed, params: { failures: 1 } }),
    run,
    runOf({ id: "run_6", ...passed, scenario: "other" }),
  ];
  expect(earlierRun(runs, run)?.id).toBe("run_2");
  expect(earlierRun([run], run)).toBeUndefined();
});

test("events come by their types, and a stream says how it stands", () => {
  const heard: unknown[] = [];
  const listeners = new Map<string, (message: { data: string }) => void>();
  const source = {
    readyState: 0,
    onopen: () => {},
    onerror: () => {},
    addEventListener: (type: string, listener: never) => void listeners.set(type, listener),
    close: () => void heard.push("closed"),
  };
  const urls: string[] = [];
  const api = createScenarioApi({
    base: "http://127.0.0.1:4400/",
    stream: (path: string) => {
      urls.push(path);
      return source;
    },
  } as never);
  const close = api.follow("run 1", {
    event: ({ seq }: RunEvent) => heard.push(seq),
    connection: (state) => heard.push(state),
  });
  source.onopen();
  for (const type of ["run.started", "step.started", "log", "step.ended", "run.ended"])
    listeners.get(type)!({ data: JSON.stringify({ seq: heard.length, type }) });
  source.onerror();
  source.readyState = 2;
  source.onerror();
  close();
  expect(heard).toEqual(["open", 1, 2, 3, 4, 5, "lost", "refused", "closed"]);
  expect(urls).toEqual(["_sandbox/scenarios/runs/run%201/events"]);
  expect(api.reportHref("run_1")).toBe("http://127.0.0.1:4400/_sandbox/scenarios/runs/run_1/report.html");
});

test("a file's name is not said twice", () => {
  const problem = { file: "scenarios/a.ts", message: "scenarios/a.ts: name is missing.", hint: "" };
  expect(problemText(problem)).toBe("name is missing.");
  expect(problemText({ ...problem, message: "It hangs." })).toBe("It hangs.");
});
