import { clip } from "../http/violation-text.ts";
import { badRequest } from "./errors.ts";
import { MAX_CHAINS } from "./limits.ts";

/** A parsed query string. A repeated parameter has an array of values. */
export type Query = Readonly<Record<string, string | string[] | undefined>>;

export function valuesOf(query: Query, name: string): readonly string[] {
  return [query[name] ?? []].flat();
}

/** A request's chains without duplicates, from `chain_id`, or else `chain`, or else the host; empty if unspecified. */
export function chainsOf(query: Query, host: string | undefined): number[] {
  for (const name of ["chain_id", "chain"]) {
    const values = valuesOf(query, name);
    if (values.length > 0) return readChains(name, values);
  }
  const label = chainLabel(host);
  return label === undefined ? [] : [readChain("The chain in the host's first label", label)];
}

function readChains(name: string, values: readonly string[]): number[] {
  const chains = [...new Set(values.map((text) => readChain(name, text)))];
  if (chains.length <= MAX_CHAINS) return chains;
  throw badRequest(`${name} accepts at most ${MAX_CHAINS} chains, not ${chains.length}.`);
}

function readChain(name: string, text: string): number {
  const chain = /^\d{1,16}$/.test(text) ? Number(text) : 0;
  if (chain >= 1 && chain <= Number.MAX_SAFE_INTEGER) return chain;
  throw badRequest(
    `${name} must be a whole number from 1 to ${Number.MAX_SAFE_INTEGER}, not '${clip(text)}'. For several chains, repeat the parameter.`,
  );
}

const IP_ADDRESS = /^(?:\d+\.){3}\d+$/;

/** The first label of a host if it is a number: `8453` in `8453.localhost:4400`. IP addresses do not count. */
function chainLabel(host = ""): string | undefined {
  const name = host.replace(/:\d*$/, "");
  return IP_ADDRESS.test(name) ? undefined : /^(\d+)\./.exec(name)?.[1];
}
