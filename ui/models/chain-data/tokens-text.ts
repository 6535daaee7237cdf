import type { HoldingInput } from "./api.ts";

/** What a person begins with: a coin, and a unique token. */
export const EXAMPLE_TOKENS = JSON.stringify(
  [
    {
      value: "2500000",
      token: {
        address: "0x833589fcd6edb6e08f4c7c32d4f71b54bda02913",
        name: "USD Coin",
        symbol: "USDC",
        decimals: "6",
      },
    },
    {
      token_id: "7",
      token: { address: `0x${"1".repeat(40)}`, name: "Lantern", type: "ERC-721" },
    },
  ],
  null,
  2,
);

/** Tokens as a person writes them in JSON; whether each is one is for the server to say. */
export function readTokens(text: string): { tokens: HoldingInput[] } | { problem: string } {
  if (text.trim() === "") return { tokens: [] };
  try {
    const read: unknown = JSON.parse(text);
    return Array.isArray(read) ? { tokens: read as HoldingInput[] } : { problem: "A list: [ … ]." };
  } catch (error) {
    return { problem: `This is not JSON: ${(error as Error).message}` };
  }
}
