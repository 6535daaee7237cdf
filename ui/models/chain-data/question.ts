import { split } from "./source.ts";

/** The most symbols that a lookup takes. */
const MOST_SYMBOLS = 10;

/** Symbols as a person writes them: with commas, spaces, lines between them. */
export function readSymbols(text: string): { symbols: string[] } | { problem: string } {
  const symbols = [...new Set(text.split(/[\s,;]+/).filter((part) => part !== ""))];
  if (symbols.length === 0) return { problem: "Name a symbol, for example USDC." };
  if (symbols.length > MOST_SYMBOLS)
    return { problem: `At most ${MOST_SYMBOLS} symbols at a time, not ${symbols.length}.` };
  return { symbols };
}

/** Chains in an address of this page: `1,8453`. */
export function readChains(text: string): number[] {
  return split(text)
    .map(Number)
    .filter((chain) => Number.isSafeInteger(chain) && chain > 0);
}

/** @returns what is wrong with an address, if anything is */
export function addressProblem(text: string): string | undefined {
  if (/^0x[0-9a-f]{40}$/i.test(text)) return undefined;
  return "An address is 0x and 40 hexadecimal digits.";
}

export { chainName } from "../../../src/story/entries/chain-data.ts";

/** The chains that the providers know, in their order. */
export function chainsOf(providers: readonly { chain_id: number | null }[]): number[] {
  return [...new Set(providers.flatMap(({ chain_id: id }) => id ?? []))];
}
