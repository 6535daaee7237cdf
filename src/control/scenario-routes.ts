import { SandboxError } from "../errors/errors.ts";
import type { App } from "../http/types.ts";
import type { Run, Scenarios } from "../scenarios/scenarios.ts";
import { scenarioView } from "../scenarios/view.ts";
import { lastEventId, openEventStream } from "./event-stream.ts";
import * as kinds from "./scenario-schemas.ts";
import * as shapes from "./schemas.ts";
import { sendReport } from "./send-report.ts";

/** The scenarios of the server; they are the same through every world. See docs/scenarios.md, "Run". */
export function scenarioRoutes(app: App, scenarios: () => Promise<Scenarios>): void {
  const tags = ["Scenarios"];

  app.get(
    "/scenarios",
    {
      schema: {
        operationId: "listScenarios",
        summary: "Your own scenarios, and those that come with Sandglass",
        tags,
        response: { 200: kinds.ScenarioList, ...shapes.controlErrors },
      },
    },
    async () => {
      const { scenarios: data, problems } = await (await scenarios()).list();
      return { data: data.map(scenarioView), problems };
    },
  );
  app.post(
    "/scenarios/:name/runs",
    {
      schema: {
        operationId: "runScenario",
        summary: "Run a scenario in a fresh world, its clock standing still",
        tags,
        params: shapes.NameParams,
        body: kinds.NewRun,
        response: { 201: kinds.Run, ...shapes.controlErrors },
      },
    },
    async ({ params, body }, reply) => {
      const { named, start } = await scenarios();
      return reply.code(201).send(runView(await start(await named(params.name), body)));
    },
  );
  app.get(
    "/scenarios/runs",
    {
      schema: {
        operationId: "listScenarioRuns",
        summary: "The latest runs of scenarios, oldest first, without their reports",
        tags,
        response: { 200: shapes.dataOf(kinds.Run, "ScenarioRuns"), ...shapes.controlErrors },
      },
    },
    async () => ({
      data: (await scenarios()).runs().map((run) => ({ ...runView(run), report: null })),
    }),
  );
  app.get(
    "/scenarios/runs/:id",
    {
      schema: {
        operationId: "getScenarioRun",
        summary: "A run, and its report once it ended",
        tags,
        params: shapes.IdParams,
        response: { 200: kinds.Run, ...shapes.controlErrors },
      },
    },
    async ({ params }) => runView((await scenarios()).run(params.id)),
  );
  app.delete(
    "/scenarios/runs/:id",
    {
      schema: {
        operationId: "deleteScenarioRun",
        summary: "Stop a run if it is under way, and end its world",
        tags,
        params: shapes.IdParams,
        response: { 200: kinds.RunRemoved, ...shapes.controlErrors },
      },
    },
    async ({ params }) => {
      (await scenarios()).remove(params.id);
      return { id: params.id, deleted: true as const };
    },
  );
  app.get(
    "/scenarios/runs/:id/events",
    {
      schema: {
        operationId: "followScenarioRun",
        summary: "What happens in a run, step by step, from its beginning",
        description:
          "Server-sent events: `run.started`, `step.started`, `step.ended` with the ledger of the step, `log`, `run.ended`. The stream ends with the run.",
        tags,
        params: shapes.IdParams,
      },
    },
    async (request, reply) => {
      const run = (await scenarios()).run(request.params.id);
      const after = lastEventId(request) ?? 0;
      const stream = openEventStream(reply);
      const unfollow = run.follow(stream.send);
      stream.onClose(unfollow);
      for (const event of run.events) if (event.seq > after) stream.send(event);
      void run.done.then(stream.end);
      return reply;
    },
  );
  app.get(
    "/scenarios/runs/:id/report.html",
    {
      schema: {
        operationId: "downloadScenarioReport",
        summary: "The report of a run as one HTML file, with its timeline",
        tags,
        params: shapes.IdParams,
      },
    },
    async ({ params }, reply) => {
      const { report, id } = (await scenarios()).run(params.id);
      if (!report)
        throw new SandboxError(
          "invalid_state",
          `The run ${id} has not ended yet.`,
          `Follow it: GET /_sandbox/scenarios/runs/${id}/events.`,
        );
      const { scenarioHtml } = await import("../reports/html.ts");
      return sendReport(reply, scenarioHtml([report]));
    },
  );
}

const runView = ({ id, scenario, world, url, params, events, report }: Run) => ({
  id,
  scenario: scenario.name,
  title: scenario.title,
  status: report?.status ?? (events.length === 0 ? ("waiting" as const) : ("running" as const)),
  world,
  url,
  params,
  report: report ?? null,
});
