import nock from "nock";
import { createExplorer, explorerUrl } from "../providers/explorer.ts";
import { createIndexer, INDEXER_URL } from "../providers/indexer.ts";
import { type Get, type Provider, UpstreamFailure } from "../providers/provider.ts";
import type { Definition } from "../providers/recordings.ts";
import { InvalidShape } from "../providers/shape.ts";

/** What to record, and from which providers. */
export interface RecordPlan {
  /** Base URL of the explorers, with `{chain}` where a chain's id goes; one without it is the first chain's. */
  explorer?: string | undefined;
  /** Base URL of the indexer. */
  indexer?: string | undefined;
  /** Sent with every request; they and their values do not come into the recordings. */
  headers: Readonly<Record<string, string>>;
  chains: readonly number[];
  addresses: readonly string[];
  symbols: readonly string[];
  /** Real milliseconds that one request may take. */
  timeout: number;
}

/** One question to a provider, and its outcome. */
export interface Recorded {
  provider: string;
  /** The address or symbol of the question. */
  subject: string;
  /** How many tokens the provider returned. */
  rows: number;
  /** How many of its answers were recorded: none if all were a 404. */
  exchanges: number;
  /** Why the recordings lack the answer; null if they have it. */
  failure: string | null;
}

/** Recordings by the file they belong to: `indexer.json`, `explorer-8453.json`. */
export type Recordings = Map<string, Definition[]>;

/** A provider of the user's, and the address under which it is replayed. */
interface Source {
  provider: Provider;
  /** The base URL that the sandbox's own provider has. */
  replayedAt: string;
}

/** Pages are fetched with these headers through nock's recorder. */
const JSON_HEADERS = { accept: "application/json", "accept-encoding": "identity" };

/**
 * Asks real providers, one request at a time, and records what they answer. nock changes HTTP in the whole process
 * meanwhile: this is for a process of its own, such as the command line's.
 * @param report is told of everything that was asked, as it comes
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

/** The questions to a provider: each address on its chains, and each symbol. */
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
      throw new UpstreamFailure("status", `It answered ${response.status} to ${path}.`);
    let body: unknown;
    try {
      body = JSON.parse(text);
    } catch {
      throw new UpstreamFailure("invalid_json", `Its answer to ${path} is not JSON.`);
    }
    return read(body);
  };
}

async function request(url: string, headers: Record<string, string>, timeout: number): Promise<Response> {
  try {
    return await fetch(url, { headers, redirect: "manual", signal: AbortSignal.timeout(timeout) });
  } catch (error) {
    const { name, message, cause } = error as Error;
    if (name === "TimeoutError") throw new UpstreamFailure("timeout", `No answer within ${timeout} ms.`);
    throw new UpstreamFailure("unreachable", `${message}: ${(cause as Error | undefined)?.message ?? url}.`);
  }
}

/** The answer to the recorder's last question, cleaned. */
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
/** Shorter values are words that occur anywhere, so they are not replaced. */
const SHORTEST_SECRET = 6;

/**
 * A recorded exchange in the form that is stored: with the sandbox's own address, without the headers of request and
 * answer, without parameters that look like secrets, and without the secrets' text in the answer.
 * @param base the real base URL, without a trailing slash
 * @param replayedAt the base URL that takes its place
 * @param secrets texts that were sent as headers
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
