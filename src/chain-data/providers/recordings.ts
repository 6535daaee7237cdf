import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { invalidConfig } from "../../errors/errors.ts";
import { readTextFile } from "../../runtime/text-file.ts";

/** One recorded exchange, as a nock definition. */
export interface Definition {
  /** Scheme, host and port: `https://indexer.example:443`. */
  scope: string;
  method?: string;
  /** The path including its query. */
  path: string;
  status?: number;
  response?: unknown;
  rawHeaders?: unknown;
}

/** An address with tokens in an explorer's recordings. */
export interface RecordedAddress {
  address: string;
  chain_id: number;
  rows: number;
}

export interface Recordings {
  find(method: string, url: URL): Definition | undefined;
  /** Whether any recording is about this address. */
  knows(address: string): boolean;
  addresses(): RecordedAddress[];
}

/**
 * Reads recordings from files and folders. If exchanges are equal, the first one wins.
 * @throws SandboxError `invalid_config` with the file name
 */
export function readRecordings(sources: readonly string[]): Recordings {
  const exchanges = new Map<string, Definition>();
  const seen = new Set<string>();
  const held = new Map<string, RecordedAddress>();
  for (const file of sources.flatMap(filesOf)) {
    for (const definition of readDefinitions(file)) {
      const url = new URL(definition.path, definition.scope);
      const key = exchangeKey(definition);
      if (exchanges.has(key)) continue;
      exchanges.set(key, definition);
      for (const [address] of definition.path.matchAll(/0x[0-9a-f]{40}/gi)) seen.add(address.toLowerCase());
      countRows(held, url, definition);
    }
  }
  return {
    find: (method, url) => exchanges.get(keyOf(method, url)),
    knows: (address) => seen.has(address),
    addresses: () => [...held.values()],
  };
}

function filesOf(source: string): string[] {
  if (!statSync(source).isDirectory()) return [source];
  const names = readdirSync(source).filter((name) => name.endsWith(".json"));
  return names.sort().map((name) => join(source, name));
}

/** Reads one recordings file. @throws SandboxError `invalid_config` with the file name */
export function readDefinitions(file: string): Definition[] {
  const broken = (why: string) =>
    invalidConfig(
      `Cannot read the recordings in ${file}: ${why}.`,
      "The file must be a JSON array of nock definitions with scope, method, path, status and response.",
    );
  const text = file.endsWith(".gz")
    ? gunzipSync(readFileSync(file)).toString()
    : readTextFile(file, { name: file, code: "invalid_config" });
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch (error) {
    throw broken((error as Error).message);
  }
  if (!Array.isArray(content)) throw broken("it is not a JSON array");
  for (const [index, { scope, path } = {} as Partial<Definition>] of content.entries())
    if (typeof scope !== "string" || typeof path !== "string" || !URL.canParse(path, scope))
      throw broken(`definition ${index} has no scope and path that form a URL`);
  return content as Definition[];
}

/** A key that is the same for two recorded exchanges with the same request. */
export function exchangeKey({ method = "GET", scope, path }: Definition): string {
  return keyOf(method, new URL(path, scope));
}

/**
 * A key that is the same for equivalent requests: it ignores the case of addresses and the order of query parameters.
 * For lookups, it also ignores the symbol's case, and the chains, because the client itself filters by chain.
 */
function keyOf(method: string, url: URL): string {
  const path = url.pathname.replace(/0x[0-9a-f]{40}/gi, (address) => address.toLowerCase());
  const lookup = path.endsWith("/tokens/lookup");
  const query = [...url.searchParams]
    .filter(([name]) => !(lookup && name === "chain_id"))
    .map(([name, value]) => `${name}=${name === "symbol" || name === "q" ? value.toLowerCase() : value}`);
  return `${method} ${url.origin}${path}?${query.sort().join("&")}`;
}

const EXPLORER_HOST = /^(\d+)\.explorer\.example$/;
const LISTING_PATH = /\/addresses\/(0x[0-9a-f]{40})\/tokens$/i;

function countRows(held: Map<string, RecordedAddress>, url: URL, { response }: Definition): void {
  const chain = EXPLORER_HOST.exec(url.hostname)?.[1];
  const address = LISTING_PATH.exec(url.pathname)?.[1]?.toLowerCase();
  const { items } = Object(response) as { items?: unknown };
  if (chain === undefined || address === undefined || !Array.isArray(items)) return;
  const entry = held.get(`${chain} ${address}`) ?? { address, chain_id: Number(chain), rows: 0 };
  entry.rows += items.length;
  held.set(`${chain} ${address}`, entry);
}
