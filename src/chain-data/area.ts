import type { Area } from "../http/area.ts";
import { refusalText } from "../http/refusals.ts";
import { HINT_DESCRIPTION } from "../http/unknown-input.ts";
import { errorHeaders } from "./cache-headers.ts";
import type { ChainData } from "./chain-data.ts";
import type { ChainDataContext, ChainDataSettings } from "./context.ts";
import { DATA } from "./name.ts";

/**
 * The chain-data area's tables. Times are virtual milliseconds since the epoch. A cached answer is stored as serialized
 * strings: a listing as pages keyed by their first row, and a lookup as tokens keyed by their symbol's position.
 */
const DATA_TABLES = [
  `create table data_cache (
    id integer primary key, key text not null unique, address text, providers text not null, chains text not null,
    rows integer not null, found text not null, stored_at integer instant not null, expires_at integer instant not null
  );
  create index data_cache_address on data_cache (address) where address is not null;
  create table data_tokens (
    chain_id integer not null, token_address text not null, token text not null, primary key (chain_id, token_address)
  ) without rowid;
  create table data_holdings (
    address text not null, chain_id integer not null, items text not null, set_at integer instant not null,
    primary key (address, chain_id)
  );`,
];

/** The journal entries that chain data writes. */
export const DATA_ENTRIES = [
  "upstream.answered",
  "upstream.empty",
  "upstream.failed",
  "cache.stored",
  "cache.served_stale",
  "cache.purged",
  "provider.changed",
  "holdings.set",
  "holdings.cleared",
] as const;

type Context = Omit<ChainDataContext, "settings"> & { settings: { chainData: ChainDataSettings } };

export const chainDataArea: Area<ChainData, Context> = {
  name: DATA,
  tables: DATA_TABLES,
  timerKinds: [],
  rowRules: {
    json: { "data_cache.found": "array", "data_holdings.items": "array", "data_tokens.token": "object" },
    references: [],
  },
  entries: DATA_ENTRIES,
  // The area's data is recorded, not seeded.
  seed: () => undefined,
  fixtures: async () => (await import("./fixtures/index.ts")).dataFixtures,
  open: async ({ settings, ...context }) =>
    (await import("./chain-data.ts")).createChainData({ ...context, settings: settings.chainData }),
  routes: async (app, door) => (await import("./index.ts")).dataRoutes(app, door),
  refusals: {
    body: (refusal, path) => ({ [path.endsWith("/lookup") ? "error" : "message"]: refusalText(refusal) }),
    headers: errorHeaders("detail=not-asked"),
    unreadablePath: { hint: "address_hash must match ^0x([A-Fa-f0-9]{40})$." },
  },
  document: {
    title: "Chain data",
    description:
      "Token lookup by symbol and token holdings by address, served by a caching proxy for several providers.",
    answerHeaders: { "X-Sandbox-Hint": `${HINT_DESCRIPTION}.` },
    // The version of the contract, which is independent of Sandglass's version.
    version: "1.0.0",
  },
};
