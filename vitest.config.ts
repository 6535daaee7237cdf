import { tmpdir, userInfo } from "node:os";
import { join, matchesGlob } from "node:path";
import { configDefaults, defineConfig, type TestProjectInlineConfiguration } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** They need Vite's transformation: of JSX, and of what `vi.hoisted` moves before the imports. */
const TRANSFORMED = ["test/ui/{components,webhooks}.test.{ts,tsx}", "test/worlds/live-clock.test.ts"];

/** They change what a whole process has, or look at it: timers, the time, HTTP modules, a document. Their extended files do, too. */
const ALONE = [
  "test/library/{no-port,route,vitest}.test.ts",
  "test/chain-data/beside-*.test.ts",
  // They wait for processes, and take longest: not at the end, when nothing is left to do beside them.
  "test/e2e/{explore-docs,guide}.test.ts",
  "test/library/{failures,playwright,runners}.test.ts",
];

/** The files of a worker share a Chromium, too; see test/support/browser.ts. */
const IN_A_BROWSER = ["test/**/*.browser.test.ts"];

/** Files that wait for servers and databases half of the time, longest first. */
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

/** Spreads those files evenly over the others: one after the other, they would leave a processor idle. */
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

/** A folder that the runs of this user share; another user's could not be written. */
const shared = (name: string): string => join(tmpdir(), `sandglass-tests-${userInfo().uid}`, name);

/**
 * A group of files as two projects, as `npm test` leaves out files such as `*.extended.test.ts`. Node loads the files itself, and
 * stores what it has compiled of them: Vite would transform each, and look up each use of an import.
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

// Workers and the processes that they start load what others have compiled.
process.env.NODE_COMPILE_CACHE ??= shared("compiled");

export default defineConfig({
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  test: {
    pool: "forks",
    globalSetup: "test/support/build-check.ts",
    // What beginnings of worlds are cached in; the developer's own cache stays as it is.
    // So does what trials note of databases.
    env: {
      SANDGLASS_CACHE: shared("cache"),
      XDG_STATE_HOME: shared("state"),
    },
    maxWorkers: 6,
    sequence: { sequencer: Spread },
    // Limits end what hangs. None is near what work takes on a busy machine, so no test names its own.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 60_000 } },
    reporters: ["default", "./test/support/skipped-reporter.ts"],
    projects: [
      ...inTwoParts("transformed", { include: TRANSFORMED, experimental: {} }),
      ...inTwoParts("alone", { include: ALONE }),
      ...inTwoParts("browser", { include: IN_A_BROWSER, isolate: false }),
      // Sandboxes share nothing, so a file need not load everything anew.
      ...inTwoParts("together", {
        include: ["test/**/*.test.ts"],
        exclude: [...TRANSFORMED, ...ALONE, ...IN_A_BROWSER],
        isolate: false,
      }),
    ],
  },
});
