import "../runtime/require-node.ts";
import { test as base, type RunnerTestCase, type RunnerTestSuite, type TestAPI } from "vitest";
import { accessOf } from "../client/sandbox.ts";
import { invalidState, SandboxError } from "../errors/errors.ts";
import type { Sandbox } from "../library/index.ts";
import { type CreateSandboxOptions, createSandbox } from "./create-sandbox.ts";
import { explain, forgetWorld, keepWorld, numbered } from "./keep-on-failure.ts";

/**
 * The fixtures for a Vitest test.
 * @example
 * test("both", async ({ sandbox, sandboxServer }: SandboxFixtures) => {
 *   expect(sandbox.url).not.toBe(sandboxServer.url);
 * });
 */
export interface SandboxFixtures {
  /**
   * The options for the test file's server: `seed`, `startAt` and everything else that `createSandbox()` accepts. Set
   * them with `test.extend({ sandboxOptions })`. Because test files run in parallel, `ports`, `dataDir` and any `port`
   * other than false are ignored.
   */
  sandboxOptions: CreateSandboxOptions;
  /** The server that the worlds of a test file share. Its own world is named `default`. */
  sandboxServer: Sandbox;
  /** The test's own world. */
  sandbox: Sandbox;
}

/** The time limit for starting a server in real milliseconds. The tests' own limit does not apply to this. */
const START_TIMEOUT_MS = 300_000;

/**
 * Vitest's `test` with a `sandbox` fixture: a separate world for each test that uses it, with the default seed and a paused
 * clock. A file's worlds share one server, which starts before the first test's timeout begins and stops at the end of the
 * file. A failing test saves its world to `sandglass-failed/`, with a page that shows what happened.
 *
 * @example
 * const test = sandboxTest.extend({ sandboxOptions: { seed: "empty", startAt: "2027-01-01T00:00:00Z" } });
 *
 * test("a new year", async ({ sandbox }) => {
 *   expect(await sandbox.clock.now()).toBe("2027-01-01T00:00:00.000Z");
 * });
 */
export const test = startServerFirst(
  base.extend<SandboxFixtures>({
    sandboxOptions: [{}, { scope: "file" }],
    sandboxServer: [
      async ({ sandboxOptions }, use) => {
        const { port, ports: _ports, dataDir: _dataDir, ...options } = sandboxOptions;
        const starting = createSandbox({ ...options, port: port === false ? false : 0 });
        await using server = await starting.catch((error: unknown) => {
          if (error instanceof SandboxError) explain(error);
          throw error;
        });
        await use(server);
      },
      { scope: "file" },
    ],
    sandbox: async ({ sandboxServer, sandboxOptions, task }, use) => {
      if (sandboxOptions.route !== undefined && task.concurrent) throw concurrentRoute(task.name);
      await using world = await sandboxServer.open();
      await use(world);
      await settle(world, task);
    },
  }),
);

/** The properties of `test` that declare tests, such as `test.only(…)` and `test.each(…)(…)`. */
const DECLARING = new Set<PropertyKey>("concurrent sequential only fails each for skipIf runIf".split(" "));

/**
 * Vitest counts the time that fixtures take towards the test's limit. So each suite with tests gets a hook that
 * requests the server first and has a time limit of its own. An extended `test` has a separate server and hooks; if it
 * declares no tests, it starts no server.
 */
function startServerFirst<Test extends TestAPI<SandboxFixtures>>(test: Test): Test {
  // Before Vitest 4.1, hooks cannot request fixtures, so the first test starts the server.
  const declare = () => test.beforeAll?.(({ sandboxServer }) => void sandboxServer, START_TIMEOUT_MS);
  return new Proxy(test, {
    apply(target, self, args) {
      declare();
      return Reflect.apply(target, self, args);
    },
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (name === "extend")
        return (...fixtures: unknown[]) => {
          checkOptions(fixtures[0]);
          return startServerFirst(Reflect.apply(value as () => Test, target, fixtures));
        };
      if (DECLARING.has(name)) declare();
      return value;
    },
  });
}

/**
 * Rejects options that would be ignored by Vitest before version 4.1, which introduced `override`.
 * @throws SandboxError `invalid_state`
 */
function checkOptions(fixtures: unknown): void {
  if ("override" in base || !(fixtures instanceof Object && "sandboxOptions" in fixtures)) return;
  throw invalidState(
    "sandboxOptions needs Vitest 4.1 or later.",
    "Update Vitest, or start a server with createSandbox() in a beforeAll and give each test sandbox.open().",
  );
}

function concurrentRoute(name: string): SandboxError {
  const error = invalidState(
    `With sandboxOptions.route, this process's calls can reach only one world at a time, but the test "${name}" runs concurrently with others.`,
    "Run it without test.concurrent, or omit route and give your code the address of its own world's API.",
  );
  explain(error);
  return error;
}

/**
 * Saves the world of a failed test and adds hints to its errors. After a passing test, removes the files of an earlier
 * failure.
 */
async function settle(world: Sandbox, task: Readonly<RunnerTestCase>): Promise<void> {
  const { state, errors = [] } = task.result ?? {};
  const name = ownName(task);
  // A test that is expected to fail counts as failed if it passes.
  if ((state === "fail") === (task.fails ?? false)) {
    if (state !== "skip") forgetWorld(name);
    return;
  }
  const where = await keepWorld(accessOf(world, "sandbox"), name);
  for (const error of errors) explain(error, ...(error === errors.at(-1) ? [where] : []));
}

/** A test's name, numbered if other tests in its file have the same name. A retry counts as the same test. */
function ownName(task: Readonly<RunnerTestCase>): string {
  const name = nameOf(task);
  const same = testsOf(task.file).filter((one) => one.name === task.name && nameOf(one) === name);
  return numbered(
    name,
    same.findIndex(({ id }) => id === task.id),
  );
}

const testsOf = ({ tasks }: RunnerTestSuite): RunnerTestCase[] =>
  tasks.flatMap((task) => (task.type === "suite" ? testsOf(task) : [task]));

/** A test's name with its file and suites, as reporters print it. */
function nameOf(task: Readonly<RunnerTestCase>): string {
  const names = [task.name];
  for (let suite: RunnerTestSuite | undefined = task.suite; suite; suite = suite.suite)
    names.unshift(suite.name);
  return [task.file.name, ...names].join(" > ");
}

export { afterAll, afterEach, beforeAll, beforeEach, describe, expect } from "vitest";
