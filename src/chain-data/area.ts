import type { Area } from "../http/area.ts";
import { refusalText } from "../http/refusals.ts";
import { errorHeaders } from "./cache-headers.ts";
import { type ChainData, createChainData } from "./chain-data.ts";
import type { ChainDataContext, ChainDataSettings } from "./context.ts";
import { DATA_ENTRIES } from "./entries.ts";
import { DATA } from "./name.ts";
import { DATA_TABLES } from "./tables.ts";

type Context = Omit<ChainDataContext, "settings"> & { settings: { chainData: ChainDataSettings } };

/** Chain data: a cached proxy in front of recorded providers. */
export const chainDataArea: Area<ChainData, Context> = {
  name: DATA,
  tables: DATA_TABLES,
  timerKinds: [],
  rowRules: { json: { "data_holdings.items": "array", "data_tokens.token": "object" }, references: [] },
  entries: DATA_ENTRIES,
  // Its data is recorded, not seeded.
  seed: () => undefined,
  fixtures: async () => (await import("./fixtures/index.ts")).dataFixtures,
  open: ({ settings, ...context }) => createChainData({ ...context, settings: settings.chainData }),
  routes: async (app, door) => (await import("./index.ts")).dataRoutes(app, door),
  refusals: {
    body: (refusal, path) => ({ [path.endsWith("/lookup") ? "error" : "message"]: refusalText(refusal) }),
    headers: errorHeaders("detail=not-asked"),
    unreadablePath: { hint: "address_hash must match ^0x([A-Fa-f0-9]{40})$." },
  },
  document: {
    title: "Chain data",
    description:
      "Fungible tokens by symbol, and what an address holds: a cached proxy in front of several providers.",
    // The contract labels this interface; it does not change with Sandglass's own version.
    version: "1.0.0",
  },
};
