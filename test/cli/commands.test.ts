import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { COMMANDS } from "../../src/cli/commands.ts";
import { NAMED } from "../../src/cli/help.ts";
import { resolveConfig } from "../../src/config/config.ts";
import { loadConfig } from "../../src/config/load-config.ts";
import { type RunningCli, serveCli } from "../support/built.ts";
import { type CliOptions, expectMisuse, folderOf, runCli, startStranger } from "../support/cli.ts";
import { clientOf, type Json, startSandbox } from "../support/sandbox.ts";
import { runWarmCli } from "../support/warm-cli.ts";

let server: RunningCli;
let url: string;
let client: ReturnType<typeof clientOf>;

beforeAll(async () => {
  ({ cli: server, url } = await serveCli(["--paused", "--rate-limit", "off"], { keep: true }));
  client = clientOf(url);
});
afterAll(async () => {
  server.kill("SIGINT");
  expect((await server.ended).code).toBe(0);
});

/** Runs a command against the server that this file shares. */
const run = (args: string[], options: CliOptions = {}) =>
  runCli(args, { env: { SANDGLASS_URL: url }, ...options });

async function runJson(args: string[]): Promise<Json> {
  const { code, stdout, stderr } = await run([...args, "--json"]);
  expect({ code, stderr, lines: stdout.split("\n").length }).toEqual({ code: 0, stderr: "", lines: 2 });
  return JSON.parse(stdout);
}

describe("sandglass pay", () => {
  it("sandglass pay pays the given link or session, and prints JSON with --json", async () => {
    const [byCode, link, session] = await Promise.all([
      runJson([
        "pay",
        "coffee",
        "--metadata",
        "order=1",
        "--metadata",
        "note=a=b",
        "--customer-email",
        "ada@example.com",
      ]),
      client.createLink({ amount: null }),
      client.openSession(),
    ]);
    expect(byCode.transaction).toMatchObject({
      status: "completed",
      form_data: { email: "ada@example.com" },
    });
    expect(byCode.session.metadata).toEqual({ order: "1", note: "a=b" });

    const [byUrl, failed] = await Promise.all([
      runJson(["pay", `${link.url}?client_reference_id=cart-1&metadata[shop]=north`, "--amount", "77"]),
      // In `pay --fail <session>`, the argument is what to pay and not the reason for the failure.
      runJson(["pay", "--fail", session.id]),
    ]);
    expect(byUrl.transaction).toMatchObject({ payment_link_id: link.id, amount: "77" });
    expect(byUrl.session).toMatchObject({ client_reference_id: "cart-1", metadata: { shop: "north" } });
    expect(failed.transaction).toMatchObject({
      session_id: session.id,
      status: "failed",
      failure_reason: "reverted",
    });
  });

  it("sandglass pay prints a readable amount, with the token's symbol if known", async () => {
    const link = await client.createLink({ amount: "13500000" });
    const unknown = await client.createLink({ token_address: `0x${"12".repeat(20)}`, amount: "13500000" });
    const [known, other] = await Promise.all([run(["pay", link.id]), run(["pay", unknown.id])]);
    expect(known.stdout).toMatch(/^amount +13\.50 USDC on Base$/m);
    expect(other.stdout).toMatch(/^amount +13500000 units of token 0x121212…1212 on Base$/m);
  });

  it("sandglass pay prints each delivery with its result and its next attempt", async () => {
    const inbox = `${url}/_sandbox/inbox/pay`;
    const { id } = await client.createWebhook(inbox, { events: ["payment.failed"] });
    await client.control("PUT", `/webhooks/${id}/fault`, { kind: "status", status: 503, times: 1 });
    const { code, stdout, stderr } = await run([
      "pay",
      "coffee",
      "--fail",
      "rejected",
      "--sender",
      `0x${"1".repeat(40)}`,
    ]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(/^payment +failed: rejected, txn_\w{16}$/m);
    expect(stdout).toMatch(/^session +active, cs_\w{16}$/m);
    const [line] = new RegExp(`^payment.failed .*${inbox} .*$`, "m").exec(stdout)!;
    expect(line).toMatch(/failed, status 503.* next attempt 2026-01-\d\d \d\d:\d\d:\d\d$/);
    expect(stdout).not.toContain("\u001b");
    await client.api("DELETE", `/webhooks/${id}`);
  });
});

describe("sandglass expire and advance", () => {
  it("sandglass expire ends a session, and refuses to end it twice", async () => {
    const { id } = await client.openSession();
    const first = await run(["expire", id]);
    expect(first).toMatchObject({ code: 0, stdout: expect.stringMatching(`^session +expired, ${id}\n`) });
    expectMisuse(await run(["expire", id]), /expired/);
  });

  it("sandglass expire last ends the latest active session, or reports that no session is active", async () => {
    const sandbox = await startSandbox();
    const cli = () => runCli(["expire", "last", "--url", sandbox.url]);
    expectMisuse(await cli(), /No checkout session is active\./);
    const earlier = await sandbox.openSession();
    const { id } = await sandbox.openSession();
    expect((await cli()).stdout).toMatch(`expired, ${id}\n`);
    expect((await cli()).stdout).toMatch(`expired, ${earlier.id}\n`);
  });

  it("advance moves the clock and prints the resulting entries", async () => {
    const inbox = `${url}/_sandbox/inbox/moved`;
    const { id } = await client.createWebhook(inbox, { events: ["payment.completed"] });
    await client.control("PUT", `/webhooks/${id}/fault`, { sequence: [503, "timeout", 200] });
    await client.pay({ payment_link_id: "coffee" });
    const before = (await client.control("GET", "/clock")).body.now;

    const dry = await run(["advance", "1m", "--dry-run"]);
    expect(dry.stdout).toMatch(new RegExp(`in 1 min +Attempt 2 of payment.completed +evt_\\w+ +${inbox}`));
    expect(dry.stdout).not.toContain("session expires");
    expect(dry.stdout).toMatch(/^Due between .* UTC: 1, /m);
    const awaiting = async (type: string) => (await run(["advance", "--until", type, "--dry-run"])).stdout;
    expect(await awaiting("checkout.expired")).toMatch(
      /^\d+ more from the demo data$[\s\S]*^checkout\.expired would happen and /m,
    );
    expect(await awaiting("payment.completed")).toMatch(
      /^Nothing that is due would cause payment\.completed, but /m,
    );
    expect((await client.control("GET", "/clock")).body.now).toBe(before);

    const next = await run(["advance", "1m30s"]);
    expect(next.code).toBe(0);
    expect(next.stdout).toMatch(
      new RegExp(`delivery.failed +payment.completed, attempt 2 +${inbox} +timeout +next `),
    );
    expect(next.stdout).toMatch(/^Now 2026-.* UTC, 1 min 30 s later; .*delivery/m);

    const target = new Date(Date.parse(before) + 3_600_000).toISOString();
    const result = await runJson(["advance", "--to", target]);
    expect(result).toMatchObject({ to: target, reached: true });
    expect(result.ledger.map(({ type }: Json) => type)).toContain("delivery.succeeded");

    const never = await run(["advance", "--until", "cache.purged"]);
    expect(never.code).toBe(1);
    expect(never.stdout).toContain("cache.purged did not happen");
  });
});

describe("sandglass env", () => {
  it("sandglass env prints lines that a shell or a program can parse", async () => {
    const [plain, fish, json] = await Promise.all([
      run(["env"]),
      run(["env", "--shell", "fish", "--url", `${url}/`], { env: {} }),
      runJson(["env"]),
    ]);
    expect(json).toMatchObject({
      SANDGLASS_URL: url,
      SANDGLASS_PLATFORM_URL: `${url}/platform`,
      SANDGLASS_DATA_URL: `${url}/data`,
      SANDGLASS_GAME_URL: `${url}/game`,
      SANDGLASS_API_KEY: "sk_sandbox_write",
      SANDGLASS_WEBHOOK_SECRET: expect.stringMatching(/^whsec_[0-9a-f]{64}$/),
      SANDGLASS_PLAYER_TOKEN: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
    });
    const lines = (form: (name: string, value: string) => string) =>
      Object.entries(json as Record<string, string>)
        .map(([name, value]) => `${form(name, value)}\n`)
        .join("");
    expect(plain.stdout).toBe(lines((name, value) => `export ${name}='${value}'`));
    expect(fish.stdout).toBe(lines((name, value) => `set -gx ${name} '${value}'`));
  });
});

describe("sandglass status", () => {
  it("sandglass status prints the status that the control API returns", async () => {
    const [plain, json, { body: status }] = await Promise.all([
      run(["status"]),
      runJson(["status"]),
      client.control("GET", "/status"),
    ]);
    expect(json).toEqual(status);
    expect(plain.stdout).toContain(`is running at ${url}\n`);
    for (const [name, value] of [
      ["node", process.versions.node],
      ["world", "default, from seed sandglass"],
      ["clock", `paused, at ${status.clock.now.slice(0, 10)}`],
      ["organization", `${status.organization.name}, ${status.organization.id}`],
      ["platform", `${url}/platform`],
      ["write key", "sk_sandbox_write"],
      ["other key", "sk_sandbox_other"],
      ["webhook secret", status.webhook_secret],
      ["player", status.player.address],
      ["payment links", String(status.counts.payment_links)],
    ])
      expect(plain.stdout).toMatch(new RegExp(`^${name} +${value}`, "m"));
  });
});

describe("sandglass status without a sandbox", () => {
  const nowhere = { SANDGLASS_URL: "http://127.0.0.1:1" };

  it.each<[what: string, files: Record<string, string>, data: RegExp]>([
    ["no data folder", {}, /^data folder +none: worlds are in memory; --data-dir stores them$/m],
    [
      "a writable folder",
      { "sandbox.config.json": '{"dataDir": "below/data"}' },
      /^data folder +below\/data is writable$/m,
    ],
    [
      "a folder that is not writable",
      { "sandbox.config.json": '{"dataDir": "plain/data"}', plain: "" },
      /^data folder +plain\/data is not writable: \S*plain is not a folder\. Choose another one in dataDir or with --data-dir\.$/m,
    ],
    [
      "a folder set in code",
      { "sandbox.config.js": "throw 1" },
      /^data folder +unknown: sandbox\.config\.js is code, and was not run$/m,
    ],
  ])(
    "sandglass status prints the Node version and whether the data folder is writable: %s",
    async (_what, files, data) => {
      const { code, stdout, stderr } = await run(["status"], { cwd: folderOf(files), env: nowhere });
      expect(code).toBe(2);
      expect(stdout).toMatch(new RegExp(`^node +${process.versions.node}; 22\\.20 or later is needed$`, "m"));
      expect(stdout).toMatch(data);
      expect(stderr).toBe(
        "sandglass: Nothing responds at http://127.0.0.1:1.\n  SANDGLASS_URL has this address: start a sandbox there, or unset the variable.\n",
      );
    },
  );

  it("sandglass status --json reports the error if no sandbox responds", async () => {
    const { code, stdout } = await run(["status", "--json"], { cwd: folderOf(), env: nowhere });
    expect(code).toBe(2);
    expect(JSON.parse(stdout)).toEqual({
      ready: false,
      node: process.versions.node,
      data: { folder: null, problem: null, note: expect.any(String) },
      error: {
        message: "Nothing responds at http://127.0.0.1:1.",
        hint: expect.stringContaining("SANDGLASS_URL"),
      },
    });
  });

  it("sandglass status reports when the program at the URL is not Sandglass", async () => {
    const other = await startStranger();
    const { stderr } = await run(["status", "--url", other.url], { cwd: folderOf(), env: {} });
    expect(stderr).toMatch(
      /responds, but it is not Sandglass\.\n {2}Specify the sandbox with --url or SANDGLASS_URL/,
    );
  });
});

describe("a client command in a folder with a configuration", () => {
  it("a client command calls the sandbox of the folder's configuration, unless --url or SANDGLASS_URL is set", async () => {
    const port = Number(new URL(url).port);
    const cwd = folderOf({ "sandbox.config.json": `{"port": ${port}, "host": "0.0.0.0"}` });
    const [status, contract, named] = await Promise.all([
      run(["status", "--json"], { cwd, env: {} }),
      run(["openapi"], { cwd, env: {} }),
      run(["status"], { cwd, env: { SANDGLASS_URL: "http://127.0.0.1:1" } }),
    ]);
    expect(status).toMatchObject({ code: 0, stderr: "" });
    expect(JSON.parse(status.stdout).url).toBe(url);
    expect(JSON.parse(contract.stdout).servers[0].url).toBe(`${url}/platform`);
    expect(named).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("Nothing responds at http://127.0.0.1:1."),
    });
  });

  it("a client command reports a mistake in the configuration or a configured port of 0", async () => {
    const [wrong, open] = await Promise.all(
      ["many", 0].map((port) =>
        run(["advance", "1h"], {
          cwd: folderOf({ "sandbox.config.json": JSON.stringify({ port }) }),
          env: {},
        }),
      ),
    );
    expectMisuse(wrong!, /sandbox\.config\.json: port must be a whole number/);
    expectMisuse(open!, /sandbox\.config\.json sets port 0/);
    expect(open!.stderr).toMatch(/--url or SANDGLASS_URL/);
  });
});

describe("sandglass snapshot", () => {
  it("snapshot save overwrites a snapshot of the same name only with --force", async () => {
    const save = (...flags: string[]) => run(["snapshot", "save", "twice", ...flags]);
    expect((await save()).code).toBe(0);
    await client.pay({ payment_link_id: "coffee" });
    const before = (await client.control("GET", "/snapshots")).body;
    const again = await save();
    expectMisuse(again, /There is already a different snapshot named 'twice'/);
    expect(again.stderr).toContain("sandglass snapshot save twice --force");
    expect((await client.control("GET", "/snapshots")).body).toEqual(before);
    expect((await save("--force")).code).toBe(0);
  });
});

describe("sandglass token", () => {
  it("the token command prints a new token alone, or as JSON with its player and game", async () => {
    const wallet = `0x${"c".repeat(40)}`;
    const [plain, json, misuse] = await Promise.all([
      run(["token"]),
      runJson(["token", "--player", wallet, "--game", "tide-runners", "--expires-in", "90s"]),
      run(["token", "--game", "nowhere"]),
    ]);
    expect(plain.code).toBe(0);
    expect(plain.stdout).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+\n$/);
    const launcherJwt = plain.stdout.trim();
    const status = await client.call("POST", "/game/launcher/channel-status", { body: { launcherJwt } });
    expect(status.body).toMatchObject({ exists: true });
    expect(json).toMatchObject({ player: { address: wallet }, game: { slug: "tide-runners" } });
    expect(json.token).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/);
    expect(misuse.code).not.toBe(0);
    expect(misuse.stderr).toContain("'nowhere'");
  });
});

describe("sandglass openapi", () => {
  it("the openapi command prints the server's document without calling a server", async () => {
    const cwd = folderOf();
    const [printed, asked, written, served] = await Promise.all([
      run(["openapi"], { env: {} }),
      run(["openapi", "game", "--url", "localhost:4500/"], { env: {} }),
      run(["openapi", "control", "--out", "control.json"], { cwd, env: {} }),
      Promise.all([
        client.call("GET", "/platform/openapi.json"),
        client.call("GET", "/_sandbox/openapi.json"),
      ]),
    ]);
    const expected = served.map(({ text }) => JSON.parse(text.replaceAll(url, "http://127.0.0.1:4400")));
    expect(JSON.parse(printed.stdout)).toEqual(expected[0]);
    expect(JSON.parse(asked.stdout).servers[0].url).toBe("http://localhost:4500/game");
    expect(written).toMatchObject({ code: 0, stdout: "", stderr: expect.stringContaining("control.json") });
    expect(JSON.parse(readFileSync(join(cwd, "control.json"), "utf8"))).toEqual(expected[1]);
  });
});

describe("sandglass init", () => {
  it("init writes a configuration that loads", async () => {
    const cwd = folderOf();
    expect(await run(["init"], { cwd })).toMatchObject({ code: 0, stderr: "" });
    const { config, file } = await loadConfig(join(cwd, "sandbox.config.ts"));
    expect(() => resolveConfig(config, 0, file)).not.toThrow();
  });

  it.each(["commonjs", undefined])("the files that init writes run in a package of type %s", async (type) => {
    const cwd = folderOf({
      "package.json": JSON.stringify({ type }),
      "prices.ts": "export const failures = 1;",
    });
    await run(["init"], { cwd });
    const scenario = join(cwd, "scenarios/first-payment.ts");
    writeFileSync(
      scenario,
      `import { failures } from "../prices.ts";\n${readFileSync(scenario, "utf8").replace("default: 1", "default: failures")}`,
    );
    const played = await runWarmCli(["run"], { cwd });
    expect(played).toMatchObject({ code: 0, stderr: "" });
    expect(played.stdout).toContain("1 passed");
  });
});

describe("the command help", () => {
  it("sandglass --help lists every command on one screen, and each command's help lists its options", async () => {
    const [all, one, version] = await Promise.all([
      run(["--help"]),
      run(["help", "advance"]),
      run(["--version"]),
    ]);
    expect([all.code, one.code, version.code]).toEqual([0, 0, 0]);
    const names = COMMANDS.map(({ name }) => name);
    expect([...NAMED].sort()).toEqual([...names, "help"].sort());
    const words = new Set(all.stdout.match(/[a-z-]+/g));
    expect(NAMED.filter((name) => !words.has(name))).toEqual([]);
    const lines = all.stdout.trimEnd().split("\n");
    expect(lines.length).toBeLessThanOrEqual(40);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
    expect(one.stdout).toContain("--until <what>");
    expect(version.stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });
});
