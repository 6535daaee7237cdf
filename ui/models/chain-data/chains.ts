export { chainName } from "../../../src/story/entries/chain-data.ts";

/** The chains that the providers know, in their order. */
export function chainsOf(providers: readonly { chain_id: number | null }[]): number[] {
  return [...new Set(providers.flatMap(({ chain_id: id }) => id ?? []))];
}
