import { withScheme } from "../runtime/http-url.ts";
import { scenarioView } from "../scenarios/catalog.ts";
import type { Run } from "../scenarios/scenarios.ts";
import { checkReachable } from "../webhooks/endpoint-url.ts";
import { operationsOf } from "./operation.ts";
import { dataOf, idOf, nameOf } from "./schemas/common.ts";
import * as shapes from "./schemas/scenarios.ts";

const operation = operationsOf("Scenarios");

/** The scenarios of the server; they are the same through every world. See docs/scenarios.md, "Run". */
export const scenarioOperations = [
  operation("scenarios.list", "GET /scenarios", {
    id: "listScenarios",
    summary: "Your own scenarios, and those that come with Sandglass",
    answer: shapes.ScenarioList,
    async run({ serving }) {
      const list = await (await serving.scenarios()).list();
      return { data: list.scenarios.map(scenarioView), problems: list.problems };
    },
  }),
  operation("scenarios.run", "POST /scenarios/:name/runs", {
    id: "runScenario",
    summary: "Run a scenario in a fresh world, its clock standing still",
    params: nameOf("a scenario"),
    body: shapes.NewRun,
    answer: shapes.Run,
    status: 201,
    async run({ sandbox, serving, params, body }) {
      const { webhooks } = sandbox.settings.payments;
      const subscriber = withScheme(body.subscriber ?? "");
      if (/^https?:/i.test(subscriber) && URL.canParse(subscriber))
        checkReachable("subscriber", subscriber, webhooks);
      const { named, start } = await serving.scenarios();
      return runView(await start(await named(params.name), body));
    },
  }),
  operation("runs.list", "GET /scenarios/runs", {
    id: "listScenarioRuns",
    summary: "The latest runs of scenarios, oldest first, without their reports",
    answer: dataOf(shapes.Run, "ScenarioRuns"),
    run: async ({ serving }) => ({
      data: (await serving.scenarios()).runs().map((run) => ({ ...runView(run), report: null })),
    }),
  }),
  operation("runs.get", "GET /scenarios/runs/:id", {
    id: "getScenarioRun",
    summary: "A run, and its report once it ended",
    params: idOf("a run"),
    answer: shapes.Run,
    run: async ({ serving, params }) => runView((await serving.scenarios()).run(params.id)),
  }),
  operation("runs.delete", "DELETE /scenarios/runs/:id", {
    id: "deleteScenarioRun",
    effect: "ends",
    summary: "Stop a run if it is under way, and end its world",
    params: idOf("a run"),
    answer: shapes.RunRemoved,
    async run({ serving, params: { id } }) {
      (await serving.scenarios()).remove(id);
      return { id, deleted: true };
    },
  }),
];

const runView = ({ id, scenario, world, url, params, events, report }: Run) => ({
  id,
  scenario: scenario.name,
  title: scenario.title,
  status: report?.status ?? (events.length === 0 ? "waiting" : "running"),
  world,
  url,
  params,
  file: scenario.file,
  report: report ?? null,
});
