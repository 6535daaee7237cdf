import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { expectMisuse, folderOf, runCli } from "../support/cli.ts";
import { startSandbox } from "../support/sandbox.ts";
import { startUpstream, type UpstreamAnswer } from "../support/upstream.ts";
import { runWarmCli } from "../support/warm-cli.ts";

const ADDRESS = "0x00000000000000000000000000000000000000aA";
const COIN = "0x00000000000000000000000000000000000000c1";
const SECRET = "abc-123-very-secret";

const token = (symbol: string) => ({
  address: COIN,
  name: `${symbol} of somewhere`,
  symbol,
  decimals: "6",
  type: "ERC-20",
  holders: 12,
  exchange_rate: "2.5",
  total_supply: "1000000000",
});
const item = (value: string) => ({ value, token_id: null, token: token("ABC"), token_instance: null });

/** An explorer that returns two pages for one address, and an indexer that knows only one symbol. */
function answer(url: URL): UpstreamAnswer | undefined {
  const { pathname, searchParams } = url;
  const headers = { "set-cookie": `session=${SECRET}`, "x-request-id": "77" };
  if (pathname === `/chain-8453/api/addresses/${ADDRESS.toLowerCase()}/tokens`) {
    const second = searchParams.get("items_count") === "1";
    return {
      headers,
      body: {
        items: [item(second ? "5" : "700")],
        next_page_params: second ? null : { items_count: 1, value: "700", fiat_value: null },
      },
    };
  }
  if (pathname === "/index/v1/tokens/lookup" && searchParams.get("symbol") === "ABC")
    return {
      headers,
      body: {
        data: [{ chain_id: 8453, token_address: COIN, name: `for ${SECRET}`, symbol: "ABC", decimals: 6 }],
      },
    };
  if (pathname.startsWith("/index/v1/")) return { body: { data: [] } };
  return undefined;
}

async function recordFrom(url: string, folder: string, ...more: string[]) {
  const providers = ["--explorer-url", `${url}/chain-{chain}/api`, "--indexer-url", `${url}/index/`];
  const asked = ["--chain", "8453", "--address", ADDRESS, "--symbol", "ABC"];
  const header = ["--header", `Authorization: Bearer ${SECRET}`];
  return runWarmCli(["record", ...providers, ...header, ...asked, ...more], { cwd: folder });
}

test("record saves responses from real providers without secrets, and a sandbox replays them", async () => {
  const upstream = await startUpstream(answer);
  const folder = folderOf();
  const { code, stdout } = await recordFrom(upstream.url, folder, "--out", "kept");
  expect(stdout).toContain("To replay them");
  expect(code).toBe(0);
  expect(new Set(upstream.asked.map(({ headers }) => headers.authorization))).toEqual(
    new Set([`Bearer ${SECRET}`]),
  );

  const kept = join(folder, "kept");
  expect(readdirSync(kept).sort()).toEqual(["explorer-8453.json", "indexer.json"]);
  for (const name of readdirSync(kept)) {
    const text = readFileSync(join(kept, name), "utf8");
    expect(text).not.toContain(SECRET);
    expect(text).not.toContain(upstream.url.slice("http://".length));
    expect(text).not.toMatch(/set-cookie|x-request-id|authorization/i);
  }

  const asked = upstream.asked.length;
  const sandbox = await startSandbox({ chainData: { recordings: [kept], chains: [8453] } });
  const listing = await sandbox.call("GET", `/data/explorer/addresses/${ADDRESS}/tokens`);
  expect(listing.body.items.map(({ value }: { value: string }) => value)).toEqual(["700", "5"]);
  const lookup = await sandbox.call("GET", "/data/insights/v1/tokens/lookup?symbol=abc");
  expect(lookup.body.data).toEqual([
    { chain_id: 8453, token_address: COIN, name: "for [redacted]", symbol: "ABC", decimals: 6 },
  ]);
  expect(upstream.asked).toHaveLength(asked);
});

test("record adds new responses to an existing recording, and replaces repeated ones", async () => {
  const upstream = await startUpstream(answer);
  const folder = folderOf();
  await recordFrom(upstream.url, folder);
  const once = readFileSync(join(folder, "recordings", "indexer.json"), "utf8");
  const { stdout } = await recordFrom(upstream.url, folder, "--symbol", "XYZ", "--json");
  const { files, asked } = JSON.parse(stdout);
  const twice = readFileSync(join(folder, "recordings", "indexer.json"), "utf8");
  expect(twice).toContain(once.split("\n")[1]!.replace(/,$/, ""));
  expect(files).toEqual([
    { path: join("recordings", "explorer-8453.json"), exchanges: 2 },
    { path: join("recordings", "indexer.json"), exchanges: 4 },
  ]);
  expect(asked.every(({ failure }: { failure: string | null }) => failure === null)).toBe(true);
});

test("record reports and skips each failure, and exits 1", async () => {
  const upstream = await startUpstream((url) =>
    url.pathname.endsWith("/tokens/lookup") ? { body: "<html>busy</html>" } : answer(url),
  );
  const folder = folderOf();
  const { code, stdout } = await recordFrom(upstream.url, folder, "--json");
  expect(code).toBe(1);
  const failures = JSON.parse(stdout).asked.filter(({ failure }: { failure: string | null }) => failure);
  expect(failures).toEqual([
    {
      provider: "indexer",
      subject: "ABC",
      rows: 0,
      exchanges: 0,
      failure: expect.stringContaining("is not JSON"),
    },
  ]);
  expect(readFileSync(join(folder, "recordings", "indexer.json"), "utf8")).not.toContain("lookup");
});

test("record skips a 404, and exits 1 and prints the reason if no response was recorded", async () => {
  const [right, wrong] = [await startUpstream(answer), await startUpstream(() => undefined)];
  const folder = folderOf();
  const mixed = await recordFrom(right.url, folder, "--address", ADDRESS.replace("aA", "bB"));
  expect(mixed.code).toBe(0);
  expect(mixed.stderr).toMatch(/^empty +explorer-8453 +0x\w+bb on 8453 +404, so nothing is recorded$/m);
  expect(mixed.stderr).toMatch(/^ok +explorer-8453 +0x\w+aa on 8453 +2 rows$/m);
  const { code, stdout, stderr } = await recordFrom(wrong.url, folder, "--out", "none", "--json");
  expect(code).toBe(1);
  expect(JSON.parse(stdout).files).toEqual([]);
  expect(stderr).toContain("Nothing was recorded: every response was a 404.\n  Check the base URLs");
});

const BASE = ["--data-base-url", "http://127.0.0.1:9/data"];

test.each([
  ["a missing upstream", ["--symbol", "USDC"], /no upstream/],
  ["a command with nothing to record", BASE, /nothing to record/],
  ["an invalid address", [...BASE, "--address", "vitalik.eth"], /--address expects 0x/],
  ["an invalid chain", [...BASE, "--symbol", "USDC", "--chain", "1,base"], /--chain expects chain ids/],
  ["a header without a value", [...BASE, "--symbol", "USDC", "--header", "x-api-key"], /--header expects/],
  [
    "a key in the URL",
    ["--indexer-url", "https://a.example/?key=1", "--symbol", "A"],
    /must not contain a query/,
  ],
  [
    "a password in the URL",
    ["--indexer-url", "https://a:b@a.example", "--symbol", "A"],
    /query or a password/,
  ],
  ["a URL without a scheme", ["--indexer-url", "a.example", "--symbol", "A"], /http or https URL/],
])("record rejects %s", async (_what, args, message) => {
  expectMisuse(await runCli(["record", ...args], { cwd: folderOf() }), message);
});

test("record writes no file if no provider responds", async () => {
  const folder = folderOf();
  const { code, stderr } = await runWarmCli(
    ["record", ...BASE, "--symbol", "USDC", "--chain", "1", "--timeout", "2s"],
    { cwd: folder },
  );
  expect(code).toBe(1);
  expect(stderr).toMatch(/failed +explorer-1 +USDC/);
  expect(readdirSync(folder)).toEqual([]);
});
