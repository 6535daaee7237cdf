import { chainName } from "../chain-data/chains.ts";
import { REASONS } from "../chain-data/reasons.ts";
import { clip, count } from "../format.ts";
import { href } from "../router.ts";
import { type Data, text, type Words } from "./words.ts";

const SHORT = 16;
const entry = (key: unknown) => href(["data", "cache", text(key)]);
const at = ({ chain_id: chain }: Data) => (chain === null ? "" : `, ${chainName(Number(chain))}`);
const called = (data: Data) => ({ detail: text(data.path), href: entry(data.request) });

/** How long a provider is slow, and what an error of it answers. */
function stateDetail({ status, latency, times, rate }: Data): string {
  return [
    status === undefined ? "" : `answers ${text(status)}`,
    latency === undefined ? "" : `takes ${Number(latency) / 1_000} s`,
    times === undefined ? "" : count(Number(times), "time"),
    rate === undefined ? "" : `${Math.round(Number(rate) * 100)}% of the calls`,
  ]
    .filter(Boolean)
    .join(", ");
}

/** What was asked of the providers, what was kept of it, and what a person set. */
export const DATA_WORDS: Words = {
  "upstream.answered": (data) => ({
    title: `${text(data.provider)} answered ${count(Number(data.rows), "row")}${at(data)}`,
    tone: "good",
    ...called(data),
  }),
  "upstream.empty": (data) => ({
    title: `${text(data.provider)} has nothing there${at(data)}`,
    ...called(data),
  }),
  "upstream.failed": (data) => ({
    title: `${text(data.provider)} ${REASONS[text(data.reason)] ?? `answered ${text(data.status)}`}${at(data)}`,
    tone: "bad",
    ...called(data),
  }),
  "cache.stored": (data) => ({
    title: `Answer kept, ${count(Number(data.rows), "row")}`,
    detail: text(data.key),
    href: entry(data.key),
  }),
  "cache.served_stale": (data) => ({
    title: "Expired answer served, as no provider answers",
    tone: "bad",
    detail: text(data.key),
    href: entry(data.key),
  }),
  "cache.purged": (data) => ({
    title: `${count(Number(data.purged), "answer")} forgotten`,
    detail: text(data.key ?? data.address),
    href: href(["data", "cache"]),
  }),
  "provider.changed": (data) => ({
    title: `Provider ${text(data.provider)} is ${text(data.state)}`,
    tone: data.state === "up" ? "good" : "bad",
    detail: stateDetail(data),
    href: href(["data", "providers"]),
  }),
  "holdings.set": (data) => ({
    title: `${clip(text(data.address), SHORT)} was set to hold ${count(Number(data.rows), "token")}${at(data)}`,
    href: href(["data", "holdings", text(data.address)]),
  }),
  "holdings.cleared": (data) => ({
    title: `${clip(text(data.address), SHORT)} holds what is recorded again`,
    href: href(["data", "holdings", text(data.address)]),
  }),
};
