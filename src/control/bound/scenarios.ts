import type { scenarioOperations } from "../../operations/scenarios.ts";
import { withScheme } from "../../runtime/http-url.ts";
import { scenarioView } from "../../scenarios/catalog.ts";
import type { Run } from "../../scenarios/scenarios.ts";
import { checkReachable } from "../../webhooks/endpoint-url.ts";
import type { Bound } from "./bound.ts";

export const scenarioBound: Bound<(typeof scenarioOperations)[number]> = {
  async "scenarios.list"({ serving }) {
    const list = await (await serving.scenarios()).list();
    return { data: list.scenarios.map(scenarioView), problems: list.problems };
  },
  async "scenarios.run"({ sandbox, serving, params, body }) {
    const { webhooks } = sandbox.settings.payments;
    const subscriber = withScheme(body.subscriber ?? "");
    if (/^https?:/i.test(subscriber) && URL.canParse(subscriber))
      checkReachable("subscriber", subscriber, webhooks);
    const { named, start } = await serving.scenarios();
    return runView(await start(await named(params.name), body));
  },
  "runs.list": async ({ serving }) => ({
    data: (await serving.scenarios()).runs().map((run) => ({ ...runView(run), report: null })),
  }),
  "runs.get": async ({ serving, params }) => runView((await serving.scenarios()).run(params.id)),
  async "runs.delete"({ serving, params: { id } }) {
    (await serving.scenarios()).remove(id);
    return { id, deleted: true };
  },
};

const runView = ({ id, scenario, world, url, params, events, report }: Run) => ({
  id,
  scenario: scenario.name,
  title: scenario.title,
  status: report?.status ?? (events.length === 0 ? ("waiting" as const) : ("running" as const)),
  world,
  url,
  params,
  file: scenario.file,
  report: report ?? null,
});
