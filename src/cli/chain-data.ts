import type { ResultOf } from "../client/http.ts";
import { instant } from "../timeline/instant.ts";
import { count } from "../timeline/text.ts";
import { faultText, hitText } from "./fault-text.ts";
import { findNamed } from "./find-named.ts";
import { type Cell, columns, paint } from "./output.ts";
import { view, viewsOf } from "./view.ts";

type Provider = ResultOf<"data.providers">["data"][number];

/** How the commands about providers and the cache print. */
export const views = viewsOf(
  view("data.providers", {
    pick: ({ data }, { given: { name } }) =>
      name === undefined ? { data } : findNamed(data, name, "name", "provider", "providers"),
    lines: (shown) => columns(("data" in shown ? shown.data : [shown]).map(providerCells)),
  }),
  view("data.setProvider", { lines: (changed) => columns([providerCells(changed)]) }),

  view("data.cache", {
    lines: ({ data }) =>
      data.length === 0
        ? ["Nothing is cached. The first call for each answer fills the cache."]
        : columns(
            data.map(({ key, state, rows, providers, expires_at: at }): Cell[] => [
              key,
              { text: state, color: state === "fresh" ? paint.green : paint.yellow },
              count(rows, "row"),
              providers,
              { text: `${state === "fresh" ? "expires" : "expired"} ${instant(at)}`, color: paint.dim },
            ]),
          ),
  }),
  view("data.purge", {
    lines: ({ purged }) => [
      purged === 0 ? "There was nothing to clear." : `Cleared ${count(purged, "cached answer")}.`,
    ],
  }),
);

function providerCells(provider: Provider): Cell[] {
  const { name, state, status, latency, times, rate, chain_id: chain, base_url: url, mode } = provider;
  const isUp = state === "up";
  const set = Object.entries({ state, status, latency, times, rate }).filter(([, value]) => value !== null);
  return [
    { text: name, color: paint.bold },
    { text: isUp ? "up" : faultText(Object.fromEntries(set)), color: isUp ? paint.green : paint.red },
    isUp ? "" : hitText(provider),
    chain === null ? "all chains" : `chain ${chain}`,
    mode === "replay" ? "recordings" : { text: url, color: paint.cyan },
  ];
}
