import { statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { configDefaults, defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** They change what a whole process has, or look at it: timers, the time, HTTP modules, a document. */
const ALONE = [
  "test/library/{no-port,vitest}.test.ts",
  "test/ui/components.test.tsx",
  "test/chain-data/beside-*.test.ts",
  "test/worlds/live-clock.test.ts",
  // They wait for processes, and take longest: not at the end, when nothing is left to do beside them.
  "test/e2e/{explore-docs,guide}.test.ts",
  "test/library/{failures,playwright,runners}.test.ts",
  "test/torture/torture.test.ts",
];

/** The files of a worker share a Chromium, too; see test/support/browser.ts. */
const IN_A_BROWSER = ["test/**/*.browser.test.ts"];

/** Files that wait for servers and databases half of the time, with the seconds that they take. */
const WAITING: Record<string, number> = {
  ...{ "explore/start": 90, "explore/statements": 90, "check/evidence": 45, "property/interleavings": 40 },
  ...{
    "explore/command": 40,
    "check/verdicts": 40,
    "explore/postgres-safety": 40,
    "explore/test-command": 35,
  },
  ...{ "explore/safety": 35, "check/databases": 30, "explore/trust": 30, "trial/statements": 30 },
  ...{ "explore/tables": 25, "check/receivers": 25, "explore/all": 25, "explore/findings": 25 },
  ...{ "explore/bugs": 20, "explore/late": 15, "explore/library": 15, "explore/workers": 15 },
  ...{ "explore/own-story": 15, "e2e/shop": 10, "scenarios/shipped": 10, "payments/silent-subscribers": 10 },
  ...{ "explore/sender-api": 10, "control/who-may": 10, "e2e/readme": 5, "e2e/own-data": 5 },
};

/** Spreads those files evenly over the others, the largest first: one after the other, they would leave a processor idle. */
class Spread extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const together = files.filter(({ project }) => project.name === "together");
    const secondsOf = ({ moduleId }: TestSpecification) =>
      WAITING[moduleId.replace(/^.*\/test\/|\.test\.tsx?$/g, "")] ?? 0;
    const sizeOf = ({ moduleId }: TestSpecification) => statSync(moduleId).size;
    const places = new Map<TestSpecification, number>();
    const waiting = together.filter(secondsOf).toSorted((a, b) => secondsOf(b) - secondsOf(a));
    const whole = waiting.reduce((sum, file) => sum + secondsOf(file), 0);
    let before = 0;
    for (const file of waiting) {
      places.set(file, before / whole);
      before += secondsOf(file);
    }
    const others = together.filter((file) => !places.has(file)).toSorted((a, b) => sizeOf(b) - sizeOf(a));
    for (const [index, file] of others.entries()) places.set(file, index / others.length);
    return (await super.sort(files)).toSorted((a, b) => (places.get(a) ?? -1) - (places.get(b) ?? -1));
  }
}

// Workers and the processes that they start load what others have compiled.
process.env.NODE_COMPILE_CACHE ??= join(tmpdir(), "sandglass-tests-compiled");

export default defineConfig({
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  test: {
    pool: "forks",
    globalSetup: "test/support/build-check.ts",
    // What beginnings of worlds are cached in; the developer's own cache stays as it is.
    // So does what trials note of databases.
    env: {
      SANDGLASS_CACHE: join(tmpdir(), "sandglass-tests"),
      XDG_STATE_HOME: join(tmpdir(), "sandglass-tests-state"),
    },
    maxWorkers: 6,
    sequence: { sequencer: Spread },
    // Limits end what hangs. None is near what work takes on a busy machine, so no test names its own.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 60_000 } },
    reporters: ["default"],
    projects: [
      { extends: true, test: { name: "alone", include: ALONE } },
      { extends: true, test: { name: "browser", include: IN_A_BROWSER, isolate: false } },
      {
        extends: true,
        test: {
          name: "together",
          include: ["test/**/*.test.ts"],
          exclude: [...configDefaults.exclude, ...ALONE, ...IN_A_BROWSER],
          // Sandboxes share nothing, so a file need not load everything anew.
          isolate: false,
        },
      },
    ],
  },
});
