import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, expect } from "vitest";
import type { SandglassConfig } from "../../src/library/config.ts";
import type { Answer, clientOf, Json } from "./sandbox.ts";
import { sharedSandbox } from "./shared.ts";

/** Addresses from fixtures/chain-data/addresses.json. */
export const COLLECTOR = "0xcb110a2b20b969f9870b5373faeb05ce2ee0a225";
export const WHALE = "0xe88b6579c49f485945380912e121844206965e94";
export const BASE_ONLY = "0x7d31a6feb852a67b85aee376c69d38d9414a3f5f";
export const LATE_CHAIN = "0x906ce882ce6b6bcec30638775677d98127a91ffd";
export const SPLIT = "0xca3352c34ffbe72cac2ecbb47c8c3c0ec218e95e";
export const ONE_TOKEN = "0x63a859a238cd54aee6e23874e2627a04402ecae4";
export const HUNDRED = "0xbac2e1667fdcd0c1c85a7eb6db74b26da0d19aa7";
export const TWINS = "0x535916f3d83b14fbf43e454e70f1aeca98a55538";
export const NOBODY = "0x5ea5c0ea1631f2c00146a2ce3b167c7a589f84de";
/** An address that is not in any recording. */
export const STRANGER = "0x1111111111111111111111111111111111111111";

export const CHAINS = [1, 8453, 10, 42161, 137, 56, 43114, 100, 42220, 59144, 130, 34443];

/** Calls to the chain-data area of a sandbox. */
export function dataOf(sandbox: ReturnType<typeof clientOf>) {
  const lookup = (query: string, headers: Record<string, string> = {}) =>
    sandbox.call("GET", `/data/insights/v1/tokens/lookup${query}`, { headers });
  const holdings = (address: string, query = "", headers: Record<string, string> = {}) =>
    sandbox.call("GET", `/data/explorer/addresses/${address}/tokens${query}`, { headers });

  return {
    lookup,
    holdings,
    /** Returns every page of a listing, by sending back `next_page_params`. */
    async walk(address: string, query = ""): Promise<Answer[]> {
      const pages: Answer[] = [];
      let cursor = "";
      for (;;) {
        const page = await holdings(address, cursor === "" ? query : `${query || "?"}&${cursor}`);
        expect(page.status, page.text).toBe(200);
        pages.push(page);
        const next = page.body.next_page_params;
        if (next === null) return pages;
        cursor = queryOf(next);
      }
    },
    provider: (name: string, change: Record<string, unknown>) =>
      sandbox.control("PUT", `/data/providers/${name}`, change),
    hold: (address: string, tokens: unknown[], chain?: number) =>
      sandbox.control("PUT", `/data/addresses/${address}`, { tokens, ...(chain ? { chain_id: chain } : {}) }),
    /** The calls made to providers so far, such as `indexer answered` or `explorer-1 failed (timeout)`. */
    upstreamCalls: async (): Promise<string[]> =>
      (await sandbox.journal("upstream.*")).map(({ type, data: { provider, reason } }) => {
        const result = type.replace("upstream.", "");
        return `${provider} ${result}${reason === null ? "" : ` (${reason})`}`;
      }),
  };
}

/**
 * A sandbox with chain data that all tests of a file share. Before each test, the world is reset and the clock is
 * paused.
 */
export function sharedData(config: SandglassConfig = {}) {
  const sandbox = sharedSandbox(config, true);
  beforeEach(async () => {
    await sandbox.control("POST", "/clock/pause");
    expect((await sandbox.control("POST", "/reset", {})).status).toBe(200);
  });
  return Object.assign(sandbox, {
    data: new Proxy({} as ReturnType<typeof dataOf>, {
      get: (_target, name) => Reflect.get(dataOf(sandbox), name),
    }),
  });
}

/** Converts the keys of `next_page_params` to query parameters. */
export function queryOf(next: Record<string, unknown>): string {
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(next)) query.append(key, String(value));
  return query.toString();
}

/** The provider or cache that a response came from. */
export function sourceOf({ headers }: Answer) {
  return {
    cache: headers.get("x-cache"),
    status: headers.get("cache-status"),
    age: headers.get("age"),
    provider: headers.get("x-sandbox-provider"),
    chain: headers.get("x-sandbox-chain"),
  };
}

export const rowsOf = (pages: readonly Answer[]): Json[] => pages.flatMap((page) => page.body.items);

/** Creates a file of recordings in its own folder, which is removed after the tests of the file. */
export function recordingsFile(definitions: unknown): string {
  const folder = mkdtempSync(join(tmpdir(), "sandglass-recordings-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, "recorded.json");
  writeFileSync(file, typeof definitions === "string" ? definitions : JSON.stringify(definitions));
  return file;
}

/** A row in the format that an explorer returns. */
export const explorerItem = (more: Record<string, unknown> = {}, token: Record<string, unknown> = {}) => ({
  value: "1000",
  token_id: null,
  token: {
    name: "Coin",
    decimals: "18",
    symbol: "COIN",
    address: "0x00000000000000000000000000000000000000c0",
    type: "ERC-20",
    holders: 3,
    exchange_rate: null,
    total_supply: null,
    ...token,
  },
  token_instance: null,
  ...more,
});

/** A recorded response from a chain's explorer about an address. */
export const explorerRecording = (address: string, response: unknown, status = 200, chain = 1) => ({
  scope: `https://${chain}.explorer.example:443`,
  method: "GET",
  path: `/api/v2/addresses/${address}/tokens`,
  status,
  response,
});
