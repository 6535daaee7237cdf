import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { verifySignature } from "../../src/payments/webhooks/signature.ts";
import type { ScenarioReport } from "../../src/reports/scenario-report.ts";
import { createCatalog } from "../../src/scenarios/catalog.ts";
import { startBuilt } from "../support/built.ts";
import { clientOf } from "../support/sandbox.ts";
import { runToEnd } from "../support/scenarios.ts";
import { startSubscriber } from "../support/subscriber.ts";
import { withoutWallTimes } from "../support/wall-times.ts";
import { runWarmCli } from "../support/warm-cli.ts";

const path = (name: string) => fileURLToPath(new URL(`../../${name}`, import.meta.url));

/** Stories by name, with their texts. */
const STORIES = new Map(
  readdirSync(path("scenarios"))
    .filter((file) => file.endsWith(".ts"))
    .sort()
    .map((file) => [file.slice(0, -".ts".length), readFileSync(path(`scenarios/${file}`), "utf8")]),
);
const names = [...STORIES.keys()];
const folder = mkdtempSync(join(tmpdir(), "sandglass-shipped-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What `sandglass run`, as it was built, ends with in a folder that has no scenarios. */
async function runBuilt(args: string[] = [], cwd = folder) {
  const { code, stdout, stderr } = await runWarmCli(["run", "--json", ...args], { cwd, keep: true });
  expect(stdout, stderr).toMatch(/^\{/);
  return { code, scenarios: JSON.parse(stdout).scenarios as ScenarioReport[] };
}

/** Each scenario's result, with the reason where it failed. */
const results = (scenarios: readonly ScenarioReport[]) =>
  scenarios.map(({ name, status, failure }) => [name, status, failure]);
const passed = (expected: readonly string[]) => expected.map((name) => [name, "passed", null]);

let run: Awaited<ReturnType<typeof runBuilt>>;
beforeAll(async () => {
  run = await runBuilt();
});

describe("the shipped scenarios", () => {
  test("all pass, each under the name of its file", () => {
    expect(names).toHaveLength(12);
    expect(results(run.scenarios)).toEqual(passed(names));
    expect(run.code).toBe(0);
    expect(run.scenarios.map(({ file }) => file)).toEqual(
      names.map((name) => `sandglass/scenarios/${name}.ts`),
    );
  });

  test("have steps with titles of their own, expectations, and hours of virtual time", () => {
    for (const { name, title, description, steps, expectations, started_at, ended_at } of run.scenarios) {
      expect(title, name).toMatch(/^\S.{20,}[^.]$/);
      expect(description, name).toMatch(/^\S.{80,}\.$/s);
      expect(new Set(steps.map((step) => step.title)).size, name).toBe(steps.length);
      expect(steps.length, name).toBeGreaterThanOrEqual(3);
      expect(expectations, name).toBeGreaterThanOrEqual(3);
      expect(Date.parse(ended_at) - Date.parse(started_at), name).toBeGreaterThanOrEqual(3_600_000);
    }
  });

  test("import nothing but Sandglass, so that people can read them", () => {
    for (const [name, text] of STORIES)
      expect(
        [...text.matchAll(/ from "([^"]+)"/g)].map(([, module]) => module),
        name,
      ).toEqual(["sandglass"]);
  });

  test("pass with a correct subscriber in place of the inboxes, with other parameters", async () => {
    const secret = "whsec_of_the_receiver";
    const subscriber = await startSubscriber(({ headers, body }, response) => {
      const signed = verifySignature(body, String(headers["x-platform-signature"]), secret);
      response.writeHead(signed ? 204 : 401).end();
    });
    const withInbox = names.filter((name) => STORIES.get(name)!.includes("sandbox.inbox("));
    expect(withInbox.length).toBeGreaterThanOrEqual(9);
    const params = { reason: "reverted", minutes: 5, failure: "timeout" };
    const flags = Object.entries(params).flatMap(([key, value]) => ["--param", `${key}=${value}`]);
    const receiver = ["--subscriber", subscriber.url, "--secret", secret];
    const { scenarios } = await runBuilt([...withInbox, ...receiver, ...flags]);
    expect(results(scenarios)).toEqual(passed(withInbox));
    const called = subscriber.received.filter(({ headers }) => headers["x-platform-webhook-id"]);
    expect(called.length).toBeGreaterThanOrEqual(withInbox.length);
  });

  test("fail with a subscriber that refuses everything", async () => {
    const { url } = await startSubscriber(401);
    const { code, scenarios } = await runBuilt([
      "retry-and-recover",
      "--subscriber",
      url,
      "--secret",
      "whsec_another",
    ]);
    expect(code).toBe(1);
    const [{ failure }] = scenarios as [ScenarioReport];
    expect(failure).toMatchObject({
      code: "expectation",
      step: "Two hours pass, with every retry that falls due",
      position: { file: "sandglass/scenarios/retry-and-recover.ts" },
    });
    const { line, column } = failure!.position!;
    const source = STORIES.get("retry-and-recover")!.split("\n")[line - 1]!;
    expect(source.slice(column - 1)).toMatch(/^toEqual\(\[\.\.\.failed, "success"\]\)/);
  });

  test("another process, asked over HTTP, reports the same except real time, and takes other parameters", async () => {
    // Every sixth one: that a run is the same in both does not depend on the story.
    const some = run.scenarios.filter((_, index) => index % 6 === 0);
    const server = clientOf(await startBuilt(["--port", "0", "--seed", "empty"]));
    const again = Promise.all(some.map(({ name }) => runToEnd(server, name)));
    const offered = [
      ...["timed_out", "rejected"].map((reason) => ["failed-payment", { reason }] as const),
      ["session-expiry", { minutes: 1440 }] as const,
    ];
    const others = Promise.all(offered.map(([name, params]) => runToEnd(server, name, { params })));
    expect((await again).map(({ report }) => withoutWallTimes(report))).toEqual(some.map(withoutWallTimes));
    expect(results((await others).map(({ report }) => report))).toEqual(
      passed(offered.map(([name]) => name)),
    );
  });
});

test("the example in docs/scenarios.md runs as it stands", async () => {
  const [, code] = /```ts\n(import \{ defineScenario \}[^`]+)```/.exec(
    readFileSync(path("docs/scenarios.md"), "utf8"),
  )!;
  const own = join(folder, "own");
  mkdirSync(join(own, "scenarios"), { recursive: true });
  writeFileSync(join(own, "scenarios", "late-order.ts"), code!);
  const { code: exit, scenarios } = await runBuilt([], own);
  expect(results(scenarios)).toEqual(passed(["late-order"]));
  expect(exit).toBe(0);
  expect(scenarios[0]!.file).toBe("scenarios/late-order.ts");
});

test("the list of scenarios in the build has the scenarios of the sources", async () => {
  const listed = JSON.parse(readFileSync(path("dist/scenarios/shipped.json"), "utf8"));
  const { scenarios } = await createCatalog({ cwd: folder, folder: join(folder, "none") }).list();
  const read = scenarios.map(({ path: _path, file: _file, shipped: _shipped, ...info }) => [
    `${info.name}.js`,
    info,
  ]);
  expect(listed).toEqual(Object.fromEntries(read));
});
