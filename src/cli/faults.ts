import type { Client } from "../client/http.ts";
import { SandboxError } from "../errors/errors.ts";
import { shellArgument } from "../runtime/shell.ts";
import { parseDuration } from "../world/duration.ts";
import type { Invocation } from "./command.ts";
import { type FaultLimits, readLimits, readStatus } from "./fault-flags.ts";
import { type ActiveFault, faultText, hitText } from "./fault-text.ts";
import { urlsById } from "./ledger.ts";
import { type Cell, columns, fields, paint, print, printJson } from "./output.ts";
import { chosenFlags, chosenSandbox, type ServerOptions } from "./server.ts";

interface Options extends ServerOptions, FaultLimits {
  latency?: string;
  match?: string;
  clear?: boolean;
}

/** `sandglass faults`: makes an area's API fail or respond slowly, ends that, or lists the faults in force. */
export async function run({ args: [area, status], options }: Invocation<Options>): Promise<undefined> {
  const fault = readFault(status, options);
  const isEmpty = Object.keys(fault).length === 0;
  // An unset variable of a shell is an empty argument.
  if (!area) {
    if (area === "" || options.clear || !isEmpty) throw needsArea(options);
    await list(await chosenSandbox(options), options);
  } else if (options.clear) {
    if (!isEmpty) throw clearsOnly(area);
    const sandbox = await chosenSandbox(options);
    printFault(area, (await sandbox.run("faults.clear", { area })) as ActiveFault, options);
  } else {
    if (!isEmpty && !("status" in fault) && !("latency" in fault))
      throw new SandboxError(
        "bad_request",
        `faults ${area} needs a status or --latency.`,
        `For example: npx sandglass faults ${shellArgument(area)} 503, or: npx sandglass faults ${shellArgument(area)} --latency 2s`,
      );
    const sandbox = await chosenSandbox(options);
    const state = isEmpty
      ? await sandbox.run("faults.get", { area })
      : await sandbox.run("faults.set", { area, ...fault });
    printFault(area, state as ActiveFault, options);
  }
  return undefined;
}

function readFault(status: string | undefined, { latency, match, times, rate }: Options) {
  return {
    ...(status !== undefined && { status: readStatus(status, "The status", { least: 400, most: 599 }) }),
    ...(latency !== undefined && { latency: parseDuration(latency) }),
    ...(match !== undefined && { match }),
    ...readLimits({ times, rate }),
  };
}

async function list(sandbox: Client, options: Options): Promise<void> {
  const faults = (await sandbox.run("faults.list")) as { data: ActiveFault[] };
  if (options.json) return printJson(faults);
  if (faults.data.length === 0)
    return print("No faults. Make an API fail: npx sandglass faults platform 503");
  const urls = urlsById(
    faults.data.some(({ target }) => target.startsWith("webhook:")) ? await sandbox.webhooks() : [],
  );
  for (const line of columns(faults.data.map((fault) => row(fault, urls, chosenFlags(options))))) print(line);
}

/** A fault with the command that ends it. */
function row(fault: ActiveFault, urls: Map<string, string>, where: string): Cell[] {
  const [kind, name = ""] = fault.target.split(/:(.*)/s);
  const [title, end] =
    kind === "api"
      ? [`${name} API`, `npx sandglass faults ${name} --clear`]
      : kind === "provider"
        ? [`provider ${name}`, `npx sandglass providers ${name} up`]
        : [`endpoint ${urls.get(name) ?? name}`, `npx sandglass webhooks work ${name}`];
  return [
    title,
    { text: faultText(fault.spec ?? {}), color: paint.red },
    hitText(fault),
    { text: `end it: ${end}${where}`, color: paint.dim },
  ];
}

function printFault(area: string, fault: ActiveFault, options: Options): void {
  if (options.json) return void printJson(fault);
  const rows: Parameters<typeof fields>[0] =
    fault.spec === null
      ? [["fault", "none"]]
      : [
          ["fault", { text: faultText(fault.spec), color: paint.red }],
          ["hits", hitText(fault)],
          ["end it", `npx sandglass faults ${shellArgument(area)} --clear${chosenFlags(options)}`],
        ];
  for (const line of fields([["area", area], ...rows])) print(line);
}

const needsArea = ({ clear: isClearing }: Options): SandboxError =>
  new SandboxError(
    "bad_request",
    "faults needs an area: platform, data or game.",
    `For example: npx sandglass faults platform ${isClearing ? "--clear" : "503"}`,
  );

const clearsOnly = (area: string): SandboxError =>
  new SandboxError(
    "bad_request",
    "--clear takes no status and no other flags of a fault.",
    `Write: npx sandglass faults ${shellArgument(area)} --clear`,
  );
