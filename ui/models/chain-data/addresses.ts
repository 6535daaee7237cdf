import type { KnownAddress } from "./api.ts";

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
