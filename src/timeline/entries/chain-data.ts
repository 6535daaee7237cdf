import chains from "../../../fixtures/chain-data/chains.json" with { type: "json" };
import { formatDuration } from "../duration.ts";
import { clipMiddle, count } from "../text.ts";
import { type Data, listed, named, text, type Words } from "./words.ts";

const SHORT = 16;
const NAMES = new Map(chains.map(({ id, name }) => [id, name]));

/** `Base`, or `Chain 4242` for a chain without a known name. */
const chainName = (id: number): string => NAMES.get(id) ?? `Chain ${id}`;

/** Why a provider call failed; follows the provider's name. */
const CALL_FAILURES: Record<string, string> = {
  connection_refused: "refused the connection",
  timeout: "did not respond in time",
  unreachable: "could not be reached",
  invalid_json: "did not return JSON",
  invalid_shape: "returned JSON in an unexpected shape",
  too_many_pages: "has more pages than Sandglass reads",
};

const address = (data: Data) => clipMiddle(text(data.address), SHORT);
const onChain = ({ chain_id: chain }: Data) =>
  chain === null || chain === undefined ? "" : `, ${chainName(Number(chain))}`;
const rows = (data: Data, noun: string) => count(Number(data.rows ?? 0), noun);
const failure = (data: Data) => CALL_FAILURES[text(data.reason)] ?? `responded ${text(data.status)}`;

/** Provider calls, the cache, and a person's changes. */
export const DATA_WORDS: Words = {
  "upstream.answered": (data) => ({
    title: `${text(data.provider)} returned ${rows(data, "row")}${onChain(data)}`,
    tone: "good",
    detail: text(data.path),
  }),
  "upstream.empty": (data) => ({
    title: `${text(data.provider)} returned nothing${onChain(data)}`,
    detail: text(data.path),
  }),
  "upstream.failed": (data) => ({
    title: `${text(data.provider)} ${failure(data)}${onChain(data)}`,
    tone: "bad",
    detail: text(data.path),
  }),
  "cache.stored": (data) => ({ title: `Response cached, ${rows(data, "row")}`, detail: text(data.key) }),
  "cache.served_stale": named("Expired response served: no provider responded", "bad", "key"),
  "cache.purged": (data) => ({
    title: `${count(Number(data.purged ?? 0), "cached response")} removed`,
    detail: text(data.key ?? data.address),
  }),
  "provider.changed": ({ status, latency, times, rate, ...data }) => ({
    title: `Provider ${text(data.provider)} is ${text(data.state)}`,
    tone: data.state === "up" ? "good" : "bad",
    detail: listed(
      status === undefined ? "" : `responds ${text(status)}`,
      latency === undefined ? "" : `takes ${formatDuration(Number(latency))}`,
      times === undefined ? "" : count(Number(times), "time"),
      rate === undefined ? "" : `${Math.round(Number(rate) * 100)}% of the calls`,
    ),
  }),
  "holdings.set": (data) => ({
    title: `Holdings of ${address(data)} set to ${rows(data, "token")}${onChain(data)}`,
  }),
  "holdings.cleared": (data) => ({ title: `Holdings of ${address(data)} cleared` }),
};
