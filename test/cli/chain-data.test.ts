import { describe, expect, it } from "vitest";
import { expectMisuse, folderOf, runCli } from "../support/cli.ts";
import { type Json, startSandbox, type TestSandbox } from "../support/sandbox.ts";

const ADDRESS = `0x${"0".repeat(38)}aa`;
const USDC = { address: "0x833589fcd6edb6e08f4c7c32d4f71b54bda02913", symbol: "USDC", decimals: "6" };

/** Runs `sandglass …` against a sandbox. */
const run = (sandbox: { url: string }, args: string[], cwd?: string) =>
  runCli(args, { env: { SANDGLASS_URL: sandbox.url }, ...(cwd !== undefined && { cwd }) });

async function readJson(sandbox: { url: string }, args: string[], cwd?: string): Promise<Json> {
  const { code, stdout, stderr } = await run(sandbox, [...args, "--json"], cwd);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return JSON.parse(stdout);
}

const lookUp = async (sandbox: TestSandbox) =>
  (await sandbox.call("GET", "/data/insights/v1/tokens/lookup?symbol=DAI")).headers.get("x-cache");

describe("sandglass providers", () => {
  it("the providers command lists providers, takes one down and restores it", async () => {
    const sandbox = await startSandbox();
    const { stdout } = await run(sandbox, ["providers"]);
    expect(stdout).toMatch(/^name +state +asked +hit +chain_id +mode +base_url\n/);
    expect(stdout).toMatch(/^explorer-8453 +up +0 +0 +8453 +replay +https/m);
    expect(stdout).toMatch(/^indexer +up +0 +0 +replay +https/m);
    expect((await run(sandbox, ["providers", "explorer-1", "down", "--times", "2"])).stdout).toMatch(
      /^name +explorer-1\nstate +down\ntimes +2\nasked +0\nhit +0\n/,
    );
    expect(await readJson(sandbox, ["providers", "indexer", "error", "--status", "500"])).toMatchObject({
      state: "error",
      status: 500,
    });
    expect((await run(sandbox, ["providers", "indexer"])).stdout).toMatch(/^state +error\nstatus +500$/m);
    expect(await readJson(sandbox, ["providers", "explorer-1"])).toMatchObject({ state: "down", times: 2 });
    expect(await readJson(sandbox, ["providers", "explorer-1", "up"])).toMatchObject({ state: "up" });
  });

  it("the providers command rejects unknown names and states", async () => {
    const sandbox = await startSandbox();
    for (const [args, message, hint] of [
      [["idexer"], /no provider idexer/, "sandglass providers indexer"],
      [["", "down"], /needs a provider: its name/, "npx sandglass providers"],
      [["idexer", "down"], /no provider idexer/, "Providers: explorer-1"],
      [["indexer", "tired"], /state must be one of up, down, slow, error, garbage/, "providers --help"],
      [["indexer", "--status", "500"], /Missing required field: state/, "providers --help"],
      [
        ["indexer", "error", "--status", "200"],
        /--status must be .*from 400 to 599, not 200/,
        "providers --help",
      ],
      [["indexer", "slow", "--latency", "soon"], /"soon" is not a duration/, "30s"],
    ] as const) {
      const refused = await run(sandbox, ["providers", ...args]);
      expectMisuse(refused, message);
      expect(refused.stderr).toContain(hint);
    }
  });
});

describe("sandglass cache", () => {
  it("the cache command lists and clears cached chain data", async () => {
    const sandbox = await startSandbox();
    expect((await run(sandbox, ["cache"])).stdout).toMatch(/^Nothing is cached\./);
    expect([await lookUp(sandbox), await lookUp(sandbox)]).toEqual(["MISS", "HIT"]);
    expect((await run(sandbox, ["cache"])).stdout).toMatch(
      /^lookup\?symbol=dai\S+ +fresh +\d+ +indexer +2026-01-16 09:00:00$/m,
    );
    const [entry] = (await readJson(sandbox, ["cache"])).data;
    expect(await readJson(sandbox, ["cache", "clear", "--address", ADDRESS])).toEqual({ purged: 0 });
    expect((await run(sandbox, ["cache", "clear", "--key", entry.key])).stdout).toBe("purged  1\n");
    expect((await run(sandbox, ["cache", "clear"])).stdout).toBe("purged  0\n");
    expect(await lookUp(sandbox)).toBe("MISS");
    expectMisuse(await run(sandbox, ["cache", "--key", "x"]), /--key can only be used with clear/);
    expectMisuse(await run(sandbox, ["cache", "clean"]), /cache cannot 'clean'/);
    expectMisuse(
      await run(sandbox, ["cache", "clear", "--address", "0x12"]),
      /'0x12' is not a valid address/,
    );
  });
});

describe("sandglass holdings", () => {
  it("the holdings command lists addresses with holdings, and sets and clears those of one address", async () => {
    const sandbox = await startSandbox();
    const folder = folderOf({
      "list.json": JSON.stringify([{ value: "2500000", token: USDC }]),
      "object.json": JSON.stringify({ chain_id: 10, tokens: [] }),
    });
    const recorded = (await run(sandbox, ["holdings", "--chain", "1"])).stdout;
    expect(recorded).toMatch(/^0x\w{40} +1 +\d+ +recording$/m);
    expect(recorded).not.toMatch(/^0x\w{40} +10 /m);
    expect((await run(sandbox, ["holdings", ADDRESS])).stdout).toMatch(
      /No address has holdings\. Set some: /,
    );

    const set = await run(sandbox, ["holdings", ADDRESS, "--set", "list.json", "--chain", "8453"], folder);
    expect(set.stdout).toMatch(/chain_id +8453\nrows +1\nsource +set\nset_at +2026-01-15 09:00:00\n/);
    expect(set.stderr).toBe("API calls read it with ?chain_id=8453.\n");
    const { body } = await sandbox.call("GET", `/data/explorer/addresses/${ADDRESS}/tokens?chain_id=8453`);
    expect(body.items).toMatchObject([{ value: "2500000", token: { symbol: "USDC" } }]);
    expect(await readJson(sandbox, ["holdings", ADDRESS, "--set", "object.json"], folder)).toMatchObject({
      chain_id: 10,
      rows: 0,
    });
    expect(
      (await readJson(sandbox, ["holdings", ADDRESS.toUpperCase().replace("X", "x")])).data,
    ).toHaveLength(2);

    expect((await run(sandbox, ["holdings", ADDRESS, "--clear"])).stdout).toMatch(/cleared +true/);
    expect((await run(sandbox, ["holdings", ADDRESS, "--clear"])).stdout).toMatch(/cleared +false/);
  });

  it("the holdings command rejects invalid flags and files", async () => {
    const sandbox = await startSandbox();
    const folder = folderOf({ "not.json": "{", "other.json": '{"a": 1}', "token.json": '[{"token": {}}]' });
    for (const [args, message] of [
      [["--clear"], /need an address/],
      [["", "--clear"], /needs an address/],
      [[ADDRESS, "--set", "none.json"], /Cannot read none\.json: no such file or directory\./],
      [[ADDRESS, "--set", "not.json"], /not\.json is not JSON/],
      [[ADDRESS, "--set", "other.json"], /neither a list of tokens nor an object with tokens/],
      [[ADDRESS, "--set", "token.json"], /tokens\[0\]\.token\.address/],
      [[ADDRESS, "--set", "token.json", "--clear"], /either --set or --clear/],
      [[ADDRESS, "--clear", "--chain", "1"], /--clear cannot be combined with --chain/],
      [[ADDRESS, "--chain", "base"], /--chain must be a whole number/],
      [["0x12"], /'0x12' is not a valid address/],
      [["me.eth", "--clear"], /'me\.eth' is not a valid address/],
    ] as const)
      expectMisuse(await run(sandbox, ["holdings", ...args], folder), message);
  });
});
