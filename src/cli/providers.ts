import type { ProviderView } from "../chain-data/provider-states.ts";
import type { Client } from "../client/http.ts";
import { closest } from "../errors/closest.ts";
import { SandboxError } from "../errors/errors.ts";
import type { Invocation } from "./command.ts";
import { type FaultLimits, readLimits, readStatus } from "./fault-flags.ts";
import { faultText, hitText } from "./fault-text.ts";
import { type Cell, columns, paint, print, printJson } from "./output.ts";
import { chosenSandbox, type ServerOptions } from "./server.ts";

interface Options extends ServerOptions, FaultLimits {
  status?: string;
  latency?: string;
}

/** `sandglass providers`: the providers of chain data; takes one down, slows it, or lets it work. */
export async function run({ args: [name, state], options }: Invocation<Options>): Promise<undefined> {
  const change = readChange(options);
  if (state === undefined && Object.keys(change).length > 0)
    throw new SandboxError(
      "bad_request",
      `${name === undefined ? "providers" : `providers ${name}`} needs a state: up, down, slow, error or garbage.`,
      `For example: npx sandglass providers ${name ?? "indexer"} error --status 500`,
    );
  if (name === "")
    throw new SandboxError(
      "bad_request",
      "providers needs the name of a provider.",
      "Print them all: npx sandglass providers",
    );
  const sandbox = await chosenSandbox(options);
  if (state === undefined) await show(sandbox, name, options);
  else {
    const _path = `/data/providers/${encodeURIComponent(name!)}`;
    const changed = await sandbox.run("data.setProvider", { name, state, ...change });
    if (options.json) printJson(changed);
    else for (const line of columns([row(changed)])) print(line);
  }
  return undefined;
}

function readChange({ status, latency, times, rate }: Options) {
  return {
    ...(status !== undefined && { status: readStatus(status, "--status", { least: 400, most: 599 }) }),
    ...(latency !== undefined && { latency }),
    ...readLimits({ times, rate }),
  };
}

async function show(sandbox: Client, name: string | undefined, { json }: Options): Promise<void> {
  const { data } = await sandbox.run("data.providers");
  if (name === undefined && json) return printJson({ data });
  const shown = name === undefined ? data : [find(data, name)];
  if (json) return printJson(shown[0]);
  for (const line of columns(shown.map(row))) print(line);
}

/** @throws SandboxError `not_found` */
function find(providers: readonly ProviderView[], name: string): ProviderView {
  const found = providers.find((one) => one.name === name);
  if (found) return found;
  const names = providers.map((one) => one.name);
  const meant = closest(name, names);
  throw new SandboxError(
    "not_found",
    `There is no provider ${name}.`,
    meant ? `Did you mean: npx sandglass providers ${meant}` : `Providers: ${names.join(", ")}.`,
  );
}

function row(provider: ProviderView): Cell[] {
  const { name, state, status, latency, times, rate, chain_id: chain, base_url: url, mode } = provider;
  const isUp = state === "up";
  const fault = {
    state,
    ...(status !== null && { status }),
    ...(latency !== null && { latency }),
    ...(times !== null && { times }),
    ...(rate !== null && { rate }),
  };
  return [
    { text: name, color: paint.bold },
    { text: isUp ? "up" : faultText(fault), color: isUp ? paint.green : paint.red },
    isUp ? "" : hitText(provider),
    chain === null ? "all chains" : `chain ${chain}`,
    mode === "replay" ? "recordings" : { text: url, color: paint.cyan },
  ];
}
