import tokens from "../../fixtures/chain-data/tokens.json" with { type: "json" };
import type { Random } from "../world/random.ts";
import { readHolding } from "./holdings-input.ts";
import type { AddressToken } from "./schemas.ts";

const FEWEST = 2;
const MOST = 12;

/** Generates an address's coins on a chain, determined by the world's seed and the address. */
export function generateHoldings(random: Random, address: string, chain: number): AddressToken[] {
  const bytes = random.fixed(`holdings:${chain}:${address}`);
  const candidates = tokens.filter(({ chain_id }) => chain_id === chain);
  const size = Math.min(candidates.length, FEWEST + (bytes[0]! % (MOST - FEWEST + 1)));
  return Array.from({ length: size }, (_, index) => {
    const draw = bytes.readUInt16BE(1 + 2 * index);
    const [{ chain_id: _chain, decimals, ...coin }] = candidates.splice(draw % candidates.length, 1) as [
      (typeof tokens)[number],
    ];
    const value = String(1 + (draw % 9_999)) + "0".repeat(Math.max(0, decimals - 2));
    return readHolding(address, { value, token: { ...coin, decimals: String(decimals) } }, "");
  });
}
