import { cpSync, existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runChild } from "../support/child.ts";
import { blocksOf, ROOT, readPage } from "../support/docs.ts";
import { portOfItsOwn } from "../support/ports.ts";
import { projectFolder } from "../support/project.ts";

const PAGE = readPage("docs/shop.md");
/** The change that fixes the shop; docs/shop.md shows part of it. */
const MENDING = readPage("test/e2e/shop-bug.diff");
const { VITEST: _vitest, NODE_OPTIONS: _options, ...env } = process.env;

/** Copies the example with everything it needs. `.ci/run` installs it with npm and runs everything in it. */
function copyShop(): string {
  const folder = projectFolder("sandglass", "express", "better-sqlite3", "vitest");
  cpSync(join(ROOT, "examples/shop"), folder, { recursive: true });
  return folder;
}

test("explore finds the bug that docs/shop.md fixes", async () => {
  const cwd = copyShop();
  for (const line of blocksOf(PAGE, "diff")[0]!.trimEnd().split("\n"))
    expect(MENDING).toContain(`\n${line}\n`);
  const patch = `git apply --reverse - <<'END'\n${MENDING}END`;
  expect(await runChild("bash", ["-c", patch], { cwd, env })).toMatchObject({ code: 0 });
  const commands = blocksOf(PAGE, "text")[0]!
    .replace("3000", String(await portOfItsOwn()))
    .trim();
  const options = { cwd, env: { ...env, NO_COLOR: "1" } };
  const found = await runChild("bash", ["-c", `${commands} --story late-payment --deviations 1`], options);
  expect(found).toMatchObject({ code: 1, stdout: expect.stringContaining(blocksOf(PAGE, "console")[0]!) });
});

test("the example shop's scenario and tests pass", async () => {
  const cwd = copyShop();
  const node = (...args: string[]) => runChild(process.execPath, args, { cwd, env });
  const [tests, scenario] = await Promise.all([
    node(join(ROOT, "node_modules/vitest/vitest.mjs"), "run", "test/shop.test.js", "--testTimeout=120000"),
    node("node_modules/.bin/sandglass", "run"),
  ]);
  expect(tests).toMatchObject({ code: 0 });
  expect(scenario).toMatchObject({ code: 0, stdout: expect.stringMatching(/^1 passed/m) });
  expect(existsSync(join(cwd, "sandglass-failed"))).toBe(false);
});
