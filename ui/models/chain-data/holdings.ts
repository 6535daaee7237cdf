import { createReading } from "../reading.ts";
import type { DataApi, Holding, HoldingInput, KnownAddress, NextPage } from "./api.ts";
import type { Source } from "./source.ts";

/** An address with what is known of it, over all chains. */
export interface AddressSummary {
  address: string;
  chains: number[];
  rows: number;
  /** Whether a person set what it holds somewhere. */
  set: boolean;
}

/** The addresses, each once, those that hold most first. */
export function summarize(holdings: readonly KnownAddress[]): AddressSummary[] {
  const found = new Map<string, AddressSummary>();
  for (const { address, chain_id: chain, rows, source } of holdings) {
    const summary = found.get(address) ?? { address, chains: [], rows: 0, set: false };
    found.set(address, {
      address,
      chains: rows > 0 ? [...new Set([...summary.chains, chain])] : summary.chains,
      rows: summary.rows + rows,
      set: summary.set || source === "set",
    });
  }
  return [...found.values()].sort((a, b) => b.rows - a.rows || (a.address < b.address ? -1 : 1));
}

/** Whether a person set what an address holds, on some chain. */
export function isSet(holdings: readonly KnownAddress[], address: string): boolean {
  const wanted = address.toLowerCase();
  return holdings.some((one) => one.address.toLowerCase() === wanted && one.source === "set");
}

export interface HoldingsState {
  items: Holding[];
  /** How many pages were read. */
  pages: number;
  next: NextPage | null;
  /** Where the latest page comes from. */
  source: Source;
}

export type HoldingsModel = ReturnType<typeof createHoldings>;

/** What an address holds, read page after page. */
export function createHoldings(api: DataApi, address: string, filter: { type: string; chains: number[] }) {
  /** What the page that is asked for follows; nothing for the first. */
  let before: HoldingsState | undefined;
  const reading = createReading(async (quiet): Promise<HoldingsState> => {
    const earlier = before;
    const { items, next, source } = await api.holdings(address, filter, earlier?.next ?? null, quiet);
    const all = (earlier?.items ?? []).concat(items);
    return { items: all, pages: (earlier?.pages ?? 0) + 1, next, source };
  });

  function read(after: HoldingsState | undefined, quiet = false): Promise<void> {
    before = after;
    return reading.read(quiet);
  }
  void read(undefined);

  return {
    state: reading.value,
    error: reading.error,
    /** From the first page again. @param quiet whether the page asks by itself */
    again: (quiet = false) => read(undefined, quiet),
    more: async (): Promise<void> => {
      const shown = reading.value.peek();
      if (shown?.next) await read(shown);
    },
  };
}

/** What a person begins with: a coin, and a unique token. */
export const EXAMPLE_TOKENS = JSON.stringify(
  [
    {
      value: "2500000",
      token: {
        address: "0x833589fcd6edb6e08f4c7c32d4f71b54bda02913",
        name: "USD Coin",
        symbol: "USDC",
        decimals: "6",
      },
    },
    {
      token_id: "7",
      token: { address: `0x${"1".repeat(40)}`, name: "Lantern", type: "ERC-721" },
    },
  ],
  null,
  2,
);

/** Tokens as a person writes them in JSON; whether each is one is for the server to say. */
export function readTokens(text: string): { tokens: HoldingInput[] } | { problem: string } {
  if (text.trim() === "") return { tokens: [] };
  try {
    const read: unknown = JSON.parse(text);
    return Array.isArray(read) ? { tokens: read as HoldingInput[] } : { problem: "A list: [ … ]." };
  } catch (error) {
    return { problem: `This is not JSON: ${(error as Error).message}` };
  }
}
