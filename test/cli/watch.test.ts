import { renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { startCli } from "../support/built.ts";
import { expectMisuse, folderOf } from "../support/cli.ts";
import { scenarioText } from "../support/scenarios.ts";
import { runWarmCli } from "../support/warm-cli.ts";
import { plain } from "./watch.ts";

/** A scenario with one step that compares the export of `./sum.mjs` with a number. */
const sums = (name: string, expected: number) =>
  `import { sum } from "./sum.mjs";\n${scenarioText(name, `    await step("Sums", () => {\n      expect(sum).toBe(${expected});\n    });`)}`;

/** Creates a folder with these files, and runs `sandglass run --watch` there on the files that are scenarios. */
async function startWatching(files: Record<string, string>) {
  const cwd = folderOf(files);
  const scenarios = Object.keys(files).filter((file) => file.endsWith(".story.mjs"));
  const cli = startCli(["run", ...scenarios, "--watch"], { cwd });
  let runs = 0;
  let printed = 0;
  return {
    cli,
    cwd,
    write: (file: string, text: string) => writeFileSync(join(cwd, file), text),
    /** Waits until the scenarios have run again, and returns what that run printed. */
    async nextRun(): Promise<string> {
      runs += 1;
      const [all] = await cli.saw(
        new RegExp(`(?:[^]*?Watching \\d+ files?\\. Press Ctrl-C to stop\\.\\n){${runs}}`),
      );
      const text = all.slice(printed);
      printed = all.length;
      return text;
    },
    async stop(): Promise<number | null> {
      cli.kill("SIGINT");
      return (await cli.ended).code;
    },
  };
}

describe("sandglass run --watch", () => {
  it("sandglass run --watch reruns the scenarios that a change affects, and exits with the code of the last run", async () => {
    const watching = await startWatching({
      "one.story.mjs": sums("one", 2),
      "two.story.mjs": plain("two"),
      "sum.mjs": "export const sum = 2;\n",
    });
    expect(await watching.nextRun()).toMatch(/2 passed/);
    watching.write("new.tmp", sums("one", 7));
    renameSync(join(watching.cwd, "new.tmp"), join(watching.cwd, "one.story.mjs"));
    const failed = await watching.nextRun();
    expect(failed).toMatch(/failed {2}one/);
    expect(failed).toMatch(/1 failed/);
    expect(failed).not.toContain("two");
    watching.write("sum.mjs", "export const sum = 7;\n");
    expect(await watching.nextRun()).toMatch(/passed {2}one/);
    watching.write("sum.mjs", "export const sum = ;\n");
    await watching.nextRun();
    expect(watching.cli.output.stderr).toMatch(/one\.story\.mjs|sum\.mjs/);
    watching.write("sum.mjs", "export const sum = 7;\n");
    expect(await watching.nextRun()).toMatch(/1 passed/);
    watching.write("one.story.mjs", plain("two"));
    expect(await watching.nextRun()).not.toContain("passed");
    expect(watching.cli.output.stderr).toContain("one.story.mjs and two.story.mjs are both named 'two'.");
    watching.write("one.story.mjs", plain("other", 3));
    expect(await watching.nextRun()).toMatch(/failed {2}other/);
    expect(await watching.stop()).toBe(1);
    expect(watching.cli.output.stdout).not.toContain("\u001b");
  });

  it("sandglass run rejects --watch for a scenario that ships with the package", async () => {
    const { stdout: _runs, ...result } = await runWarmCli(["run", "retry-and-recover", "--watch"]);
    expectMisuse({ ...result, stdout: "" }, /There are no files to watch/);
  });
});
