import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import type { ScenarioReport } from "../../src/reports/scenario-report.ts";
import { createCatalog } from "../../src/scenarios/catalog.ts";
import { startBuilt } from "../support/built.ts";
import { clientOf } from "../support/sandbox.ts";
import { runToEnd } from "../support/scenarios.ts";
import { startSubscriber } from "../support/subscriber.ts";
import { withoutWallTime } from "../support/webhooks.ts";
import {
  folder,
  names,
  passed,
  passWithSubscriber,
  path,
  results,
  runBuilt,
  STORIES,
  WITH_INBOX,
} from "./shipped.ts";

let run: Awaited<ReturnType<typeof runBuilt>>;
beforeAll(async () => {
  run = await runBuilt();
});

describe("shipped scenarios", () => {
  test("every shipped scenario passes and is named after its file", () => {
    expect(names).toHaveLength(12);
    expect(results(run.scenarios)).toEqual(passed(names));
    expect(run.code).toBe(0);
    expect(run.scenarios.map(({ file }) => file)).toEqual(
      names.map((name) => `sandglass/scenarios/${name}.ts`),
    );
  });

  test("shipped scenarios have distinct step titles, expectations and at least an hour of virtual time", () => {
    for (const { name, title, description, steps, expectations, started_at, ended_at } of run.scenarios) {
      expect(title, name).toMatch(/^\S.{20,}[^.]$/);
      expect(description, name).toMatch(/^\S.{80,}\.$/s);
      expect(new Set(steps.map((step) => step.title)).size, name).toBe(steps.length);
      expect(steps.length, name).toBeGreaterThanOrEqual(3);
      expect(expectations, name).toBeGreaterThanOrEqual(3);
      expect(Date.parse(ended_at) - Date.parse(started_at), name).toBeGreaterThanOrEqual(3_600_000);
    }
  });

  test("shipped scenarios import only Sandglass", () => {
    for (const [name, text] of STORIES)
      expect(
        [...text.matchAll(/ from "([^"]+)"/g)].map(([, module]) => module),
        name,
      ).toEqual(["sandglass"]);
  });

  // The extended tests cover the other scenarios.
  test("two shipped scenarios pass with a correct subscriber in place of the inbox", () =>
    passWithSubscriber(WITH_INBOX.slice(0, 2)));

  test("a shipped scenario fails with a subscriber that rejects everything", async () => {
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

  test("a run over HTTP reports the same as the command, apart from real time", async () => {
    // Every sixth scenario is enough, because whether two runs are equal does not depend on the scenario.
    const some = run.scenarios.filter((_, index) => index % 6 === 0);
    const server = clientOf(await startBuilt(["--port", "0", "--seed", "empty"]));
    const again = Promise.all(some.map(({ name }) => runToEnd(server, name)));
    expect(withoutWallTime((await again).map(({ report }) => report))).toEqual(withoutWallTime(some));
  });
});

test("the example in docs/scenarios.md runs as written", async () => {
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

test("the build's list of shipped scenarios matches the sources", async () => {
  const listed = JSON.parse(readFileSync(path("dist/scenarios/shipped.json"), "utf8"));
  const { scenarios } = await createCatalog({ cwd: folder, folder: join(folder, "none") }).list();
  const read = scenarios.map(({ path: _path, file: _file, shipped: _shipped, ...info }) => [
    `${info.name}.js`,
    info,
  ]);
  expect(listed).toEqual(Object.fromEntries(read));
});
