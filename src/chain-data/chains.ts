import chains from "../../fixtures/chain-data/chains.json" with { type: "json" };

/** The chains included in the package, in a listing's fallback order. */
export const KNOWN_CHAINS: readonly number[] = chains.map(({ id }) => id);
