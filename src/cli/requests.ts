import type { Client } from "../client/http.ts";
import { SandboxError } from "../errors/errors.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import { formatDuration } from "../story/duration.ts";
import { instant } from "../story/instant.ts";
import { clip, plainLines } from "../story/text.ts";
import { readCount } from "./actions.ts";
import { bodyLines } from "./body-text.ts";
import type { Invocation } from "./command.ts";
import { type Cell, columns, fields, paint, print, printJson } from "./output.ts";
import { chosenSandbox, type ServerOptions } from "./server.ts";

type Call = ReturnType<Sandbox["requests"]["list"]>[number];
type CallDetail = NonNullable<ReturnType<Sandbox["requests"]["get"]>>;

/** The name of the latest call. */
const LATEST = "last";
const DEFAULT_LIMIT = "20";
/** The longest that a hint is shown in the list; the whole is with the call. */
const LONGEST_HINT = 80;
/** As many as a sandbox stores. */
const MOST = 500;

/** `sandglass requests`: the calls that the APIs received, or one of them with a curl line. */
export async function run({
  args: [name],
  options,
}: Invocation<ServerOptions & { limit?: string }>): Promise<undefined> {
  if (name !== undefined && name !== LATEST && !/^\d+$/.test(name))
    throw new SandboxError(
      "bad_request",
      `A call is named by its number or 'last', not '${name}'.`,
      "Print the latest ones with their numbers: npx sandglass requests",
    );
  const limit = readCount(options.limit ?? DEFAULT_LIMIT, "--limit", { most: MOST });
  const sandbox = await chosenSandbox(options);
  if (name === undefined) {
    const data = await readCalls(sandbox, limit);
    if (options.json) printJson({ data });
    else if (data.length === 0)
      print("The APIs received no calls yet. Print their addresses and keys: npx sandglass env");
    else for (const line of columns(data.map(row))) print(line);
    return undefined;
  }
  const id = name === LATEST ? await latestId(sandbox) : name;
  const call = await sandbox.run("requests.get", { id });
  if (options.json) printJson(call);
  else for (const line of detailLines(call)) print(line);
  return undefined;
}

/** The latest calls, oldest first. */
async function readCalls(sandbox: Client, limit: number): Promise<Call[]> {
  const { data } = await sandbox.run("requests.list", { limit });
  return data;
}

async function latestId(sandbox: Client): Promise<string> {
  const [latest] = await readCalls(sandbox, 1);
  if (latest) return String(latest.id);
  throw new SandboxError(
    "not_found",
    "The APIs received no calls yet.",
    "Print their addresses and keys: npx sandglass env",
  );
}

const row = ({ id, at, method, path, status, hint = "", duration_ms: took }: Call): Cell[] => [
  { text: String(id), color: paint.dim },
  { text: instant(at), color: paint.dim },
  method,
  path,
  statusCell(status),
  { text: `in ${formatDuration(took)}`, color: paint.dim },
  { text: clip(hint, LONGEST_HINT), color: paint.yellow },
];

const statusCell = (status: number, took = ""): Cell => ({
  text: status + took,
  color: status < 400 ? paint.green : paint.red,
});

const detailLines = (call: CallDetail): string[] => [
  ...fields([
    ["call", `${call.method} ${call.path}`],
    ["at", `${instant(call.at)} UTC`],
    ["response", statusCell(call.status, ` in ${formatDuration(call.duration_ms)}`)],
    ...(call.hint === undefined
      ? []
      : [["hint", { text: call.hint, color: paint.yellow }] as [string, Cell]]),
  ]),
  ...bodyLines("request body", call.body),
  ...bodyLines("response body", call.response_body),
  "",
  ...plainLines(call.curl),
];
