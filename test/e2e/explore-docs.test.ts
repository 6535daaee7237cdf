import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { blocksOf, consoleOf, expectLines, readPage, runProgram, shownIn } from "../support/docs.ts";
import { projectFolder, runShell } from "../support/project.ts";

test("the test in docs/explore.md passes", async () => {
  const folder = projectFolder("sandglass");
  writeFileSync(join(folder, "explore.test.mts"), blocksOf(readPage("docs/explore.md"), "ts")[0]!);
  const { VITEST: _vitest, NODE_OPTIONS: _options, ...env } = process.env;
  const { stdout } = await runProgram(process.execPath, ["--test"], { cwd: folder, env });
  expect(stdout).toMatch(/pass 1$/m);
});

test("the demo prints what the README and docs/explore.md show of it", async () => {
  const [readme, page] = ["README.md", "docs/explore.md"].map(
    (path) => consoleOf(shownIn(readPage(path), "demo"))[0]!,
  );
  expect(page!.command).toBe(readme!.command);
  const unindented = (text: string) => text.replace(/^ +/gm, "");
  const [handler] = blocksOf(readPage("docs/explore.md"), "js");
  expect(unindented(readPage("fixtures/demo/shop.mjs"))).toContain(unindented(handler!));
  const { stdout } = await runShell(readme!.command, { url: "" });
  expectLines(stdout, readme!.printed);
  expectLines(stdout, page!.printed);
});
