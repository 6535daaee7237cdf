import { tmpdir, userInfo } from "node:os";
import { join, matchesGlob } from "node:path";
import { configDefaults, defineConfig, type TestProjectInlineConfiguration } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/**
 * Tests that need Vite's transformation, because they contain JSX or use `vi.hoisted`, which moves code before the
 * imports.
 */
const TRANSFORMED = ["test/ui/{components,webhooks}.test.{ts,tsx}", "test/worlds/live-clock.test.ts"];

/**
 * Tests that change or inspect the state of a whole process: timers, the time, HTTP modules, or the document. So do
 * their extended files.
 */
const ALONE = [
  "test/library/{no-port,route,vitest}.test.ts",
  "test/chain-data/beside-*.test.ts",
  // These tests wait for processes and take the longest, so do not run them at the end, when there is nothing left to
  // run in parallel.
  "test/e2e/{explore-docs,guide}.test.ts",
  "test/library/{failures,playwright,runners}.test.ts",
];

/** The test files in a worker share one Chromium (see test/support/browser.ts). */
const IN_A_BROWSER = ["test/**/*.browser.test.ts"];

/** Test files that spend half of their time waiting for servers and databases, the longest first. */
const WAITING = [
  "explore/{start,statements}",
  "check/evidence",
  "property/interleavings",
  "explore/command",
  "check/verdicts",
  "explore/{postgres-safety,test-command,safety}",
  "check/databases",
  "explore/trust",
  "trial/statements",
  "explore/tables",
  "check/receivers",
  "explore/{all,findings,bugs,late,library,workers,own-story}",
].map((name) => `**/test/${name}{,.extended}.test.ts`);

/** Spreads those files evenly among the others. Run one after another, they would leave a processor idle. */
class Spread extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const together = sorted.filter(({ project }) => project.name.startsWith("together"));
    const waiting = WAITING.flatMap((name) => together.filter((file) => matchesGlob(file.moduleId, name)));
    const others = together.filter((file) => !waiting.includes(file));
    const places = new Map<TestSpecification, number>();
    for (const some of [waiting, others])
      for (const [index, file] of some.entries()) places.set(file, index / some.length);
    return sorted.toSorted((a, b) => (places.get(a) ?? -1) - (places.get(b) ?? -1));
  }
}

/** A folder that all runs by this user share. Another user's folder might not be writable. */
const shared = (name: string): string => join(tmpdir(), `sandglass-tests-${userInfo().uid}`, name);

/**
 * Splits a group of test files into two projects, because `npm test` leaves out files such as `*.extended.test.ts`.
 * Node loads the files itself and caches the compiled code; Vite would transform each file and look up each use of an
 * import.
 */
function inTwoParts(
  name: string,
  {
    include,
    exclude = [],
    experimental = { viteModuleRunner: false, nodeLoader: false },
    ...options
  }: { include: string[]; exclude?: string[]; isolate?: boolean; experimental?: object },
): TestProjectInlineConfiguration[] {
  const part = (of: string, included: string[], excluded: string[]): TestProjectInlineConfiguration => ({
    extends: true,
    test: {
      ...options,
      experimental,
      name: of,
      include: included,
      exclude: [...configDefaults.exclude, ...excluded],
    },
  });
  const extended = (patterns: string[]) => patterns.map((one) => one.replace(".test.", ".extended.test."));
  return [
    part(name, include, [...exclude, "**/*.extended.test.*"]),
    part(`${name}-extended`, extended(include), extended(exclude)),
  ];
}

// Workers, and the processes that they start, load code that other processes have already compiled.
process.env.NODE_COMPILE_CACHE ??= shared("compiled");

export default defineConfig({
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  test: {
    pool: "forks",
    globalSetup: "test/support/build-check.ts",
    // The cache for worlds that start from fixtures or scenarios. The developer's own cache is not touched. The same
    // applies to what trials remember about databases.
    env: {
      SANDGLASS_CACHE: shared("cache"),
      XDG_STATE_HOME: shared("state"),
    },
    maxWorkers: 6,
    sequence: { sequencer: Spread },
    // Limits only end tests that hang. They are far above what any test takes on a busy machine, so no test sets its
    // own.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 60_000 } },
    reporters: ["default", "./test/support/skipped-reporter.ts"],
    projects: [
      ...inTwoParts("transformed", { include: TRANSFORMED, experimental: {} }),
      ...inTwoParts("alone", { include: ALONE }),
      ...inTwoParts("browser", { include: IN_A_BROWSER, isolate: false }),
      // Sandboxes share no state, so test files in the same worker can share loaded modules.
      ...inTwoParts("together", {
        include: ["test/**/*.test.ts"],
        exclude: [...TRANSFORMED, ...ALONE, ...IN_A_BROWSER],
        isolate: false,
      }),
    ],
  },
});
