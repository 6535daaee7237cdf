import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { expectMisuse } from "../support/cli.ts";
import { scenarioText, sharedFolder } from "../support/scenarios.ts";
import { startSubscriber } from "../support/subscriber.ts";
import { runWarmCli } from "../support/warm-cli.ts";

const good = readFileSync(new URL("../../fixtures/init/scenario.template", import.meta.url), "utf8");
const bad = scenarioText("bad", '    await step("Sums", () => {\n      expect(1 + 1).toBe(3);\n    });');
const folder = sharedFolder({
  "good/scenarios/first.ts": good,
  "secret/scenarios/first.ts": good,
  "secret/sandbox.config.json": '{"webhooks": {"secret": "whsec_configured"}}',
  "mixed/scenarios/first.ts": good,
  "mixed/scenarios/deep/bad.mjs": bad,
  "mixed/scenarios/_helper.ts": "not a scenario",
  "mixed/scenarios/first.test.ts": "not a scenario either",
  "broken/scenarios/missing.ts": 'import { gone } from "./gone.ts";\nexport default { name: gone };\n',
  "broken/scenarios/package.ts": 'import { gone } from "no-such-package";\nexport default { name: gone };\n',
  "broken/scenarios/syntax.ts": "export default {\n  name: oops oops,\n};\n",
  "broken/scenarios/throws.ts": "\n\nthrow new Error('at once');\nexport default {};\n",
  "broken/scenarios/nameless.ts": 'export default { title: "No name", run() {} };\n',
  "broken/scenarios/shape.ts": 'export default { name: "shape", title: "Shape", steps: [] };\n',
  "broken/scenarios/params.ts":
    'export default { name: "params", title: "Params", params: { n: 3 }, run() {} };\n',
  "broken/scenarios/stalls.ts": "await new Promise(() => {});\nexport default {};\n",
  "broken/scenarios/misnamed.ts": 'import { defineScenari } from "sandglass";\nexport default {};\n',
  "broken/scenarios/empty.ts": "export {};\n",
  "twins/scenarios/one.ts": good,
  "twins/scenarios/two.ts": good,
  "turning/scenarios/turning.ts": good,
  "none/readme.txt": "nothing here",
});
const at = (name: string) => ({ cwd: join(folder, name) });

describe("sandglass run", () => {
  test("sandglass run plays the scenarios in the folder and prints each result", async () => {
    const { code, stdout, stderr } = await runWarmCli(["run", "--param", "failures=2"], at("good"));
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(/^passed {2}first-payment .* 2 h in /);
    expect(stdout).toMatch(/1 passed, 2 h of virtual time in /);
  });

  test("sandglass run exits 1 if a scenario fails, prints where it failed, and saves the world, page and reports", async () => {
    const args = ["run", "--junit", "out/junit.xml", "--html", "all.html", "--keep", "kept"];
    const { code, stdout, stderr } = await runWarmCli(args, at("mixed"));
    expect(code).toBe(1);
    expect(stdout).toMatch(/^failed {2}bad /m);
    expect(stdout).toContain("scenarios/deep/bad.mjs:8:21");
    expect(stdout).toMatch(/^passed {2}first-payment /m);
    const path = (file: string) => join(folder, "mixed", file);
    for (const file of ["kept/bad.sandglass", "kept/bad.html", "all.html"])
      expect(existsSync(path(file))).toBe(true);
    expect(existsSync(path("kept/first-payment.html"))).toBe(false);
    expect(readFileSync(path("out/junit.xml"), "utf8")).toMatch(/<testsuites[^>]* failures="1"/);
    expect(stderr).toContain("sandglass snapshot restore --file kept/bad.sandglass");
    expect(stderr).toMatch(/^Created the folder out\.$/m);
  });

  test("sandglass run shows the subscriber's response in the terminal, the JUnit file and the page", async () => {
    const subscriber = await startSubscriber((_received, response) =>
      response.writeHead(500).end(`the database is\n  locked ${"x".repeat(1_000)}`),
    );
    const args = ["--subscriber", subscriber.url, "--secret", "whsec_known"];
    const files = ["--junit", "answers.xml", "--html", "answers.html"];
    const { code, stdout } = await runWarmCli(["run", "--verbose", ...args, ...files], at("good"));
    expect(code).toBe(1);
    const reports = ["answers.xml", "answers.html"].map((file) =>
      readFileSync(join(folder, "good", file), "utf8").replaceAll("&quot;", '"'),
    );
    for (const report of [stdout, ...reports]) {
      expect(report).toMatch(
        /Attempt \d of payment\.completed failed.*500, .*returned "the database is locked x+…"/,
      );
      expect(report).toMatch(
        /Your subscriber responded with 500, "the database is locked x+…", to a delivery/,
      );
      expect(report).not.toContain("x".repeat(300));
    }
  });

  test("sandglass run deletes the files of a failure once the scenario passes again", async () => {
    const flag = (ok: boolean) => scenarioText("turning", `    expect(${ok}).toBe(true);`);
    const file = join(folder, "turning/scenarios/turning.ts");
    const kept = join(folder, "turning/sandglass-failed/turning.html");
    writeFileSync(file, flag(false));
    expect((await runWarmCli(["run"], at("turning"))).code).toBe(1);
    expect(existsSync(kept)).toBe(true);
    writeFileSync(file, flag(true));
    expect((await runWarmCli(["run"], at("turning"))).code).toBe(0);
    expect(existsSync(kept)).toBe(false);
  });

  // Only root has permission to write to /proc. For any other user, the path is rejected before the run.
  test.runIf(process.getuid?.() === 0)(
    "sandglass run reports a --keep folder that cannot be created, and still plays the scenarios",
    async () => {
      const { code, stderr } = await runWarmCli(["run", "bad", "--keep", "/proc/none/at/all"], at("mixed"));
      expect(code).toBe(1);
      expect(stderr).toMatch(/could not be saved to \/proc\/none/);
    },
  );

  test("sandglass run accepts a name, file, folder or shard, and lists the scenarios as JSON", async () => {
    for (const [args, cwd] of [
      [["first-payment"], at("mixed")],
      [["scenarios/first.ts"], at("mixed")],
      [["good"], { cwd: folder }],
    ] as const) {
      const { code, stdout } = await runWarmCli(["run", ...args, "--list", "--json"], cwd);
      expect(code).toBe(0);
      expect(JSON.parse(stdout).scenarios).toEqual([expect.objectContaining({ name: "first-payment" })]);
    }
    const shard = await runWarmCli(["run", "--shard", "2/2", "--json"], at("mixed"));
    expect(JSON.parse(shard.stdout)).toMatchObject({
      status: "passed",
      scenarios: [{ name: "first-payment" }],
    });
  });

  test("sandglass run takes the secret from the configuration, and prints a hint without one", async () => {
    const subscriber = await startSubscriber();
    const args = ["run", "--subscriber", subscriber.url];
    const { code, stderr } = await runWarmCli(args, at("secret"));
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect((await runWarmCli(args, at("good"))).stderr).toMatch(/^Without --secret/);
  });

  test("sandglass run plays the shipped scenarios if the folder has none", async () => {
    const { code, stdout } = await runWarmCli(["run", "--list", "--json"], at("none"));
    const { scenarios, problems } = JSON.parse(stdout);
    expect({ code, problems }).toEqual({ code: 0, problems: [] });
    expect(scenarios).toContainEqual(
      expect.objectContaining({
        name: "retry-and-recover",
        file: "sandglass/scenarios/retry-and-recover.ts",
        shipped: true,
      }),
    );
  });
});

describe("invalid uses of sandglass run", () => {
  const BROKEN: [string, RegExp][] = [
    ["missing", /scenarios\/missing\.ts: it imports '.*gone\.ts', which cannot be found/],
    ["package", /scenarios\/package\.ts: it imports 'no-such-package', which cannot be found/],
    ["syntax", /scenarios\/syntax\.ts:2:\d+: /],
    ["throws", /scenarios\/throws\.ts:3:\d+: it threw Error: at once/],
    ["nameless", /scenarios\/nameless\.ts: name is missing/],
    ["shape", /scenarios\/shape\.ts: a scenario has no field 'steps'/],
    ["params", /scenarios\/params\.ts: params\.n needs a default/],
    ["stalls", /scenarios\/stalls\.ts awaits something outside of run that never happens/],
    ["misnamed", /scenarios\/misnamed\.ts.*defineScenari[\s\S]*Correct the imported name/],
    ["empty", /scenarios\/empty\.ts: .*default export/],
  ];
  test("sandglass run names every file that is not a scenario, and lists it in the JUnit report", async () => {
    const { code, stdout, stderr } = await runWarmCli(["run", "--junit", "out.xml"], at("broken"));
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    const told = stderr.match(/^sandglass: scenarios\/.*\n {2}\S.*$/gm)!;
    expect(told).toHaveLength(BROKEN.length);
    for (const [name, message] of BROKEN)
      expect(
        told.find((text) => text.includes(`scenarios/${name}.ts`)),
        name,
      ).toMatch(message);
    expect(readFileSync(join(folder, "broken/out.xml"), "utf8")).toMatch(/<testsuites[^>]* errors="10"/);
  });

  test.each<[string, string[], RegExp]>([
    ["twins", [], /scenarios\/one\.ts and scenarios\/two\.ts are both named 'first-payment'/],
    ["good", ["no-such"], /no scenario 'no-such'/],
    ["good", ["--junit", "/proc/none/x.xml"], /Cannot write \/proc\/none\/x\.xml/],
    [
      "good",
      ["--keep", "scenarios/first.ts/x/y"],
      /Cannot save to scenarios\/first\.ts\/x\/y: .*first\.ts is not a folder/,
    ],
    ["good", ["scenarios/no-such.ts"], /no file or folder scenarios\/no-such\.ts/],
    ["good", ["--param", "failures"], /--param expects a name and a value/],
    ["good", ["--param", "color=red"], /None of these scenarios has a parameter 'color'/],
    ["good", ["--param", "failures=many"], /failures .* "many"/],
    ["good", ["--param", "failures=1", "--param", "failures=2"], /--param sets 'failures' twice/],
    ["good", ["no-such", "--list"], /no scenario 'no-such'/],
    ["good", ["--timeout", "0"], /time limit must be longer than 0/],
    ["good", ["--shard", "4/3"], /--shard expects/],
    ["good", ["--timeout", "soon"], /--timeout: .*soon/],
    ["good", ["--subscriber", "ftp://localhost"], /not a subscriber URL/],
  ])(
    "sandglass run in the folder %s with the arguments %j exits 2 and suggests a fix",
    async (name, args, message) => {
      expectMisuse(
        await runWarmCli(["run", ...args], { ...at(name), env: { SANDGLASS_WEBHOOK_SECRET: "whsec_known" } }),
        message,
      );
    },
  );
});
