import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startCli } from "../support/built.ts";
import { configured, expectMisuse, type Finished, folderOf, runCli } from "../support/cli.ts";
import { runWarmCli } from "../support/warm-cli.ts";
import { correctShop, repeatingShop, type ShopHandler } from "./handlers.ts";
import { type Overrides, serveShop } from "./server.ts";

const ONE = ["--story", "checkout"];
const FEW = [...ONE, "--deviations", "1"];

/**
 * An exploration with an invariant that never returns. It is stopped automatically after 10 s, while other tests run.
 */
let stuck: Promise<Finished>;
beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), "sandglass-stuck-"));
  const wait = "Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)";
  writeFileSync(join(folder, "stuck.mjs"), `export default () => ${wait};`);
  const { args } = await serveShop(correctShop(), {}, afterAll);
  const subject = { invariant: "stuck.mjs" };
  writeFileSync(join(folder, "sandbox.config.json"), JSON.stringify({ subject }));
  const cli = startCli(["explore", ...args], { cwd: folder, keep: true });
  stuck = cli.ended;
  afterAll(() => {
    cli.kill("SIGKILL");
    rmSync(folder, { recursive: true });
  });
});

describe("sandglass explore --demo", () => {
  it.each([[["localhost:3000"]], [["--story", "checkout"]], [["--json"]]])(
    "explore --demo rejects the arguments %j",
    async (args) => {
      expectMisuse(await runCli(["explore", "--demo", ...args]), /accepts no URL or other options/);
    },
  );
});

describe("sandglass explore", () => {
  it("explore exits 0 if no schedule breaks the subscriber, and prints the number of schedules", async () => {
    const { args } = await serveShop(correctShop());
    const { code, stdout, stderr } = await runCli(["explore", ...args, ...FEW, "--json"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(JSON.parse(stdout)).toMatchObject({
      verdict: "nothing_found",
      reason: null,
      finding: null,
      stories: [
        {
          verdict: "nothing_found",
          story: { name: "checkout", file: null },
          subscriber: args[0],
          levels: [{ deviations: 1, schedules: 25, tried: 25, alike: 0, undelivered: 0, compared: 25 }],
          finding: null,
          flaky: null,
          stopped: null,
        },
      ],
      unplayed: [],
      saved: null,
    });
  });

  it("explore exits 1 and prints the schedule that breaks a handler, and can reproduce it exactly", async () => {
    const { args } = await serveShop(repeatingShop());
    const explore = (cwd = folderOf()) => runCli(["explore", ...args, ...ONE, "--json"], { cwd });
    const first = await explore();
    const second = await explore();
    expect({ code: first.code, stderr: first.stderr }).toEqual({ code: 1, stderr: "" });
    const {
      finding,
      stories: [{ levels }],
    } = JSON.parse(first.stdout);
    expect(finding.story).toBe("checkout");
    expect(finding.run.schedule).toEqual([{ at: 0, kind: "answer-lost" }]);
    expect(finding.differences).toEqual([
      { path: "orders.order-7.payments", expected: 1, actual: 2 },
      { path: "revenue", expected: 2_500_000, actual: 5_000_000 },
    ]);
    expect(levels.slice(1).map(({ schedules, tried }: typeof levels) => [schedules, tried])).toEqual([
      [null, 0],
      [null, 0],
    ]);
    expect(withoutWallTimes(second.stdout)).toBe(withoutWallTimes(first.stdout));
  });

  it("explore finds a violated invariant after a schedule or after a delivery", async () => {
    const folder = folderOf();
    writeFileSync(
      join(folder, "once.mjs"),
      `export default ({ revenue }, { events }) => {
         const paid = events.filter(({ type, test }) => type === "payment.completed" && !test).length;
         if (revenue > paid * 2500000) throw new Error("more was earned than paid");
       };`,
    );
    writeFileSync(
      join(folder, "never.mjs"),
      "export const always = true; export function invariant() { throw new Error('no'); }",
    );
    const { args } = await serveShop(repeatingShop());
    const found = await runWarmCli(
      ["explore", ...args, ...ONE, ...configured({ ignore: ["*"], invariant: "once.mjs" }), "--json"],
      { cwd: folder },
    );
    expect(found.code).toBe(1);
    expect(JSON.parse(found.stdout).stories[0].finding).toMatchObject({
      differences: [],
      invariant: { message: "more was earned than paid", after: null },
    });
    const withoutSecret = args.toSpliced(args.indexOf("--secret"), 2);
    const [secret] = args.slice(args.indexOf("--secret") + 1);
    const never = configured({ invariant: "never.mjs" }, { webhooks: { secret } });
    // The calm run is a schedule as well, so a rule that it violates is a finding.
    const files = ["--junit", "calm.xml", "--html", "calm.html"];
    const calm = await runWarmCli(["explore", ...withoutSecret, ...never, ...files], {
      cwd: folder,
    });
    expect(calm.code).toBe(1);
    expect(calm.stdout).toMatch(
      /\nNo\.\n +1 +\S+ +payment\.completed +attempt 1 +200\n[\s\S]*Invariant: no\nWhy: Nothing was lost, duplicated or reordered/,
    );
    expect(calm.stdout).not.toContain("As found");
    expect(readFileSync(join(folder, "calm.xml"), "utf8")).toContain('<failure message="No." type="calm">');
    expect(readFileSync(join(folder, "calm.html"), "utf8")).toContain("<h1><bdi>No</bdi></h1>");
  });

  it.each<[string, string[], RegExp, object?]>([
    ["a missing address", [], /explore needs your server's webhook URL/],
    ["an unknown story", ["localhost:1", "--story", "chekout"], /no story or scenario 'chekout'/],
    ["too many deviations", ["localhost:1", "--deviations", "10"], /from 1 to 9, not '10'/],
    ["a budget of zero", ["localhost:1", "--budget", "0s"], /--budget must be longer than 0/],
    ["a flag that has become a setting", ["localhost:1", "--ignore=a.b"], /--ignore=a\.b was removed/],
    [
      "a host that is not this machine",
      ["https://shop.example/hooks"],
      /does not send to https:\/\/shop\.example\/hooks: it is not on this machine/,
    ],
    [
      "an ignore setting that is not a path",
      ["localhost:1"],
      /subject\.ignore must list paths in the state, not "\.\."/,
      { ignore: [".."] },
    ],
    [
      "a module that does not exist",
      ["localhost:1"],
      /There is no file gone\.mjs/,
      { invariant: "gone.mjs" },
    ],
    [
      "tables for a state that is not a database",
      ["localhost:1"],
      /subject\.tables needs a database as the state/,
      { tables: ["orders"] },
    ],
    [
      "variables for a copy of a database without a start command",
      ["localhost:1"],
      /subject\.databaseEnv names variables for the copy of a database, so it needs subject\.start\./,
      { databaseEnv: ["DB_FILE"] },
    ],
    [
      "variables for a copy of a state that is not a database",
      ["localhost:1"],
      /so it needs a database as the state, not '\S*localhost:1\/state'/,
      { databaseEnv: ["DB_FILE"], start: "node server.mjs" },
    ],
  ])("explore rejects %s", async (_what, args, message, settings) => {
    const needed = ["--secret", "s", "--state", "localhost:1/state", "--reset", "localhost:1/reset"];
    const own = settings ? configured(settings) : [];
    expectMisuse(await runCli(["explore", ...args, ...needed, ...own]), message);
  });

  it.each([
    ["state", "mongodb://app:pa55@localhost/shop", "mongodb"],
    ["state", "jdbc:sqlserver://localhost;databaseName=shop;user=app;password=pa55", "jdbc"],
    ["state", "libsql://shop.example.org?authToken=pa55", "libsql"],
    ["reset", "mongodb+srv://app:pa55@localhost/shop", "mongodb+srv"],
    ["reset", "sqlite:shop.db", "sqlite"],
  ])(
    "explore rejects the %s %s because of its scheme, without printing its password",
    async (flag, address, scheme) => {
      const others = ["--secret", "s", "--state", "localhost:1/state", "--reset", "localhost:1/reset"];
      const finished = await runCli(["explore", "localhost:1", ...others, `--${flag}`, address]);
      expectMisuse(finished, /cannot be an address/);
      expect(finished.stderr).toContain(`The ${flag} cannot be an address with the scheme ${scheme}.`);
      expect(finished.stderr).not.toMatch(/pa ?55/);
    },
  );

  it.each([
    ["jdbc:postgresql://localhost:1/shop?user=app&password=pa55", "postgresql://app@localhost:1/shop"],
    ["postgresql+asyncpg://app:pa 55@localhost:1/shop", "postgresql://app@localhost:1/shop"],
    ["pgsql:host=localhost;port=1;dbname=shop;user=app;password=pa55", "postgresql://app@localhost:1/shop"],
    ["Host=localhost;Port=1;Database=shop;Username=app;Password=pa 55", "postgresql://app@localhost:1/shop"],
    ["app:pa55@tcp(localhost:1)/shop", "mysql://app@localhost:1/shop"],
  ])("explore connects to the state %s, without printing its password", async (address, shown) => {
    const args = ["explore", "localhost:1", "--secret", "s", "--state", address, "--in-place"];
    const { code, stderr } = await runCli(args);
    expect([code, stderr]).toEqual([
      3,
      expect.stringContaining(`The database ${shown} cannot be used: connect ECONNREFUSED`),
    ]);
    expect(stderr).not.toMatch(/pa ?55/);
  });

  it("explore hides the password in the output of a failing command", async () => {
    const command = "echo cannot reach mysql://app:pa55@localhost/shop >&2; false";
    const { args } = await serveShop(correctShop());
    const { code, stderr } = await runCli(["explore", ...args, "--state", command, ...FEW]);
    expect([code, stderr]).toEqual([3, expect.stringContaining("cannot reach mysql://app@localhost/shop")]);
    expect(stderr).not.toContain("pa55");
  });

  it.each([
    ["export default 7;", /its default export is not a function/],
    ["export default () => {}; export const always = 'often';", /always must be true or false, not "often"/],
  ])("explore rejects a module without a valid invariant: %s", async (code, message) => {
    const invariant = join(folderOf({ "rule.mjs": code }), "rule.mjs");
    const needed = ["--secret", "s", "--state", "localhost:1/state", "--reset", "localhost:1/reset"];
    expectMisuse(
      await runCli(["explore", "localhost:1", ...needed, ...ONE, ...configured({ invariant })]),
      message,
    );
  });

  it.each([
    ["state", /explore needs to read your server's state/],
    ["reset", /explore needs a way to clear your server's state/],
  ])("explore refuses to run without --%s", async (option, message) => {
    const { args } = await serveShop(correctShop());
    const at = args.indexOf(`--${option}`);
    expectMisuse(await runCli(["explore", ...args.toSpliced(at, 2)]), message);
  });

  it("explore reads every setting from the configuration, and flags override it", async () => {
    const { url, origin } = await serveShop(correctShop());
    const settings = configured({
      ...{ url, secret: "SHOP_SECRET", state: `${origin}/state`, reset: `${origin}/reset` },
      ...{ stories: ["checkout", "late-payment"], deviations: 1, ignore: ["revenue"] },
    });
    const env = { SHOP_SECRET: "whsec_test" };
    const explored = await runCli(["explore", ...settings, "--json"], { env });
    const [one, two] = JSON.parse(explored.stdout).stories;
    expect([explored.code, one.story.name, two.story.name]).toEqual([0, "checkout", "late-payment"]);
    expect(one).toMatchObject({ ignore: ["revenue"], levels: [{ deviations: 1 }] });
    const other = await runCli(["explore", ...settings, "--story", "late-payment", "--json"], { env });
    expect(JSON.parse(other.stdout).stories).toMatchObject([{ story: { name: "late-payment" } }]);
    expectMisuse(
      await runCli(["explore", ...settings]),
      /subject\.secret refers to the environment variable SHOP_SECRET, which is not set\./,
    );
  });
});

const hang = () => true;
const status = (code: number) => (response: { writeHead(code: number): { end(): void } }) => {
  response.writeHead(code).end();
  return true;
};

describe("a subscriber that cannot be explored", () => {
  it.each<[what: string, overrides: Overrides, reset: string | null, message: RegExp]>([
    [
      "never responds",
      { webhooks: hang },
      null,
      /does not accept payment\.completed .* did not respond in time/,
    ],
    [
      "rejects an event",
      { webhooks: status(401) },
      null,
      /Your server returned 401 [\s\S]*variants of the signature/,
    ],
    ["has a state URL that hangs", { state: hang }, null, /state URL \S+ did not respond within 1 s/],
    ["has a state URL that fails", { state: status(500) }, null, /state URL \S+ returned 500/],
    ["has a state that is not JSON", { state: status(200) }, null, /does not return JSON, but ""/],
    ["cannot be reset", { reset: status(404) }, null, /reset URL \S+ returned 404/],
    [
      "has a state that no event changes",
      { state: (response) => Boolean(response.end('{"version":"1.2"}')) },
      null,
      /Nothing changed at the state URL \S+: your server returned 200 to every valid event\./,
    ],
    ["is reset by a command that fails", {}, "echo no database >&2; exit 4", /code 4[\s\S]*no database/],
    ["is reset by a command that hangs", {}, "sleep 60; true", /did not exit within 1 s/],
    [
      "breaks down during the exploration",
      { reset: (response, count) => count > 6 && status(503)(response) },
      null,
      /returned 503\. The subscriber worked until then: explore was running schedule \d+ with 1 deviation/,
    ],
  ])(
    "explore exits 3 and prints the reason if the subscriber %s",
    async (what, overrides, reset, message) => {
      const { args } = await serveShop(correctShop(), overrides);
      if (reset !== null) args[args.indexOf("--reset") + 1] = reset;
      const { code, stdout, stderr } = await runWarmCli([
        "explore",
        ...args,
        ...FEW,
        // The exploration has to wait only for calls that hang.
        ...configured(/hangs|never/.test(what) ? { timeout: "1s" } : {}),
      ]);
      expect({ code, stdout }).toEqual({ code: 3, stdout: "" });
      expect(stderr).toMatch(message);
    },
  );

  it("explore lists the variants that it tried, but no cause, if a server rejects every signed event", async () => {
    const { args } = await serveShop(correctShop(), { webhooks: status(400) });
    const { code, stderr } = await runCli(["explore", ...args, "--sender", "stripe"]);
    expect(code).toBe(3);
    expect(stderr).toMatch(
      /None of \d\d variants of the signature and the times explains the refusal: your server refused all of them\. .* its secret differs from the secret in --secret/,
    );
  });

  it("explore suspects neither secret nor signature if a server rejects only some events", async () => {
    const refuseLater: Overrides["webhooks"] = (response, count) => status(count === 1 ? 200 : 400)(response);
    const { args } = await serveShop(correctShop(), { webhooks: refuseLater });
    const { code, stderr } = await runCli([
      "explore",
      ...args,
      "--sender",
      "stripe",
      "--story",
      "subscription",
    ]);
    expect(code).toBe(3);
    expect(stderr).toMatch(
      /Your server returned 400 to invoice\.paid.*; it returned 200 to customer\.subscription\.created/,
    );
    expect(stderr).not.toMatch(/variants|another secret/);
  });

  it("explore exits 3 and suggests checking the address if no server is listening", async () => {
    const args = ["localhost:1", "--secret", "s", "--state", "localhost:1/state", "--reset", "true"];
    const { code, stderr } = await runCli(["explore", ...args]);
    expect(code).toBe(3);
    expect(stderr).toMatch(/refused the connection[\s\S]*is running at this address/);
  });

  it("explore exits 3 and names the fields that differ between two calm runs", async () => {
    const shop = correctShop();
    let runs = 0;
    const counting: ShopHandler = {
      ...shop,
      reset() {
        runs += 1;
        shop.reset();
      },
      state: () => ({ ...shop.state(), revenue: runs }),
    };
    const { args } = await serveShop(counting);
    const { code, stdout } = await runCli(["explore", ...args, ...FEW]);
    expect(code).toBe(3);
    expect(stdout).toMatch(/revenue .*\d.*\d[\s\S]*subject\.ignore/);
    const { code: ignored } = await runCli([
      "explore",
      ...args,
      ...FEW,
      ...configured({ ignore: ["revenue"] }),
    ]);
    expect(ignored).toBe(0);
  });

  it("explore reports a race that appears in only some runs of a schedule as a finding", async () => {
    let repetitions = 0;
    const sometimes = correctShop(() => {
      repetitions += 1;
      return repetitions === 1;
    });
    const { args } = await serveShop(sometimes);
    const cwd = folderOf();
    const { code, stdout } = await runWarmCli(["explore", ...args, ...FEW, "--html", "race.html"], { cwd });
    expect(code).toBe(1);
    expect(stdout).toMatch(
      /\nPayments of order-7 are counted twice\.\nIn 1 of 4 runs of this schedule: .*\n[\s\S]*the response is lost/,
    );
    expect(readFileSync(join(cwd, "race.html"), "utf8")).toContain("<p>In 1 of 4 runs of this schedule: ");
  });
});

describe("an exploration that is stopped early", () => {
  it("explore reports what it covered within the budget even if the subscriber hangs", async () => {
    const { args } = await serveShop(correctShop(), { webhooks: (_response, count) => count > 30 });
    const { code, stdout } = await runWarmCli(["explore", ...args, ...ONE, "--budget", "4s", "--json"]);
    const { verdict, reason, stories } = JSON.parse(stdout);
    const [{ stopped, levels }] = stories;
    // Not even one deviation was tried at every attempt, so there is no evidence of anything.
    expect({ code, stopped, verdict }).toEqual({ code: 3, stopped: "budget", verdict: "inconclusive" });
    expect(reason).toMatch(
      /^Inconclusive: The budget ran out after \d+(?:\.\d)? s, before all schedules with 1 deviation/,
    );
    expect(levels[0].tried).toBeGreaterThan(0);
    expect(levels[0].tried).toBeLessThan(levels[0].schedules);
  });

  it("explore kills its reset command when the budget runs out", async () => {
    const folder = folderOf();
    const { args } = await serveShop(correctShop());
    args[args.indexOf("--reset") + 1] = "echo $$ > pid; sleep 97";
    const { code, stderr } = await runWarmCli(["explore", ...args, "--budget", "1s"], { cwd: folder });
    expect(code).toBe(3);
    expect(stderr).toMatch(/budget of 1 s ran out before the calm run ended\.\n.*The reset, /);
    const pid = Number(readFileSync(join(folder, "pid"), "utf8"));
    await expect.poll(() => isRunning(pid)).toBe(false);
  });

  it("explore does not wait for an invariant that never returns", async () => {
    const { code, stderr } = await stuck;
    expect(code).not.toBe(0);
    expect(stderr).toMatch(/Code in stuck\.mjs has not returned for 10 s\.\n {2}Look for an infinite loop/);
  });

  it("explore stops on Ctrl-C and reports its progress", async () => {
    const { args, counts } = await serveShop(correctShop(), { webhooks: (_response, count) => count > 30 });
    const cli = startCli(["explore", ...args, ...ONE, "--json"]);
    await expect.poll(() => counts.webhooks).toBeGreaterThan(30);
    cli.kill("SIGINT");
    const { code, stdout } = await cli.ended;
    expect({ code, stopped: JSON.parse(stdout).stories[0].stopped }).toEqual({
      code: 130,
      stopped: "cancelled",
    });
  });
});

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** The parts that two runs of the same exploration have in common. */
function withoutWallTimes(json: string): string {
  return json.replace(/"(?:wallMs|lag|duration_ms)":\d+/g, "");
}

describe("the output files of a finding", () => {
  it("explore writes a finding as a saved file, an HTML file and a JUnit file", async () => {
    const folder = folderOf();
    const { args } = await serveShop(repeatingShop());
    const files = ["--html", "out/found.html", "--junit", "out/found.xml"];
    const explore = () => runCli(["explore", ...args, ...FEW, ...files], { cwd: folder });
    const { code, stdout } = await explore();
    expect(code).toBe(1);
    const path = join("sandglass", "findings", "payments-order-7-counted-twice.yaml");
    expect(stdout).toContain(
      `Saved as ${path}.\nIt expects the values of the calm run, in which everything goes well. If those`,
    );
    const saved = readFileSync(join(folder, path), "utf8");
    expect(saved).toContain("# Payments of order-7 are counted twice. Found by explore");
    expect(readFileSync(join(folder, "out/found.html"), "utf8")).toContain("As found");
    expect(readFileSync(join(folder, "out/found.xml"), "utf8")).toContain('type="answer-lost"');
  });

  it("explore rejects an output file that it cannot write to before it sends anything", async () => {
    const folder = folderOf();
    const { args, counts } = await serveShop(repeatingShop());
    writeFileSync(join(folder, "file"), "");
    const refused = await runCli(["explore", ...args, "--html", "file/found.html"], { cwd: folder });
    expectMisuse(refused, /Cannot write file\/found\.html/);
    expect(counts).toEqual({ webhooks: 0, state: 0, reset: 0 });
  });
});
