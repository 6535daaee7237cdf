import { readFileSync } from "node:fs";
import type { Client } from "../client/http.ts";
import { SandboxError } from "../errors/errors.ts";
import type { KnownAddress } from "../sandbox/data.ts";
import { instant } from "../story/instant.ts";
import { count } from "../story/text.ts";
import { readCount } from "./actions.ts";
import type { Invocation } from "./command.ts";
import { type Cell, columns, note, paint, print, printJson } from "./output.ts";
import { chosenSandbox, type ServerOptions } from "./server.ts";

interface Options extends ServerOptions {
  set?: string;
  clear?: boolean;
  chain?: string;
}

const EXAMPLE = '[{"value": "2500000", "token": {"address": "0x…", "symbol": "USDC", "decimals": "6"}}]';

const ADDRESS = /^0x[0-9a-f]{40}$/i;

/** `sandglass holdings`: the addresses with holdings; sets what one holds, or goes back to what is recorded. */
export async function run({ args: [address], options }: Invocation<Options>): Promise<undefined> {
  const { set: file, clear: isClearing, chain } = options;
  const chainId = chain === undefined ? undefined : readCount(chain, "--chain");
  // An unset variable of a shell is an empty argument.
  if (address === "" || (address === undefined && (file !== undefined || isClearing)))
    throw new SandboxError(
      "bad_request",
      address === "" ? "'' is not an address." : "--set and --clear need an address.",
      `For example: npx sandglass holdings 0x… ${isClearing ? "--clear" : "--set holdings.json"}`,
    );
  if (address !== undefined && !ADDRESS.test(address))
    throw new SandboxError(
      "bad_request",
      `'${address.slice(0, 80)}' is not an address.`,
      "Write 0x and 40 hexadecimal characters.",
    );
  if (file !== undefined && isClearing)
    throw new SandboxError(
      "bad_request",
      "holdings takes either --set or --clear.",
      "Leave out one of them.",
    );
  if (isClearing && chainId !== undefined)
    throw new SandboxError(
      "bad_request",
      "--clear takes no --chain: it clears every chain.",
      `Set them to none on one chain: npx sandglass holdings ${address} --set holdings.json --chain ${chainId}, with [] in the file.`,
    );
  const body = file === undefined ? undefined : readTokens(file);
  const sandbox = await chosenSandbox(options);
  if (body) await setHoldings(sandbox, address!, { ...body, ...(chainId && { chain_id: chainId }) }, options);
  else if (isClearing) await clear(sandbox, address!, options);
  else await list(sandbox, address, chainId, options);
  return undefined;
}

const _pathOf = (address: string): string => `/data/addresses/${encodeURIComponent(address)}`;

async function list(
  sandbox: Client,
  address: string | undefined,
  chain: number | undefined,
  { json }: Options,
): Promise<void> {
  const all = await sandbox.run("data.addresses");
  const data = all.data.filter(
    (one) =>
      (address === undefined || one.address === address.toLowerCase()) &&
      (chain === undefined || one.chain_id === chain),
  );
  if (json) printJson({ data });
  else if (data.length === 0) print(noneText(address, chain));
  else for (const line of columns(data.map(row))) print(line);
}

function noneText(address: string | undefined, chain: number | undefined): string {
  const where = chain === undefined ? "" : ` on chain ${chain}`;
  const whose = address === undefined ? "No address has holdings" : `${address} has no holdings`;
  return `${whose}${where}. Set some: npx sandglass holdings ${address ?? "0x…"} --set holdings.json`;
}

const row = ({ address, chain_id: chain, rows, source, set_at: at }: KnownAddress): Cell[] => [
  address,
  `chain ${chain}`,
  count(rows, "token"),
  source === "set"
    ? { text: at === null ? "set" : `set ${instant(at)}`, color: paint.yellow }
    : { text: "recorded", color: paint.dim },
];

async function setHoldings(
  sandbox: Client,
  address: string,
  body: object,
  { json, chain }: Options,
): Promise<void> {
  const changed = await sandbox.run("data.setHoldings", { ...body, address });
  if (json) return printJson(changed);
  for (const line of columns([row(changed)])) print(line);
  // A call that names no chain asks only the configured ones.
  if (chain !== undefined) note(`Calls read it with ?chain_id=${changed.chain_id}.`);
}

async function clear(sandbox: Client, address: string, { json }: Options): Promise<void> {
  const result = await sandbox.run("data.clearHoldings", { address });
  if (json) printJson(result);
  else
    print(
      result.cleared
        ? `Cleared what was set for ${result.address}. What is recorded counts again.`
        : `Nothing was set for ${result.address}.`,
    );
}

/**
 * The tokens of a file: a list, or an object with `tokens` and perhaps `chain_id`, as the control API takes it.
 * @throws SandboxError `bad_request`
 */
function readTokens(file: string): object {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    throw new SandboxError(
      "bad_request",
      `Cannot read ${file}: ${(error as Error).message}.`,
      `--set takes a JSON file with tokens, such as ${EXAMPLE}`,
    );
  }
  const content = parse(file, text);
  if (Array.isArray(content)) return { tokens: content };
  if (typeof content === "object" && content !== null && "tokens" in content) return content;
  throw new SandboxError(
    "bad_request",
    `${file} has neither a list of tokens nor an object with tokens.`,
    `For example ${EXAMPLE}`,
  );
}

function parse(file: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new SandboxError(
      "bad_request",
      `${file} is not JSON: ${(error as Error).message}`,
      `It has a list of tokens, such as ${EXAMPLE}`,
    );
  }
}
