import { describe, expect, test } from "vitest";
import { amountText, change, dollars, worth } from "../../../ui/models/chain-data/amounts.ts";
import { summarize } from "../../../ui/models/chain-data/holdings.ts";
import { addressProblem, readChains, readSymbols } from "../../../ui/models/chain-data/keys.ts";
import { changeBackTo, readOutage } from "../../../ui/models/chain-data/outage.ts";
import { readSource, sourceWords } from "../../../ui/models/chain-data/source.ts";

describe("amounts", () => {
  test.each([
    ["2500000", "6", "2.5"],
    ["1", "18", "< 0.000001"],
    ["0", "18", "0"],
    ["60", null, "60"],
    ["1000000000000000000000000000", "9", "1,000,000,000,000,000,000"],
    ["7", "not a number", "7"],
    ["-1", "6", "-1"],
    ["5", "99999999999", "5"],
  ])("%s with %s decimals is %s", (value, decimals, text) => {
    expect(amountText(value, decimals)).toBe(text);
  });

  test("dollars are as exact as they have to be", () => {
    expect([0, 1e-9, 0.0123456, 3200, 1e20, null].map(dollars)).toEqual([
      "$0",
      "< $0.000001",
      "$0.01235",
      "$3,200.00",
      "$1.00e+20",
      "",
    ]);
    expect(worth("2500000", "6", "2")).toBe("$5.00");
    expect(worth("2500000", "6", null)).toBe("");
    expect([change(1.344), change(-0.0203), change(null)]).toEqual(["+1.34 %", "-0.02 %", ""]);
  });
});

describe("where an answer comes from", () => {
  const source = (headers: Record<string, string>) => readSource(new Headers(headers));

  test("is read from the headers", () => {
    const found = source({
      "x-cache": "HIT",
      age: "90",
      "x-sandbox-provider": "a, b",
      "x-sandbox-chain": "1, 10",
    });
    expect(found).toMatchObject({ state: "HIT", providers: ["a", "b"], chains: [1, 10], age: 90_000 });
    expect(found.headers).toMatchObject({ "X-Cache": "HIT", Age: "90" });
    expect(sourceWords(found)).toBe("From the cache: a and b answered 1 min 30 s ago.");
  });

  test("is told for each state", () => {
    const words = (state: string) =>
      sourceWords(source({ "x-cache": state, "x-sandbox-provider": "indexer" }));
    expect(words("MISS")).toContain("Nothing was cached");
    expect(words("EXPIRED")).toContain("had expired");
    expect(words("STALE")).toContain("No provider answers");
  });
});

describe("what a person writes", () => {
  test("symbols, however they are parted", () => {
    expect(readSymbols(" USDC,WETH\nUSDC ")).toEqual({ symbols: ["USDC", "WETH"] });
    expect(readSymbols("  ")).toHaveProperty("problem");
    expect(readSymbols(Array.from({ length: 11 }, (_, at) => `S${at}`).join(" "))).toHaveProperty("problem");
  });

  test("chains and addresses", () => {
    expect(readChains("1, 8453,x,-2")).toEqual([1, 8453]);
    expect(addressProblem(`0x${"aB".repeat(20)}`)).toBeUndefined();
    expect(addressProblem("0xaa")).toBeDefined();
  });

  test("the detail of a state", () => {
    const draft = (detail: string) => ({ detail, often: "always", times: "2", rate: "50" }) as const;
    expect(readOutage("error", draft("502"))).toEqual({ state: "error", status: 502 });
    expect(readOutage("slow", draft("3"))).toEqual({ state: "slow", latency: "3s" });
    expect(readOutage("slow", draft("800ms"))).toEqual({ state: "slow", latency: "800ms" });
  });
});

test("a provider's change is taken back to what it was", () => {
  const provider = (state: string, more: object = {}) =>
    ({ state, status: null, latency: null, ...more }) as never;
  expect(changeBackTo(provider("up"))).toEqual({ state: "up" });
  expect(changeBackTo(provider("error", { status: 502 }))).toEqual({ state: "error", status: 502 });
  expect(changeBackTo(provider("slow", { latency: 800 }))).toEqual({ state: "slow", latency: 800 });
});

test("an address is listed once, with what it holds on all chains", () => {
  const row = (address: string, chain_id: number, rows: number, source: "recording" | "set") => ({
    address,
    chain_id,
    rows,
    source,
    set_at: null,
  });
  expect(
    summarize([row("0xa", 1, 2, "recording"), row("0xb", 1, 9, "recording"), row("0xa", 10, 3, "set")]),
  ).toEqual([
    { address: "0xb", chains: [1], rows: 9, set: false },
    { address: "0xa", chains: [1, 10], rows: 5, set: true },
  ]);
});
