import { mkdirSync, symlinkSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { createSandbox } from "../../src/index.ts";
import { serveCli, startCli } from "../support/built.ts";
import { folderOf, readJsonAt, runAt, runCli } from "../support/cli.ts";
import { clientOf } from "../support/sandbox.ts";
import { runWarmCli } from "../support/warm-cli.ts";

const TSX = fileURLToPath(new URL("../../node_modules/tsx", import.meta.url));

/** Binds a port for the duration of the test; 0 means any free port. Rejects if the port is taken. */
function hold(port: number): Promise<number> {
  const server = createServer();
  onTestFinished(() => void server.close());
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", () => resolve((server.address() as { port: number }).port));
  });
}

describe("sandglass start", () => {
  it("sandglass start --json prints its status as one line once it is ready, and exits 0 on Ctrl-C", async () => {
    const { cli, status, url } = await serveCli(["--seed", "empty", "--paused"]);
    const {
      counts: _counts,
      last_seq: _seq,
      ...served
    } = (await clientOf(url).control("GET", "/status")).body;
    expect(status).toEqual(served);
    // npm forwards the Ctrl-C that the terminal has already sent, so the two count as one.
    cli.kill("SIGINT");
    cli.kill("SIGINT");
    const { code, stdout, stderr } = await cli.ended;
    expect({ code, stderr, lines: stdout.split("\n").length }).toEqual({ code: 0, stderr: "", lines: 2 });
    expect(await hold(Number(new URL(url).port))).toBeGreaterThan(0);
  });

  it("sandglass start prints plain lines with every address if stdout is not a terminal", async () => {
    const cwd = folderOf({
      "sandbox.config.json": '{"clock": {"rate": 2}, "seed": "empty", "senders": ["stripe"]}',
    });
    const cli = startCli(["--port", "0"], { cwd });
    const [, url] = await cli.saw(/is ready at (http:\S+)\n(?:.*\n)*try: .*\ntry: .*\n/);
    for (const part of [
      `platform   ${url}/platform`,
      `data       ${url}/data`,
      `game       ${url}/game`,
      "clock      scaled, 2 times real time, at 2026-01-15 09:00:",
      "seed       empty",
      "try: npx sandglass webhooks create http://127.0.0.1:3000/webhooks --sender stripe",
      "try: npx sandglass send checkout.session.completed",
      "write key  sk_sandbox_write",
      `${url}/platform/reference`,
      `${url}/data/reference`,
      `${url}/game/reference`,
      `${url}/_sandbox/reference`,
      "config     sandbox.config.json",
    ])
      expect(cli.output.stdout).toContain(part);
    expect(cli.output.stdout).not.toContain("\u001b");
    cli.kill("SIGTERM");
    expect((await cli.ended).code).toBe(0);
  });

  it("sandglass start prints only its senders if the world has no demo shop", async () => {
    const cwd = folderOf({
      "acme.yaml": `name: acme
events: { order.paid: { body: { id: e1, type: order.paid } } }
signature: { header: "X-Sign: {signature}", algorithm: hmac-sha256, over: "{body}" }`,
      "sandbox.config.json": '{"senders": ["stripe"], "subject": {"url": "http://127.0.0.1:3000/hook"}}',
    });
    const cli = startCli(["--port", "0", "--sender", "./acme.yaml"], { cwd });
    const [, url] = await cli.saw(/is ready at (http:\S+)\n(?:.*\n)*try: npx sandglass test\n/);
    for (const part of [
      /^sender +stripe, \d+ events\nsecret .* STRIPE_WEBHOOK_SECRET.*\nits API +http:\S+\/senders\/stripe\n/m,
      /^sender +acme, 1 event\nsecret .* ACME_WEBHOOK_SECRET/m,
      /^try: npx sandglass webhooks create http:\/\/127\.0\.0\.1:3000\/hook --sender stripe/m,
      /^try: npx sandglass send checkout\.session\.completed/m,
    ])
      expect(cli.output.stdout).toMatch(part);
    expect(cli.output.stdout).not.toMatch(/platform|game|seed|write key/);
    const at = { url: url! };
    const { stdout } = await runAt(at, "status");
    expect(stdout).toMatch(/^senders +stripe, acme$/m);
    expect(stdout).not.toMatch(/Coffee|platform|key|player|payment/);
    expect((await readJsonAt(at, "status", "--json")).counts).toEqual({ webhooks: 0, webhook_deliveries: 0 });
    expect((await runAt(at, "pay", "coffee")).stderr).toContain("Start it with --seed sandglass");
    expect((await runAt(at, "send")).stderr).toMatch(/acme has order\.paid/);
    cli.kill("SIGTERM");
    expect((await cli.ended).code).toBe(0);
  });

  it.each([
    [{ senders: ["github"] }, "empty", ["github"]],
    [{ senders: ["github"], seed: "empty" }, "empty", []],
    [{ senders: ["github"], webhooks: { endpoints: [{ url: "http://127.0.0.1:1/" }] } }, "sandglass", []],
    [{}, "sandglass", []],
  ])("a sandbox with the configuration %j starts from the seed %s", async (config, seed, senders) => {
    const sandbox = await createSandbox(config);
    onTestFinished(() => sandbox.close());
    expect((await clientOf(sandbox.url).control("GET", "/status")).body).toMatchObject({ seed, senders });
  });

  it("sandglass start lists the worlds that it could not open, and where their data is", async () => {
    const folder = folderOf({
      "default.db": "no database".repeat(500),
      "branch.db": "no database".repeat(500),
    });
    const { cli, url } = await serveCli(["--data-dir", folder, "--seed", "empty"]);
    await cli.saw(/The world branch could not be opened.*\n.*\n/);
    expect(cli.output.stderr.split("\n")).toEqual([
      expect.stringMatching(
        /^The default world could not be opened, so a new one was started instead\. .*not a database/,
      ),
      `  Its data is stored as ${join(folder, "default.db.set-aside")}. To go back to a snapshot: npx sandglass snapshot restore <name>.`,
      expect.stringMatching(
        /^The world branch could not be opened; the server runs without it\. .*not a database/,
      ),
      `  Its data is stored as ${join(folder, "branch.db.set-aside")}.`,
      "",
    ]);
    expect((await clientOf(url).control("GET", "/worlds")).body.not_opened).toHaveLength(2);
  });

  it("sandglass start reads a TypeScript configuration, and flags override it", async () => {
    const config = `const port: number = 1;
      export default { port, seed: "empty", startAt: "2027-03-01", clock: { mode: "paused" } };`;
    const cwd = folderOf({ "sandbox.config.ts": config });
    const [{ status }, quiet] = await Promise.all([
      serveCli(["--start-at", "2028-01-01T00:00:00Z"], { cwd }),
      (async () => {
        const cli = startCli(["--quiet", "--port", "0"], { cwd });
        await cli.saw(/^http:.*\n$/);
        cli.kill("SIGINT");
        return await cli.ended;
      })(),
    ]);
    expect(status).toMatchObject({
      seed: "empty",
      clock: { mode: "paused", now: "2028-01-01T00:00:00.000Z" },
    });
    expect(quiet).toMatchObject({ code: 0, stdout: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\n$/) });
  });

  it("sandglass start stores its world in --data-dir, and warns about flags that no longer apply", async () => {
    const cwd = folderOf();
    const first = await serveCli(["--seed", "empty", "--data-dir", "kept"], { cwd });
    const link = await clientOf(first.url).createLink();
    first.cli.kill("SIGTERM");
    await first.cli.ended;

    const second = await serveCli(["--seed", "other", "--paused", "--data-dir", "kept"], { cwd });
    expect(second.status).toMatchObject({ seed: "empty", clock: { mode: "paused" } });
    expect(second.cli.output.stderr).toMatch(/--seed has no effect: .*kept.*'empty'/);
    const { status } = await clientOf(second.url).api("GET", `/payment-links/${link.id}`);
    expect(status).toBe(200);
  });

  it("sandglass start suggests a free port if its own is in use", async () => {
    const taken = await hold(0);
    await hold(taken + 1).catch(() => "another program has it, which is as good");
    const { code, stdout, stderr } = await runCli(["--port", String(taken)]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain(`Port ${taken} is taken by another program.`);
    const free = Number(/--port (\d+), which is free/.exec(stderr)?.[1]);
    expect(free).toBeGreaterThan(taken + 1);
    expect(await hold(free)).toBe(free);
  });
});

describe("an invalid configuration", () => {
  it.each([
    [
      "an unknown field",
      "ts",
      "export default { webhooks: { retries: 3 } };",
      /sandbox\.config\.ts: .*webhooks\.retries/,
    ],
    ["a wrong type", "mjs", 'export default { port: "80" };', /sandbox\.config\.mjs: port .*whole number/],
    ["a syntax error", "ts", "export default {\n  port: 4400,,\n};", /sandbox\.config\.ts:2:\d+: /],
    ["a syntax error in JavaScript", "mjs", "export default {\n  port: ,\n};", /sandbox\.config\.mjs:2:9: /],
    [
      "an enum",
      "ts",
      "enum Seed { Empty }\nexport default {};",
      /sandbox\.config\.ts:1:1: .*enum.*strips types/,
    ],
    ["a thrown error", "js", 'throw new Error("no such luck");', /sandbox\.config\.js:1:\d+: .*no such luck/],
    [
      "a missing default export",
      "mts",
      "export const config = {};",
      /sandbox\.config\.mts: .*default export/,
    ],
    ["an export of the wrong type", "ts", "export default 3;", /sandbox\.config\.ts .*object/],
    ["a missing import", "ts", 'import "./lost.ts"; export default {};', /sandbox\.config\.ts: .*lost\.ts/],
    ["broken JSON", "json", '{"port": 1,}', /sandbox\.config\.json .*JSON/],
  ])("sandglass start reports %s in one line and suggests a fix", async (_name, ending, text, expected) => {
    const cwd = folderOf({ [`sandbox.config.${ending}`]: text });
    const { code, stdout, stderr } = await runWarmCli(["--port", "0"], { cwd });
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    const [message, hint, ...rest] = stderr.trimEnd().split("\n");
    expect(message).toMatch(expected);
    expect(hint).toMatch(/^ {2}\S/);
    expect(rest).toEqual([]);
  });

  it.each([
    ["an enum", 'enum Seed { Empty = "empty" }\nexport default { port: 0, seed: Seed.Empty };'],
    [
      "an import without a file extension",
      'import { seed } from "./seed";\nexport default { port: 0, seed };',
    ],
  ])("sandglass start reads %s in a configuration with the user's own tsx", async (_name, config) => {
    const cwd = folderOf({ "sandbox.config.ts": config, "seed.ts": 'export const seed: string = "empty";' });
    mkdirSync(join(cwd, "node_modules"));
    symlinkSync(TSX, join(cwd, "node_modules", "tsx"), "junction");
    const { status } = await serveCli([], { cwd });
    expect(status).toMatchObject({ seed: "empty" });
  });

  it("sandglass start rejects a --config file that does not exist", async () => {
    const { code, stderr } = await runCli(["--config", "lost.config.ts"]);
    expect(code).toBe(2);
    expect(stderr).toContain("There is no config file lost.config.ts.");
  });
});
