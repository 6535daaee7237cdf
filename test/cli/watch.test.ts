import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { startCli } from "../support/built.ts";
import { expectMisuse, folderOf } from "../support/cli.ts";
import { scenarioText } from "../support/scenarios.ts";
import { runWarmCli } from "../support/warm-cli.ts";

/** A scenario of one step, whose expectation compares what `./sum.mjs` exports with a number. */
const sums = (name: string, expected: number) =>
  `import { sum } from "./sum.mjs";\n${scenarioText(name, `    await step("Sums", () => {\n      expect(sum).toBe(${expected});\n    });`)}`;
const plain = (name: string, expected = 2) =>
  scenarioText(name, `    await step("Sums", () => {\n      expect(1 + 1).toBe(${expected});\n    });`);

/** Runs `sandglass run --watch` in a folder, with those of these files that are scenarios. */
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
    /** Waits until it has run once more, and returns what that run printed. */
    async nextRun(): Promise<string> {
      runs += 1;
      const [all] = await cli.saw(new RegExp(`(?:[^]*?Watching \\d+ files?\\. Ctrl-C ends\\.\\n){${runs}}`));
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
  it("runs again what changed, also by an import or an editor's replacement, and ends with the last run's code", async () => {
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

  it("runs a new file of the folder, and all of it when the configuration or the beginning of its worlds changes", async () => {
    const cwd = folderOf({ "sandbox.config.json": '{"scenarios": "."}', "one.mjs": plain("one") });
    mkdirSync(join(cwd, "shop"));
    writeFileSync(join(cwd, "shop/products.yaml"), "products: [{name: Tea}]\n");
    const cli = startCli(["run", "--from", "shop", "--watch"], { cwd });
    await cli.saw(/1 passed[\s\S]*Watching 1 file\./);
    writeFileSync(join(cwd, "two.mjs"), plain("two"));
    await cli.saw(/passed {2}two[\s\S]*1 passed/);
    await cli.saw(/Watching 2 files\./);
    rmSync(join(cwd, "one.mjs"));
    await cli.saw(/one\.mjs was deleted, so it no longer runs\./);
    writeFileSync(join(cwd, "sandbox.config.json"), '{"scenarios": ".", "seed": "empty"}');
    await cli.saw(/(?:passed {2}two[\s\S]*){2}Watching 1 file\./);
    writeFileSync(join(cwd, "shop/products.yaml"), "products: [{name: Coffee}]\n");
    await cli.saw(/(?:passed {2}two[\s\S]*){3}/);
    cli.kill("SIGINT");
    const { code, stdout } = await cli.ended;
    expect(code).toBe(0);
    expect(stdout).not.toMatch(/passed {2}one[\s\S]*passed {2}one/);
  });

  it("refuses to watch what is only shipped", async () => {
    const { stdout: _runs, ...result } = await runWarmCli(["run", "retry-and-recover", "--watch"]);
    expectMisuse({ ...result, stdout: "" }, /There is no file to watch/);
  });
});
