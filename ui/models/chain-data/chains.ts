import known from "../../../fixtures/chain-data/chains.json";

const NAMES = new Map(known.map(({ id, name }) => [id, name]));

/** `Base`, or `Chain 4242` for one that has no name here. */
export const chainName = (id: number): string => NAMES.get(id) ?? `Chain ${id}`;

/** The chains that the providers know, in their order. */
export function chainsOf(providers: readonly { chain_id: number | null }[]): number[] {
  return [...new Set(providers.flatMap(({ chain_id: id }) => id ?? []))];
}
