import { split } from "./source.ts";

/** What a cached answer is an answer to. */
export interface Asked {
  route: "lookup" | "holdings";
  symbols: string[];
  address: string;
  chains: number[];
  type: string;
}

/** Reads a key of the cache: `lookup?symbol=usdc&chain_id=1,8453`. */
export function readKey(key: string): Asked {
  const [route, query = ""] = key.split(/\?(.*)/s);
  const values = new Map(query.split("&").map((part) => part.split(/=(.*)/s) as [string, string]));
  return {
    route: route === "holdings" ? "holdings" : "lookup",
    symbols: split(values.get("symbol") ?? "").map(decode),
    address: values.get("address") ?? "",
    chains: split(values.get("chain_id") ?? "").map(Number),
    type: values.get("type") ?? "",
  };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const sameAs = (a: readonly unknown[], b: readonly unknown[]) =>
  a.length === b.length && [...a].sort().every((value, index) => value === [...b].sort()[index]);

/**
 * Whether a key is that of a lookup. Symbols are compared without regard to case, as the server may fold them.
 * @param chains those that were named, or all that are configured
 */
export function isLookup(key: string, symbols: readonly string[], chains: readonly number[]): boolean {
  const asked = readKey(key);
  const folded = [...new Set(symbols.map((symbol) => symbol.toLowerCase()))];
  return (
    asked.route === "lookup" &&
    sameAs([...new Set(asked.symbols.map((symbol) => symbol.toLowerCase()))], folded) &&
    sameAs(asked.chains, chains)
  );
}

export function isHoldings(
  key: string,
  address: string,
  { type, chains }: { type: string; chains: readonly number[] },
): boolean {
  const asked = readKey(key);
  return (
    asked.route === "holdings" &&
    asked.address === address.toLowerCase() &&
    asked.type === type &&
    sameAs(asked.chains, chains)
  );
}

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

export { chainName } from "../../../src/timeline/entries/chain-data.ts";

/** The chains that the providers know, in their order. */
export function chainsOf(providers: readonly { chain_id: number | null }[]): number[] {
  return [...new Set(providers.flatMap(({ chain_id: id }) => id ?? []))];
}
