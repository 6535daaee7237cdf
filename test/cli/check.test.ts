import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { run } from "../../src/cli/check/check.ts";
import type { CheckFlags } from "../../src/cli/check/plan.ts";
import { BUGS, badReceiver } from "../check/receivers/bad.ts";
import { SECRET, startReceiver } from "../check/support/start.ts";
import { startCli } from "../support/built.ts";
import { expectMisuse, folderOf, runCli } from "../support/cli.ts";
import { startSubscriber } from "../support/subscriber.ts";
import { runWarmCli } from "../support/warm-cli.ts";

const start = (bug: string) => startReceiver(badReceiver(BUGS[bug]!, SECRET));
const env = { SANDGLASS_WEBHOOK_SECRET: SECRET };

describe("sandglass check", () => {
  it("check prints a line for each hazard, and exits 0 if none fails", async () => {
    const { url, stateUrl } = await start("no bug");
    const address = url.replace("http://", "");
    const only = ["--only", "wrong-signature,duplicate,reordered-events"];
    const { code, stdout, stderr } = await runWarmCli(["check", address, "--state", stateUrl, ...only], {
      env,
    });
    const lines = stdout.trimEnd().split("\n");
    expect({ code, stderr, lines }).toEqual({
      code: 0,
      stderr: "",
      lines: [
        `${url}, payment.completed: 4 hazards, with up to 30 s for each response`,
        "pass     valid-event          returned 204 to each of 2; its state shows both",
        "pass     wrong-signature      returned 401",
        "pass     duplicate            returned 204 to each of 2; its state shows that it was handled once",
        "unknown  reordered-events     returned 204 to each of 3",
        "",
        expect.stringMatching(/^3 pass, 1 unknown in [\d.]+ m?s\.$/),
        expect.stringMatching(
          /^Repeat these requests: --seed check-\w+ --at \d{4}-\d\d-\d\dT[\d:]{8}\.000Z$/,
        ),
        "The responses do not show whether these were handled correctly: reordered-events. The state does",
        "not show it, either: check your own data, or let npx sandglass explore compare the states.",
      ],
    });
  });

  it.each([
    ["shopify", "with the same body and a new delivery id."],
    ["stripe", "with the same body and a new signature."],
  ])("check lists what changes when %s retries", async (sender, words) => {
    const { stdout } = await runCli(["check", "--list", "--sender", sender]);
    expect(stdout.replace(/\s+/g, " ")).toContain(words);
  });

  it("check says where the secret came from if the server rejects every event", async () => {
    const { url } = await start("has a different secret");
    const cwd = folderOf({ "sandbox.config.json": '{ "webhooks": { "secret": "whsec_project" } }' });
    const { stdout } = await runCli(["check", url], { cwd });
    const text = stdout.replace(/\s+/g, " ");
    expect(text).toContain("payment.completed, signed with webhooks.secret of sandbox.config.json: ");
    expect(text).toMatch(/sandbox\.config\.json: \d+ hazards, with up to 30 s for each response /);
    expect(text).toMatch(/variants .* its secret differs from webhooks\.secret of sandbox\.config\.json/);
    const sent = ["--sender", "stripe", "--secret", "whsec_other"];
    const { stdout: other } = await runCli(["check", url, ...sent], { cwd });
    expect(other.replace(/\s+/g, " ")).toMatch(
      /stripe's signature, its secret differs from the secret in --secret/,
    );
  });

  it("check names the environment variable that contains the secret the server verifies with", async () => {
    const { url } = await start("has a different secret");
    const { stdout } = await runWarmCli(["check", url, "--secret", "whsec_project"], {
      env: { ...env, SHOP_WEBHOOK_SECRET: "whsec_other" },
    });
    expect(stdout.replace(/\s+/g, " ")).toContain(
      "It verifies with the secret in SHOP_WEBHOOK_SECRET of this command, which is another secret.",
    );
  });

  it("check exits 0 when a hazard is unknown, and its last line says how to see more", async () => {
    const { url, stateUrl } = await start("handles duplicates again");
    const junit = join(folderOf(), "check.xml");
    const only = ["--only", "duplicate", "--junit", junit];
    const blind = await runWarmCli(["check", url, ...only], { env });
    expect(blind.code).toBe(0);
    expect(blind.stdout).toMatch(/^unknown {2}duplicate {12}returned 204 to each of 2$/m);
    expect(blind.stdout.trimEnd().split("\n").slice(-3).join(" ")).toBe(
      "The responses do not show whether these were handled correctly: duplicate. A pass only judges the response, not whether your server did anything. To check that, pass --state <url>: a URL whose response changes when an event is handled.",
    );
    expect(readFileSync(junit, "utf8")).toMatch(
      /<skipped message="unknown: returned 204 to each of 2\. Only the response is visible\./,
    );
    const seen = await runWarmCli(["check", url, ...only, "--state", stateUrl], { env });
    expect(seen.code).toBe(1);
    expectMisuse(await runCli(["check", url, "--state-url", stateUrl]), /--state-url was removed\./);
  });

  it("check exits 1 and prints a failure's request, response, cause and fix", async () => {
    const { url } = await start("verifies nothing");
    const junit = join(folderOf(), "check.xml");
    const { code, stdout, stderr } = await runWarmCli(
      ["check", url, "--secret", SECRET, "--only", "wrong-signature", "--junit", junit],
      { env: { NO_COLOR: "1" } },
    );
    expect({ code, stderr }).toEqual({ code: 1, stderr: `Wrote ${junit}.\n` });
    for (const part of [
      /^fail {5}wrong-signature {6}It returned 204\.$/m,
      /^fail {2}wrong-signature: A signature created with another secret$/m,
      /^ {2}sent {7}POST an event, signed with another secret\n {13}X-Platform-Signature: [0-9a-f]{64}\n {13}\{"event"/m,
      /^ {2}came back {2}returned 204 in \d+ ms$/m,
      /^ {2}why {8}Anyone can send/m,
      /^ {2}fix {8}Before anything else, compute the HMAC-SHA256/m,
      /^Your server accepts events without a valid signature\./m,
    ])
      expect(stdout).toMatch(part);
    expect(stdout).not.toContain(SECRET);
    const xml = readFileSync(junit, "utf8");
    expect(xml).toMatch(/<testsuite name="sandglass check [^"]*" tests="2" failures="1"/);
    expect(xml).toMatch(
      /<failure message="It returned 204\." type="wrong-signature">fail {2}wrong-signature: [^<]*\n {2}sent {7}POST/,
    );
  });

  it("check --json prints the whole report as one object", async () => {
    const { url } = await start("accepts at most 100 kB");
    const first = await runWarmCli(
      ["check", url, "--seed", "one", "--at", "2026-06-01T12:00:00Z", "--only", "large-body", "--json"],
      { env, cwd: folderOf({ "sandbox.config.json": '{"webhooks": {"timeout": "3s"}}' }) },
    );
    const report = JSON.parse(first.stdout);
    expect(first).toMatchObject({ code: 1, stderr: "" });
    expect(report).toMatchObject({
      url,
      verdict: "fail",
      finding: null,
      seed: "one",
      at: "2026-06-01T12:00:00.000Z",
      event: "payment.completed",
      timeout_ms: 3_000,
      state_url: null,
      counts: { pass: 1, warn: 0, fail: 1, skipped: 0 },
      hazards: [
        {
          name: "valid-event",
          verdict: "pass",
          note: expect.stringContaining("Only the response was seen"),
          exchanges: [1, 2].map(() => ({ came_back: { status: 204, error: null } })),
        },
        {
          name: "large-body",
          verdict: "fail",
          exchanges: [{ sent: { body_bytes: 1_000_000 }, came_back: { status: 413, error: "status" } }],
        },
      ],
    });
  });

  it("check prints its progress on Ctrl-C, exits 130 and deletes the previous run's report", async () => {
    const { url } = await startSubscriber(({ body }, response) => {
      if (!body.includes("Zoë")) response.writeHead(204).end();
    });
    const folder = folderOf({ "check.xml": "<testsuites/>" });
    const junit = join(folder, "check.xml");
    const cli = startCli(["check", url, "--only", "unicode,duplicate", "--junit", junit], { env });
    await cli.saw(/^pass +valid-event/m);
    cli.kill("SIGINT");
    const { code, signal, stderr } = await cli.ended;
    expect({ code, signal, stderr }).toEqual({
      code: 130,
      signal: null,
      stderr: "Interrupted after 1 of 3 hazards.\n",
    });
    expect(readdirSync(folder)).toEqual([]);
  });

  it("check --list lists the hazards without a server", async () => {
    const [text, json] = await Promise.all([
      runCli(["check", "--list"]),
      runCli(["check", "--list", "--json"]),
    ]);
    expect({ code: text.code, stderr: text.stderr }).toEqual({ code: 0, stderr: "" });
    const hazards: { name: string; title: string }[] = JSON.parse(json.stdout);
    expect(hazards.length).toBeGreaterThan(20);
    for (const { name, title } of hazards)
      expect(text.stdout).toMatch(new RegExp(`^${name} +${title}$`, "m"));
  });
});

describe("invalid arguments of check", () => {
  const at = "http://127.0.0.1:1/webhooks";

  it.each<[string[], RegExp]>([
    [["check"], /needs your server's webhook URL/],
    [["check", at], /needs the secret/],
    [
      ["check", at, "--secret", SECRET],
      /The subscriber at http:\/\/127\.0\.0\.1:1\/webhooks refused the connection/,
    ],
  ])("the command %j exits 2 and prints a single-line error", async (args, message) => {
    expectMisuse(await runCli(args, { env: { SANDGLASS_WEBHOOK_SECRET: "" } }), message);
  });

  it.each<[string, CheckFlags, RegExp]>([
    ["ftp://127.0.0.1/", {}, /must be an http address, not 'ftp:/],
    ["http://me:you@127.0.0.1:1/", {}, /user name or password/],
    [at, { secret: "" }, /--secret is empty/],
    [at, { only: "tea" }, /--only: there is no hazard 'tea'/],
    [at, { only: "," }, /--only lists no hazards/],
    [at, { skip: "valid-event" }, /--skip cannot leave out valid-event/],
    [at, { event: "tea.ready" }, /--event must be an event type, not 'tea.ready'/],
    [at, { at: "1970-01-01" }, /--at must be later/],
    [at, { at: "monday" }, /"monday" is not a point in time/],
    [at, { seed: "" }, /--seed must be/],
    [at, { config: "nowhere.json" }, /no config file nowhere.json/],
  ])("check rejects the URL %s with the options %j and suggests a fix", async (receiver, flags, message) => {
    const refused = run({ args: [receiver], options: { secret: SECRET, ...flags } });
    await expect(refused).rejects.toMatchObject({
      name: "SandboxError",
      message: expect.stringMatching(message),
      hint: expect.stringMatching(/\S/),
    });
  });
});
