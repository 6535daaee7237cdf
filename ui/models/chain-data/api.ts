import type { Static } from "typebox";
import type { AddressToken, NextPageParams, TokenLookup } from "../../../src/chain-data/schemas.ts";
import type {
  CacheEntry as CacheEntrySchema,
  KnownAddress as KnownAddressSchema,
  ProviderChangeBody,
  Provider as ProviderSchema,
  SetHoldings,
} from "../../../src/operations/schemas/chain-data.ts";
import type { Transport } from "../../api.ts";
import type { JournalEntry } from "../../api-types.ts";
import { readSource, type Source } from "./source.ts";

export type CacheEntry = Static<typeof CacheEntrySchema>;
export type Provider = Static<typeof ProviderSchema>;
export type ProviderChange = Static<typeof ProviderChangeBody>;
export type KnownAddress = Static<typeof KnownAddressSchema>;
export type HoldingInput = Static<typeof SetHoldings>["tokens"][number];
export type NextPage = Static<typeof NextPageParams>;
export type Token = TokenLookup;
export type Holding = AddressToken;

export interface HoldingsPage {
  items: Holding[];
  next: NextPage | null;
  source: Source;
}

export interface LookupResult {
  tokens: Token[];
  source: Source;
}

/** Entries that tell how an answer came about. */
const PATH_TYPES = "upstream.*,cache.stored,cache.served_stale";
const PATH_LIMIT = 2_000;

const addressPath = (address: string) => `_sandbox/data/addresses/${encodeURIComponent(address)}`;

export type DataApi = ReturnType<typeof createDataApi>;

/** The area's own calls, as a client makes them, and those that control it. */
export function createDataApi({ json, body, data }: Transport) {
  const named = (name: string, values: readonly (string | number)[]) =>
    values.map((value): [string, string] => [name, String(value)]);

  return {
    async lookup(symbols: string[], chains: number[], quiet = false): Promise<LookupResult> {
      const { headers, body: found } = await json<{ data: Token[] }>(
        "GET",
        "data/insights/v1/tokens/lookup",
        {
          query: [...named("symbol", symbols), ...named("chain_id", chains)],
          quiet,
        },
      );
      return { tokens: found.data, source: readSource(headers) };
    },

    async holdings(
      address: string,
      { type, chains }: { type: string; chains: number[] },
      after: NextPage | null,
      quiet = false,
    ): Promise<HoldingsPage> {
      type Answer = { items: Holding[]; next_page_params: NextPage | null };
      const cursor = Object.entries(after ?? {}).map(([name, value]): [string, string] => [
        name,
        String(value ?? ""),
      ]);
      const { headers, body: found } = await json<Answer>(
        "GET",
        `data/explorer/addresses/${encodeURIComponent(address)}/tokens`,
        { query: [["type", type], ...named("chain_id", chains), ...cursor], quiet },
      );
      return { items: found.items, next: found.next_page_params, source: readSource(headers) };
    },

    addresses: () => data<KnownAddress>("data/addresses"),
    cache: () => data<CacheEntry>("data/cache"),
    providers: () => data<Provider>("data/providers"),

    setProvider: (name: string, change: ProviderChange) =>
      body<Provider>("PUT", `_sandbox/data/providers/${encodeURIComponent(name)}`, { body: change }),

    /** Sets what an address holds on a chain, in place of what is recorded there. */
    setHoldings: (address: string, chain: number, tokens: HoldingInput[]) =>
      body<KnownAddress>("PUT", addressPath(address), { body: { chain_id: chain, tokens } }),

    /** Back to recorded holdings of an address, on every chain. */
    clearHoldings: async (address: string): Promise<boolean> =>
      (await body<{ cleared: boolean }>("DELETE", addressPath(address))).cleared,

    /** Forgets one answer, or all; tells how many that were. */
    purge: async (key?: string): Promise<number> =>
      (await body<{ purged: number }>("DELETE", "_sandbox/data/cache", { query: { key } })).purged,

    /** What the journal has about asking providers, oldest first. */
    pathEntries: async () => {
      const query = { types: PATH_TYPES, order: "desc", limit: PATH_LIMIT };
      return (await data<JournalEntry>("events", query)).reverse();
    },
  };
}
