import chains from "../../fixtures/chain-data/chains.json" with { type: "json" };

/** The chains that come with the package, in the order in which a listing falls back from one to the next. */
export const KNOWN_CHAINS: readonly number[] = chains.map(({ id }) => id);
