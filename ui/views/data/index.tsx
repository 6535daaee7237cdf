import { useEffect, useMemo } from "preact/hooks";
import { useApp } from "../../components/context.ts";
import { createDataApi } from "../../models/chain-data/api.ts";
import { createReading } from "../../models/reading.ts";
import { ofTypes, refreshOn } from "../../models/refresh.ts";
import { href } from "../../models/router.ts";
import { createSend } from "../../models/send.ts";
import type { ViewProps } from "../registry.ts";
import { CacheTab } from "./cache.tsx";
import { DataProvider } from "./context.ts";
import { HoldingsTab } from "./holdings.tsx";
import { LookupTab } from "./lookup.tsx";
import { ProvidersTab } from "./providers.tsx";
import "./data.css";

const TABS = [
  ["lookup", "Look up"],
  ["holdings", "Holdings"],
  ["cache", "Cache"],
  ["providers", "Providers"],
] as const;

/** Chain data: ask, see where the answer comes from, and take providers down. */
export default function ChainData({ parts: [tab = "lookup", id], query }: ViewProps) {
  const { api: control, live } = useApp();
  const data = useMemo(() => {
    const api = createDataApi(createSend(control.base));
    return { api, providers: createReading(api.providers), entries: createReading(api.pathEntries) };
  }, [control]);
  useEffect(() => {
    void data.providers.read();
    void data.entries.read();
    const stops = [
      refreshOn(live, ofTypes("provider.changed", "upstream.*"), data.providers.read),
      refreshOn(live, ofTypes("upstream.*", "cache.*"), data.entries.read),
    ];
    return () => {
      for (const stop of stops) stop();
    };
  }, [data]);
  const troubled = (data.providers.value.value ?? []).filter(({ state }) => state !== "up").length;
  return (
    <DataProvider value={data}>
      <div class="view tabbed">
        <header class="view-head">
          <div>
            <h1>Chain data</h1>
            <p class="note">
              A cache in front of providers: an explorer for each chain, an indexer of all. Their answers are
              recorded; cache, fallback and outages are real.
            </p>
          </div>
          <a href="data/reference">Reference</a>
        </header>
        <nav class="tabs data-tabs" aria-label="Chain data">
          {TABS.map(([name, title]) => (
            <a key={name} href={href(["data", name])} aria-current={tab === name ? "page" : undefined}>
              {title}{" "}
              {name === "providers" && troubled > 0 && (
                <span class="badge">
                  {troubled}
                  <span class="vh"> not up</span>
                </span>
              )}
            </a>
          ))}
        </nav>
        {tab === "holdings" ? (
          <HoldingsTab address={id} query={query} />
        ) : tab === "cache" ? (
          <CacheTab open={id} />
        ) : tab === "providers" ? (
          <ProvidersTab />
        ) : (
          <LookupTab query={query} />
        )}
      </div>
    </DataProvider>
  );
}
