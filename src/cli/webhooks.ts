import type { Client, WebhookWithSecret } from "../client/http.ts";
import { SandboxError } from "../errors/errors.ts";
import type { Fault } from "../library/index.ts";
import type { Invocation } from "./command.ts";
import { findEndpoint } from "./endpoint-name.ts";
import { columns, fields, paint, print, printJson } from "./output.ts";
import { chosenSandbox } from "./server.ts";

interface Options {
  times?: string;
  url?: string;
  json?: boolean;
}

/** What an action needs, and what it prints. */
interface Call {
  sandbox: Client;
  endpoint: string | undefined;
  answer: string | undefined;
  options: Options;
}

const DEFAULT_ANSWER = "500";

const ACTIONS: Record<string, (call: Call) => Promise<void>> = { list, fail, work, enable };

/** `sandglass webhooks`: lists endpoints, makes a subscriber fail and work again, enables an endpoint. */
export async function run({
  args: [action, endpoint, answer],
  options,
}: Invocation<Options>): Promise<undefined> {
  const act = ACTIONS[action!];
  if (!act)
    throw new SandboxError(
      "bad_request",
      `webhooks cannot '${action}'.`,
      `It takes one of ${Object.keys(ACTIONS).join(", ")}.`,
    );
  await act({ sandbox: await chosenSandbox(options.url), endpoint, answer, options });
  return undefined;
}

async function list({ sandbox, options: { json } }: Call): Promise<void> {
  const endpoints = await sandbox.webhooks();
  if (json) return printJson({ data: endpoints });
  if (endpoints.length === 0)
    return print("No webhook endpoints. Register one: sandglass listen --forward-to <url>");
  for (const line of columns(
    endpoints.map((endpoint) => [
      endpoint.id,
      status(endpoint),
      `${endpoint.consecutive_failures}/${endpoint.threshold} failures`,
      endpoint.url,
    ]),
  ))
    print(line);
}

async function fail({ sandbox, endpoint: name, answer, options: { times, json } }: Call): Promise<void> {
  const fault: Fault = { ...readAnswer(answer), ...(times !== undefined && { times: readTimes(times) }) };
  const endpoint = await findEndpoint(sandbox, named("fail", name));
  const state = await sandbox.control("PUT", `${path(endpoint)}/fault`, { body: fault, fields: ["spec"] });
  if (json) return printJson(state);
  const howLong =
    fault.times === undefined ? `until: sandglass webhooks work ${name}` : `for ${attempts(fault.times)}`;
  show(endpoint, [["fails", { text: `${answer ?? DEFAULT_ANSWER} ${howLong}`, color: paint.red }]]);
}

async function work({ sandbox, endpoint: name, options: { json } }: Call): Promise<void> {
  const endpoint = await findEndpoint(sandbox, named("work", name));
  const state = await sandbox.control("DELETE", `${path(endpoint)}/fault`, { fields: ["spec"] });
  if (json) return printJson(state);
  show(endpoint, [["works", "its own responses count again"]]);
}

async function enable({ sandbox, endpoint: name, options: { json } }: Call): Promise<void> {
  const found = await findEndpoint(sandbox, named("enable", name));
  const endpoint = await sandbox.control<WebhookWithSecret>("POST", `${path(found)}/enable`, {
    fields: ["status"],
  });
  if (json) return printJson(endpoint);
  show(found, [["status", status(endpoint)]]);
}

const path = ({ id }: WebhookWithSecret): string => `/webhooks/${encodeURIComponent(id)}`;

function show({ id, url }: WebhookWithSecret, rows: Parameters<typeof fields>[0]): void {
  for (const line of fields([["endpoint", `${id}, ${url}`], ...rows])) print(line);
}

const status = ({ status }: { status: string }) => ({
  text: status,
  color: status === "enabled" ? paint.green : paint.red,
});

function named(action: string, name: string | undefined): string {
  if (name) return name;
  throw new SandboxError(
    "bad_request",
    `webhooks ${action} needs an endpoint.`,
    `Name it by its id, a part of its URL, or 'last'. For example: sandglass webhooks ${action} last`,
  );
}

const attempts = (count: number): string => (count === 1 ? "1 attempt" : `${count} attempts`);

/** A status or a kind of failure. The sandbox refuses an unknown kind and lists the known ones. */
function readAnswer(answer = DEFAULT_ANSWER): Fault {
  if (/^\d+$/.test(answer)) return { kind: "status", status: Number(answer) };
  return { kind: answer as NonNullable<Fault["kind"]> };
}

function readTimes(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new SandboxError(
    "bad_request",
    `--times must be a whole number from 1, not '${text}'.`,
    "For example: sandglass webhooks fail last 503 --times 2",
  );
}
