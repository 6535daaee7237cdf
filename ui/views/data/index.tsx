import { useMemo } from "preact/hooks";
import { useApp, useLiveReading } from "../../components/context.ts";
import { ViewHead } from "../../components/parts.tsx";
import { Tabs } from "../../components/tabs.tsx";
import { createDataApi } from "../../models/chain-data/api.ts";
import { ofTypes } from "../../models/refresh.ts";
import { href } from "../../models/router.ts";
import type { ViewProps } from "../registry.ts";
import { AddressPage } from "./address.tsx";
import { CacheTab } from "./cache.tsx";
import { DataProvider } from "./context.ts";
import { PickAddress } from "./holdings.tsx";
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
  const { api: control } = useApp();
  const api = useMemo(() => createDataApi(control.transport), [control]);
  const providers = useLiveReading(ofTypes("provider.changed", "upstream.*"), api.providers, [api]);
  const entries = useLiveReading(ofTypes("upstream.*", "cache.*"), api.pathEntries, [api]);
  const troubled = (providers.value.value ?? []).filter(({ state }) => state !== "up").length;
  return (
    <DataProvider value={{ api, providers, entries }}>
      <div class="view tabbed">
        <ViewHead
          title="Chain data"
          note="A cache in front of providers: an explorer for each chain, and one indexer for all. Their answers are recorded; cache, fallback and outages are real."
        >
          <a href="data/reference">Reference</a>
        </ViewHead>
        <Tabs
          label="Chain data"
          current={tab}
          tabs={TABS}
          hrefOf={(name) => href(["data", name])}
          extra={(name) =>
            name === "providers" &&
            troubled > 0 && (
              <>
                {" "}
                <span class="badge">
                  {troubled}
                  <span class="vh"> not up</span>
                </span>
              </>
            )
          }
        />
        {tab === "holdings" && id ? (
          <AddressPage address={id} query={query} />
        ) : tab === "holdings" ? (
          <PickAddress />
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
