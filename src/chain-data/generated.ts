import tokens from "../../fixtures/chain-data/tokens.json" with { type: "json" };
import type { Random } from "../world/random.ts";
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
    const [{ address: token, name, symbol, decimals }] = candidates.splice(draw % candidates.length, 1) as [
      (typeof tokens)[number],
    ];
    return {
      value: String(1 + (draw % 9_999)) + "0".repeat(Math.max(0, decimals - 2)),
      token_id: null,
      token: {
        name,
        decimals: String(decimals),
        symbol,
        address: token,
        type: "ERC-20",
        holders: null,
        exchange_rate: null,
        total_supply: null,
      },
      token_instance: null,
    };
  });
}
