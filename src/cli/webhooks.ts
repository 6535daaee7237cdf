import { SandboxError } from "../errors/errors.ts";
import { readHttpUrl } from "../runtime/http-url.ts";
import { counterText } from "../story/counter.ts";
import { chooseAction } from "./actions.ts";
import type { Invocation } from "./command.ts";
import { findEndpoint } from "./endpoint-name.ts";
import { listsOf } from "./organizations.ts";
import { columns, print, printJson } from "./output.ts";
import { chosenSandbox } from "./server.ts";
import {
  requireName,
  showEndpoint,
  statusCell,
  type WebhooksCall,
  type WebhooksOptions,
} from "./webhook-calls.ts";
import { retry, test } from "./webhook-deliveries.ts";
import { fail, work } from "./webhook-faults.ts";
import { timeline } from "./webhook-timeline.ts";

type Action = (call: WebhooksCall) => Promise<number | undefined>;

const ACTIONS: Record<string, Action> = {
  list,
  create,
  fail,
  work,
  enable: switchTo("enable"),
  disable: switchTo("disable"),
  delete: remove,
  test,
  retry,
  timeline,
};

/** `sandglass webhooks`: endpoints, and what a person does to them and to what they were sent. */
export async function run({
  args: [action = "list", name, answer],
  options,
}: Invocation<WebhooksOptions>): Promise<number | undefined> {
  const act = chooseAction("webhooks", ACTIONS, action);
  return act({ sandbox: await chosenSandbox(options), name, answer, options });
}

async function list({ sandbox, options: { json, organization } }: WebhooksCall): Promise<undefined> {
  const lists = await listsOf(sandbox, organization);
  const endpoints = (await sandbox.webhooks()).filter(lists.has);
  if (json) printJson({ data: endpoints });
  else if (endpoints.length === 0)
    print("No webhook endpoints. Register one: npx sandglass webhooks create <url>");
  else
    for (const line of columns(
      endpoints.map((endpoint) => [
        endpoint.id,
        statusCell(endpoint),
        `${counterText(endpoint.consecutive_failures, endpoint.threshold)} failures`,
        ...lists.cell(endpoint),
        endpoint.url,
      ]),
    ))
      print(line);
}

async function create({ sandbox, name, options }: WebhooksCall): Promise<undefined> {
  const { events, secret, description, sender, another, json } = options;
  if (!name)
    throw new SandboxError(
      "bad_request",
      "webhooks create needs the URL of a subscriber.",
      "For example: npx sandglass webhooks create http://127.0.0.1:3000/webhooks",
    );
  const types = events?.split(",").map((type) => type.trim());
  const registration = {
    url: readHttpUrl(name, "The endpoint's URL"),
    events: types?.filter((type) => type !== ""),
    description,
    secret,
    sender,
    another,
  };
  const endpoint = await sandbox.run("webhooks.create", registration);
  if (json) printJson(endpoint);
  else
    showEndpoint(endpoint, [
      ["events", endpoint.events.includes("*") ? "all" : endpoint.events.join(", ")],
      ["secret", endpoint.secret],
    ]);
}

function switchTo(action: "enable" | "disable"): Action {
  return async ({ sandbox, name, options: { json } }) => {
    const endpoint = await findEndpoint(sandbox, requireName(action, name));
    const changed = await sandbox.run(`webhooks.${action}`, { id: endpoint.id });
    if (json) printJson(changed);
    else showEndpoint(endpoint, [["status", statusCell(changed)]]);
    return undefined;
  };
}

async function remove({ sandbox, name, options: { json } }: WebhooksCall): Promise<undefined> {
  const endpoint = await findEndpoint(sandbox, requireName("delete", name));
  const deleted = await sandbox.run("webhooks.delete", { id: endpoint.id });
  if (json) printJson(deleted);
  else print(`Deleted ${endpoint.id}, ${endpoint.url}.`);
}
