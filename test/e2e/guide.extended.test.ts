import { readdirSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { loadConfig } from "../../src/config/load-config.ts";
import { startBuiltProcess } from "../support/built.ts";
import { type Ended, runChild } from "../support/child.ts";
import {
  blocksOf,
  comparable,
  consoleOf,
  expectLines,
  ROOT,
  readPage,
  shownIn,
  startShop,
  written,
} from "../support/docs.ts";
import { projectFolder, runShell } from "../support/project.ts";
import { clientOf } from "../support/sandbox.ts";
import { warmNpx } from "../support/warm-shell.ts";

const PAGES = readdirSync(join(ROOT, "docs/guide"));

/** The commands that every page tells its readers to run first. */
const SHELL_VARIABLES = blocksOf(readPage("docs/guide/start.md").split("## Shell variables")[1]!, "sh")[0]!;

/** Replaces npx, which takes almost a second to start. The commands in the README use the real npx. */
const NPX = 'npx() { local name=$1; shift; "node_modules/.bin/$name" "$@"; }\n';

/** The shell commands on a page, in order. */
const commandsOf = (path: string): string => blocksOf(readPage(path), "sh").join("");

const expectSuccess = ({ code, stderr }: Ended) => expect({ code, stderr }).toMatchObject({ code: 0 });

describe("commands in the guide", () => {
  /** What the commands on each page must print. All of them must also succeed. */
  const PRINTED: Record<string, RegExp[]> = {
    "recovery.md": [
      /webhook\.disabled/,
      /10 deliveries in a row failed/,
      /^status +enabled$/m,
      /^3 retries of deliveries that failed since .*: 3 delivered$/m,
      /payment\.completed +1 +failed with 503/,
      /checkout\.completed +1 +timed out/,
      /^ +\[503\]─+\(200\)/m,
    ],
    "chain-data.md": [
      /^USDC {2}8453 {2}0x833589fcd6edb6e08f4c7c32d4f71b54bda02913$/m,
      /upstream\.failed .*explorer-1/,
      /^purged +[1-9]\d*$/m,
      /^chain_id +8453\nrows +2\nsource +set\n/m,
      /^50 more, then 100 in all$/m,
    ],
    "game.md": [
      /^bafkrei\w+$/m,
      /^\S+ {2}990000$/m,
      / rule\.fired +support the roastery fired/,
      / rule\.skipped +boss reward did not fire.*value must be at least 100, not 40/,
      /^boss reward .* 1 +1 +value must be at least 100, not 40/m,
      /^senderId +0x\w{40}$/m,
      /expired/,
    ],
    "faults.md": [
      /payment\.completed +returned 200 +signature valid$/m,
      /^responds +500, 410, then 200, after 50 ms each$/m,
      /^platform API +200 ms slower, at a rate of 0\.5 /m,
    ],
    "journal.md": [
      /^3 .* checkout\.completed /m,
      /^\{"data":\[\{/m,
      /^event: payment\./m,
      /^curl 'http\S+\/payment-links\?limit=1'/m,
    ],
    "payments.md": [/payment\.completed +evt_/],
    "webhooks.md": [/connection_refused/, /10 deliveries in a row failed/, /^dashboard$/m, /^0$/m],
  };
  const pages = PAGES.filter((page) => commandsOf(`docs/guide/${page}`) !== "");
  // A single server, started with `npm start`, with a separate world for each page.
  let server: ReturnType<typeof clientOf>;
  let endServer: (() => void) | undefined;
  beforeAll(async () => {
    const { url } = await startBuiltProcess(["--port", "0"], { ending: (end) => (endServer = end) });
    server = clientOf(url);
  });
  afterAll(() => endServer?.());

  test.each(pages)("the commands in %s run as written", async (page) => {
    const script = (await warmNpx()) + SHELL_VARIABLES + commandsOf(`docs/guide/${page}`);
    const { body } = await server.control("POST", "/worlds", { name: basename(page, ".md") });
    const ended = await runShell(script, { url: body.url });
    expectSuccess(ended);
    for (const pattern of PRINTED[page] ?? []) expect(ended.stdout).toMatch(pattern);
    if (page === "recovery.md") expect(ended.stdout.match(/payment\.completed -> 500/g)).toHaveLength(10);
    if (page === "chain-data.md") {
      const states = ended.stdout.match(/^x-cache: \w+/gim)!.map((line) => line.split(" ")[1]);
      expect(states).toEqual(["MISS", "HIT", "EXPIRED", "MISS", "STALE"]);
    }
  });
});

describe("commands on other pages", () => {
  test("the commands in docs/scenarios.md run as written", async () => {
    const ended = await runShell((await warmNpx()) + commandsOf("docs/scenarios.md"), { url: "" });
    expectSuccess(ended);
    expect(ended.stdout).toMatch(/^2 passed, /m);
  });

  test.each([
    ["ci", [/^2 passed, /m, /^200 \d+ payment links$/m]],
    ["job", [/^2 messages$/m]],
  ])("the commands in docs/ci.md run as written: %s", async (name, patterns) => {
    const script = blocksOf(shownIn(readPage("docs/ci.md"), name), "sh").join("");
    // The output of the command that exec starts goes to exec's own terminal.
    const npx = name === "job" ? await warmNpx() : NPX;
    const ended = await runShell(npx + script, { url: "" });
    expectSuccess(ended);
    for (const pattern of patterns) expect(ended.stdout).toMatch(pattern);
  });
});

describe("code in the guide", () => {
  test.each(["configuration.md", "game.md", "where-it-runs.md"])(
    "%s shows a valid configuration",
    async (page) => {
      const [block] = blocksOf(readPage(`docs/guide/${page}`), "ts");
      const folder = projectFolder("sandglass");
      writeFileSync(join(folder, "sandbox.config.ts"), block!);
      expect((await loadConfig(join(folder, "sandbox.config.ts"))).config).toBeTypeOf("object");
    },
  );

  test("the handler in own-sender.md passes check, and explore finds its bug until the bug is fixed", async () => {
    const page = readPage("docs/guide/own-sender.md");
    const [sender] = blocksOf(page, "yaml");
    const [buggy, fix] = blocksOf(page, "js") as [string, string];
    const fixed = buggy
      .replace(/^function handle\(.*?^}\n/ms, fix)
      .replace("seen.clear()", "$&, times.clear()");
    const check = blocksOf(page, "text").find((block) => block.includes("sandglass check"))!;
    const [find] = consoleOf(shownIn(page, "find"));
    const [nothing] = consoleOf(shownIn(page, "fixed"));
    const run = (command: string) => `${command.trim()} && echo "ended: 0" || echo "ended: $?"\n`;
    const script = [
      `export ACME_SECRET=acme_secret\nmkdir scenarios\ntrap 'kill $SHOP' EXIT\n`,
      written("senders/acme.yaml", sender!),
      startShop(buggy) + run(check) + run(find!.command),
      startShop(fixed) + run(nothing!.command),
    ].join("");
    const { stdout } = await runShell(script.replaceAll("npx sandglass", "node_modules/.bin/sandglass"), {
      url: "",
    });
    const [checked, found, unfound, end] = stdout.split(/^ended: /m);
    expect(sender!.trim().split("\n")).toHaveLength(10);
    expect(checked).toMatch(/^23 pass, 4 unknown in /m);
    expectLines(found!, find!.printed);
    expect(unfound).toMatch(/^1\n/);
    expect(comparable(unfound!)).toEqual(["1", ...comparable(nothing!.printed)]);
    expect(end).toBe("0\n");
  });

  test("the subscriber in webhooks.md rejects forged requests", async () => {
    const [block] = blocksOf(readPage("docs/guide/webhooks.md"), "js");
    const ended = await runShell(
      `${NPX}cat > subscriber.mjs <<'END'
${block}END
export WEBHOOK_SECRET=whsec_guide
node subscriber.mjs > /dev/null 2>&1 & SUBSCRIBER=$!
trap 'kill $SUBSCRIBER' EXIT
curl -s -o /dev/null --retry 20 --retry-connrefused --retry-delay 1 http://127.0.0.1:3000/
npx sandglass check http://127.0.0.1:3000/webhooks --secret whsec_guide --only wrong-signature,missing-signature,malformed-signature
`,
      { url: "" },
    );
    expectSuccess(ended);
    expect(ended.stdout).toMatch(/^4 pass in /m);
  });

  const tests = blocksOf(readPage("docs/guide/testing.md"), "ts");
  const { VITEST: _vitest, NODE_OPTIONS: _options, ...env } = process.env;

  test("the node:test tests in testing.md and explore.md pass", async () => {
    const folder = projectFolder("sandglass");
    writeFileSync(join(folder, "guide.test.mts"), tests.find((block) => block.includes('"node:test"'))!);
    writeFileSync(join(folder, "explore.test.mts"), blocksOf(readPage("docs/explore.md"), "ts")[0]!);
    const ended = await runChild(process.execPath, ["--test"], { cwd: folder, env });
    expectSuccess(ended);
    expect(ended.stdout).toMatch(/pass 2$/m);
  });

  test("the Vitest tests in testing.md and the README pass", async () => {
    const folder = projectFolder("vitest", "sandglass");
    writeFileSync(join(folder, "guide.test.ts"), tests.find((text) => text.includes("sandglass/vitest"))!);
    writeFileSync(join(folder, "readme.test.ts"), blocksOf(readPage("README.md"), "ts")[0]!);
    const vitest = join(ROOT, "node_modules/vitest/vitest.mjs");
    const { stdout, stderr } = await runChild(process.execPath, [vitest, "run", "--root", folder], {
      cwd: folder,
      env,
    });
    expect(stdout + stderr).toMatch(/Tests.*2 passed/);
  });
});
