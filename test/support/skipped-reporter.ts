import { relative } from "node:path";
import type { Reporter, TestModule, Vitest } from "vitest/node";
import { BROWSER } from "./chromium.ts";
import { hasPostgres } from "./postgres.ts";

/** Requirements of tests that a machine may lack, and how to install them. */
const NEEDS = [
  {
    name: "Chromium",
    isHere: () => BROWSER !== undefined,
    remedy: "install it, or set CHROMIUM to its path",
  },
  { name: "Postgres", isHere: hasPostgres, remedy: "install it, such as by apt-get install postgresql" },
] as const;

/** Counts and lists the skipped tests at the end of a run, with what is missing on this machine. */
export default class SkippedReporter implements Reporter {
  #root = "";
  #isFiltered = false;

  onInit({ config }: Vitest): void {
    this.#root = config.root;
    // Tests that -t leaves out count as skipped as well.
    this.#isFiltered = config.testNamePattern !== undefined;
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const files = modules.flatMap((module) => {
      const names = [...module.children.allTests("skipped")].map((test) => {
        const result = test.result();
        return `${test.fullName}${result.state === "skipped" && result.note ? ` (${result.note})` : ""}`;
      });
      return names.length === 0 ? [] : [{ file: relative(this.#root, module.moduleId), names }];
    });
    const count = files.reduce((sum, { names }) => sum + names.length, 0);
    if (count === 0 || this.#isFiltered) return;
    console.log(`Skipped ${count} ${count === 1 ? "test" : "tests"}:`);
    for (const { file, names } of files) {
      console.log(`  ${file}`);
      for (const name of names) console.log(`    ${name}`);
    }
    for (const { name, isHere, remedy } of NEEDS)
      if (!isHere()) console.log(`This machine has no ${name}: ${remedy}.`);
  }
}
