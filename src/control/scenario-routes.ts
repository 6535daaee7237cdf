import { SandboxError } from "../errors/errors.ts";
import { checkReachable } from "../payments/webhooks/endpoint-url.ts";
import { scenarioView } from "../scenarios/catalog.ts";
import { readSource } from "../scenarios/files.ts";
import type { Run } from "../scenarios/scenarios.ts";
import { streamEvents } from "./event-stream.ts";
import { lastEventId } from "./position.ts";
import * as shapes from "./scenario-schemas.ts";
import { dataOf, IdParams, NameParams } from "./schemas.ts";
import { sendReport } from "./send-report.ts";
import { call } from "./table.ts";

const tag = "Scenarios";

/** The scenarios of the server; they are the same through every world. See docs/scenarios.md, "Run". */
export const scenarioRoutes = [
  call("GET /scenarios", {
    id: "listScenarios",
    tag,
    summary: "Your own scenarios, and those that come with Sandglass",
    answer: shapes.ScenarioList,
    async run({ serving }) {
      const list = await (await serving.scenarios()).list();
      return { data: list.scenarios.map(scenarioView), problems: list.problems };
    },
  }),
  call("GET /scenarios/:name/source", {
    id: "readScenarioSource",
    tag,
    summary: "A scenario's file, as it is now",
    params: NameParams,
    answer: shapes.ScenarioSource,
    async run({ serving, params }) {
      const { name, file, path } = await (await serving.scenarios()).named(params.name);
      return { name, file, source: readSource(path) };
    },
  }),
  call("POST /scenarios/:name/runs", {
    id: "runScenario",
    tag,
    summary: "Run a scenario in a fresh world, its clock standing still",
    params: NameParams,
    body: shapes.NewRun,
    answer: shapes.Run,
    status: 201,
    async run({ sandbox, serving, params, body }) {
      const { webhooks } = sandbox.settings.payments;
      const { subscriber = "" } = body;
      if (/^https?:/i.test(subscriber) && URL.canParse(subscriber))
        checkReachable("subscriber", subscriber, webhooks);
      const { named, start } = await serving.scenarios();
      return runView(await start(await named(params.name), body));
    },
  }),
  call("GET /scenarios/runs", {
    id: "listScenarioRuns",
    tag,
    summary: "The latest runs of scenarios, oldest first, without their sources and reports",
    answer: dataOf(shapes.Run, "ScenarioRuns"),
    run: async ({ serving }) => ({
      data: (await serving.scenarios())
        .runs()
        .map((run) => ({ ...runView(run), source: null, report: null })),
    }),
  }),
  call("GET /scenarios/runs/:id", {
    id: "getScenarioRun",
    tag,
    summary: "A run, and its report once it ended",
    params: IdParams,
    answer: shapes.Run,
    run: async ({ serving, params }) => runView((await serving.scenarios()).run(params.id)),
  }),
  call("DELETE /scenarios/runs/:id", {
    id: "deleteScenarioRun",
    tag,
    summary: "Stop a run if it is under way, and end its world",
    params: IdParams,
    answer: shapes.RunRemoved,
    async run({ serving, params: { id } }) {
      (await serving.scenarios()).remove(id);
      return { id, deleted: true };
    },
  }),
  call("GET /scenarios/runs/:id/events", {
    id: "followScenarioRun",
    tag,
    summary: "What happens in a run, step by step, from its beginning",
    description:
      "Server-sent events: `run.started`, `step.started`, `step.ended` with the ledger of the step, `log`, `run.ended`. The stream ends with the run.",
    params: IdParams,
    async run({ serving, params, headers }, reply) {
      const run = (await serving.scenarios()).run(params.id);
      const after = lastEventId(headers)?.seq ?? 0;
      return streamEvents(reply, (stream) => {
        let sent = after;
        let isOver = false;
        const sendMore = () => {
          for (; stream.isReady() && sent < run.events.length; sent += 1)
            stream.send(run.events[sent]!, run.events[sent]!.seq);
          if (sent < run.events.length) stream.whenReady(sendMore);
          else if (isOver) stream.end();
        };
        void run.done.then(() => {
          isOver = true;
          sendMore();
        });
        sendMore();
        return run.follow(sendMore);
      });
    },
  }),
  call("GET /scenarios/runs/:id/report.html", {
    id: "downloadScenarioReport",
    tag,
    summary: "The report of a run as one HTML file, with its timeline",
    params: IdParams,
    async run({ serving, params }, reply) {
      const { report, id } = (await serving.scenarios()).run(params.id);
      if (!report)
        throw new SandboxError(
          "invalid_state",
          `The run ${id} has not ended yet.`,
          `Follow it: GET /_sandbox/scenarios/runs/${id}/events.`,
        );
      const { scenarioHtml } = await import("../reports/html.ts");
      return sendReport(reply, scenarioHtml([report]));
    },
  }),
];

const runView = ({ id, scenario, world, url, params, source, events, report }: Run) => ({
  id,
  scenario: scenario.name,
  title: scenario.title,
  status: report?.status ?? (events.length === 0 ? "waiting" : "running"),
  world,
  url,
  params,
  file: scenario.file,
  source,
  report: report ?? null,
});
