import nock from "nock";
import { createExplorer, explorerUrl } from "../providers/explorer.ts";
import { createIndexer, INDEXER_URL } from "../providers/indexer.ts";
import { type Get, type Provider, UpstreamFailure } from "../providers/provider.ts";
import type { Definition } from "../providers/recordings.ts";
import { InvalidShape } from "../providers/shape.ts";

/** What to record, and from which providers. */
export interface RecordPlan {
  /**
   * Base URL of the explorers, with `{chain}` as the placeholder for the chain id; without the placeholder, the URL is
   * that of the first chain's explorer.
   */
  explorer?: string | undefined;
  /** Base URL of the indexer. */
  indexer?: string | undefined;
  /** Headers sent with every request. Neither their names nor their values are recorded. */
  headers: Readonly<Record<string, string>>;
  chains: readonly number[];
  addresses: readonly string[];
  symbols: readonly string[];
  /** The timeout of one request, in real milliseconds. */
  timeout: number;
}

/** One query to a provider, and its outcome. */
export interface Recorded {
  provider: string;
  /** The queried address or symbol. */
  subject: string;
  /** The number of tokens returned. */
  rows: number;
  /** The number of recorded responses; 0 if they were all 404s. */
  exchanges: number;
  /** Why the response was not recorded; null if it was. */
  failure: string | null;
}

/** Recordings by file name: `indexer.json`, `explorer-8453.json`. */
export type Recordings = Map<string, Definition[]>;

/** A user's provider, and the URL under which its recordings are replayed. */
interface Source {
  provider: Provider;
  /** The base URL of the sandbox's own provider. */
  replayedAt: string;
}

/** Headers for requests made through nock's recorder. */
const JSON_HEADERS = { accept: "application/json", "accept-encoding": "identity" };

/**
 * Queries real providers, one request at a time, and records the responses. Meanwhile nock patches HTTP in the whole
 * process, so run this in a separate process, such as the CLI's.
 * @param report called after each query
 */
export async function record(plan: RecordPlan, report: (done: Recorded) => void): Promise<Recordings> {
  const recordings: Recordings = new Map();
  nock.recorder.rec({ dont_print: true, output_objects: true });
  try {
    for (const source of sourcesOf(plan)) {
      const { provider } = source;
      const recorded: Definition[] = [];
      for (const { subject, ask } of questionsOf(provider, plan)) {
        nock.recorder.clear();
        const { rows, failure } = await ask(getter(provider, plan)).then(
          ({ length }) => ({ rows: length, failure: null }),
          failureOf,
        );
        const replies = failure === null ? recordedReplies(source, plan.headers) : [];
        recorded.push(...replies);
        report({ provider: provider.name, subject, rows, failure, exchanges: replies.length });
      }
      if (recorded.length > 0) recordings.set(`${provider.name}.json`, recorded);
    }
  } finally {
    nock.recorder.clear();
    nock.restore();
  }
  return recordings;
}

function sourcesOf({ explorer, indexer, chains }: RecordPlan): Source[] {
  const asked = explorer?.includes("{chain}") ? chains : chains.slice(0, 1);
  const explorers = asked.map((chain) => ({
    provider: createExplorer(chain, explorer?.replaceAll("{chain}", String(chain)) ?? ""),
    replayedAt: explorerUrl(chain),
  }));
  return [
    ...(explorer === undefined ? [] : explorers),
    ...(indexer === undefined ? [] : [{ provider: createIndexer(indexer), replayedAt: INDEXER_URL }]),
  ];
}

/** The queries for a provider: each address on each of its chains, and each symbol. */
function questionsOf(provider: Provider, { chains, addresses, symbols }: RecordPlan) {
  const ownChains = provider.chain === null ? chains : [provider.chain];
  const lookups = symbols.map((symbol) => ({
    subject: symbol,
    ask: (get: Get): Promise<readonly unknown[]> => provider.tokens(get, symbol, chains),
  }));
  const listings = addresses.flatMap((address) =>
    ownChains.map((chain) => ({
      subject: `${address.toLowerCase()} on ${chain}`,
      ask: (get: Get): Promise<readonly unknown[]> => provider.holdings(get, address.toLowerCase(), chain),
    })),
  );
  return [...lookups, ...listings];
}

function failureOf(error: unknown): { rows: number; failure: string } {
  if (error instanceof UpstreamFailure || error instanceof InvalidShape)
    return { rows: 0, failure: error.message };
  throw error;
}

function getter({ baseUrl }: Provider, { headers, timeout }: RecordPlan): Get {
  return async (path, read) => {
    const response = await request(baseUrl + path, { ...JSON_HEADERS, ...headers }, timeout);
    const text = await response.text();
    if (response.status === 404) return undefined;
    if (response.status !== 200)
      throw new UpstreamFailure(
        "status",
        `The provider responded to ${path} with status ${response.status}.`,
      );
    let body: unknown;
    try {
      body = JSON.parse(text);
    } catch {
      throw new UpstreamFailure("invalid_json", `The provider's response to ${path} is not JSON.`);
    }
    return read(body);
  };
}

async function request(url: string, headers: Record<string, string>, timeout: number): Promise<Response> {
  try {
    return await fetch(url, { headers, redirect: "manual", signal: AbortSignal.timeout(timeout) });
  } catch (error) {
    const { name, message, cause } = error as Error;
    if (name === "TimeoutError") throw new UpstreamFailure("timeout", `No response within ${timeout} ms.`);
    throw new UpstreamFailure("unreachable", `${message}: ${(cause as Error | undefined)?.message ?? url}.`);
  }
}

/** The recorded exchanges of the last query, cleaned. */
function recordedReplies(
  { provider, replayedAt }: Source,
  headers: Readonly<Record<string, string>>,
): Definition[] {
  const definitions = nock.recorder.play() as unknown as Definition[];
  return definitions
    .filter(({ status }) => status === 200)
    .map((definition) => cleanDefinition(definition, provider.baseUrl, replayedAt, Object.values(headers)));
}

/** Names of query parameters whose values are private. */
const SECRET_PARAMETER =
  /^(?:api[-_]?key|key|(?:access[-_]?)?token|auth|authorization|(?:client[-_]?)?secret|client[-_]?id|sig(?:nature)?|password)$/i;
const REDACTED = "[redacted]";
/** Shorter values are not replaced, because they may occur as ordinary words. */
const SHORTEST_SECRET = 6;

/**
 * Converts a recorded exchange for storage: replaces the base URL, drops request and response headers, removes
 * parameters that look like secrets, and redacts the given secrets in the response.
 * @param base the real base URL, without a trailing slash
 * @param replayedAt the base URL that replaces it
 * @param secrets values that were sent in headers
 */
function cleanDefinition(
  { scope, path, status, response }: Definition,
  base: string,
  replayedAt: string,
  secrets: readonly string[],
): Definition {
  const real = new URL(path, scope);
  const url = new URL(replayedAt + real.href.slice(new URL(base).href.replace(/\/$/, "").length));
  for (const name of [...url.searchParams.keys()])
    if (SECRET_PARAMETER.test(name)) url.searchParams.delete(name);
  return {
    scope: `${url.protocol}//${url.host}:${url.port || 443}`,
    method: "GET",
    path: url.pathname + url.search,
    status: status ?? 200,
    response: JSON.parse(redacted(JSON.stringify(response), secrets)) as unknown,
    rawHeaders: { "content-type": "application/json; charset=utf-8" },
  };
}

function redacted(text: string, secrets: readonly string[]): string {
  return secrets
    .flatMap((secret) => [secret, secret.replace(/^\S+ /, "")])
    .filter((secret) => secret.length >= SHORTEST_SECRET)
    .reduce((left, secret) => left.replaceAll(JSON.stringify(secret).slice(1, -1), REDACTED), text);
}
