import { KNOWN_CHAINS } from "../chains.ts";
import type { ChainDataSettings } from "../context.ts";
import { createExplorer, explorerUrl } from "./explorer.ts";
import { createIndexer, INDEXER_URL } from "./indexer.ts";
import type { Provider } from "./provider.ts";

/** The providers: an explorer per chain, and one indexer for all chains. */
export interface Providers {
  /** Explorers in chain order, then the indexer. */
  all: readonly Provider[];
  explorer(chain: number): Provider | undefined;
  indexer: Provider | undefined;
  byName(name: string): Provider | undefined;
  /** The providers that cover a chain, in query order. */
  of(chain: number): Provider[];
}

export function createProviders({ chains, upstream }: ChainDataSettings): Providers {
  function explorerAt(chain: number): string | undefined {
    if (!upstream) return explorerUrl(chain);
    const everywhere = upstream.explorer?.includes("{chain}") || chain === chains[0];
    return everywhere ? upstream.explorer?.replaceAll("{chain}", String(chain)) : undefined;
  }
  const explorers = new Map<number, Provider>();
  for (const chain of new Set([...chains, ...KNOWN_CHAINS])) {
    const baseUrl = explorerAt(chain);
    if (baseUrl !== undefined) explorers.set(chain, createExplorer(chain, baseUrl));
  }
  const indexerUrl = upstream ? upstream.indexer : INDEXER_URL;
  const indexer = indexerUrl === undefined ? undefined : createIndexer(indexerUrl);
  const all = [...explorers.values(), ...(indexer ? [indexer] : [])];
  return {
    all,
    indexer,
    explorer: (chain) => explorers.get(chain),
    byName: (name) => all.find((provider) => provider.name === name),
    of: (chain) => [explorers.get(chain), indexer].filter((provider) => provider !== undefined),
  };
}
