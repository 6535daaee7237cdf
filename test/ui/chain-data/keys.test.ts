import { expect, test } from "vitest";
import { isHoldings, isLookup, readKey } from "../../../ui/models/chain-data/keys.ts";

test("a key says what the answer is an answer to", () => {
  expect(readKey("lookup?symbol=us%2Cdc,weth&chain_id=1,8453")).toEqual({
    route: "lookup",
    symbols: ["us,dc", "weth"],
    address: "",
    chains: [1, 8453],
    type: "",
  });
  expect(readKey("holdings?address=0xaa&chain_id=10&type=ERC-721")).toMatchObject({
    route: "holdings",
    address: "0xaa",
    chains: [10],
    type: "ERC-721",
  });
});

test("what cannot be read is left as it is", () => {
  expect(readKey("lookup?symbol=100%&chain_id=1").symbols).toEqual(["100%"]);
  expect(readKey("").chains).toEqual([]);
});

test("a lookup is known by its symbols and chains, in any order and case", () => {
  const key = "lookup?symbol=usdc,weth&chain_id=1,8453";
  expect(isLookup(key, ["WETH", "USDC", "usdc"], [8453, 1])).toBe(true);
  expect(isLookup(key, ["USDC"], [1, 8453])).toBe(false);
  expect(isLookup(key, ["USDC", "WETH"], [1])).toBe(false);
});

test("a listing is known by its address, type and chains", () => {
  const key = "holdings?address=0xab&chain_id=1,10&type=ERC-20";
  expect(isHoldings(key, "0xAB", { type: "ERC-20", chains: [10, 1] })).toBe(true);
  expect(isHoldings(key, "0xAB", { type: "", chains: [10, 1] })).toBe(false);
  expect(isHoldings(key, "0xAB", { type: "ERC-20", chains: [10] })).toBe(false);
});
