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
export function createDataApi({ json }: Transport) {
  const list = async <Item>(path: string): Promise<Item[]> =>
    (await json<{ data: Item[] }>("GET", `_sandbox/data/${path}`)).body.data;
  const named = (name: string, values: readonly (string | number)[]) =>
    values.map((value): [string, string] => [name, String(value)]);

  return {
    async lookup(symbols: string[], chains: number[], quiet = false): Promise<LookupResult> {
      const { headers, body } = await json<{ data: Token[] }>("GET", "data/insights/v1/tokens/lookup", {
        query: [...named("symbol", symbols), ...named("chain_id", chains)],
        quiet,
      });
      return { tokens: body.data, source: readSource(headers) };
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
      const { headers, body } = await json<Answer>(
        "GET",
        `data/explorer/addresses/${encodeURIComponent(address)}/tokens`,
        { query: [["type", type], ...named("chain_id", chains), ...cursor], quiet },
      );
      return { items: body.items, next: body.next_page_params, source: readSource(headers) };
    },

    addresses: () => list<KnownAddress>("addresses"),
    cache: () => list<CacheEntry>("cache"),
    providers: () => list<Provider>("providers"),

    setProvider: async (name: string, change: ProviderChange): Promise<Provider> =>
      (await json<Provider>("PUT", `_sandbox/data/providers/${encodeURIComponent(name)}`, { body: change }))
        .body,

    /** Sets what an address holds on a chain, in place of what is recorded there. */
    setHoldings: async (address: string, chain: number, tokens: HoldingInput[]): Promise<KnownAddress> =>
      (await json<KnownAddress>("PUT", addressPath(address), { body: { chain_id: chain, tokens } })).body,

    /** Back to recorded holdings of an address, on every chain. */
    clearHoldings: async (address: string): Promise<boolean> =>
      (await json<{ cleared: boolean }>("DELETE", addressPath(address))).body.cleared,

    /** Forgets one answer, or all; tells how many that were. */
    purge: async (key?: string): Promise<number> =>
      (await json<{ purged: number }>("DELETE", "_sandbox/data/cache", { query: { key } })).body.purged,

    /** What the journal has about asking providers, oldest first. */
    async pathEntries(): Promise<JournalEntry[]> {
      const { body } = await json<{ data: JournalEntry[] }>("GET", "_sandbox/events", {
        query: { types: PATH_TYPES, order: "desc", limit: PATH_LIMIT },
      });
      return body.data.reverse();
    },
  };
}
