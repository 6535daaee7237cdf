import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  blocksOf,
  comparable,
  consoleOf,
  readPage,
  runProgram,
  startShop,
  storyOf,
} from "../support/docs.ts";
import { projectFolder, runShell } from "../support/project.ts";

const PAGE = readPage("docs/explore.md");
const [BUGGY, FIXED_PART] = blocksOf(PAGE, "js") as [string, string];
const FIXED = BUGGY.replace(/^function handle\(.*?^}\n/ms, FIXED_PART);

describe("the story of docs/explore.md", () => {
  const [find] = consoleOf(storyOf(PAGE, "find"));
  const [nothing, run] = consoleOf(storyOf(PAGE, "fixed"));

  test("a handler passes check; explore finds its bug, and nothing after the fix", async () => {
    const folder = projectFolder();
    const check = "npx sandglass check http://127.0.0.1:3000/webhooks --state http://127.0.0.1:3000/state";
    // Each command's output ends with its exit code.
    const commands = (...all: string[]) =>
      all.map((command) => `${command} && echo "ended: 0" || echo "ended: $?"\n`).join("");
    const script = [
      "export SANDGLASS_WEBHOOK_SECRET=whsec_test\ntrap 'kill $SHOP' EXIT\n",
      startShop(BUGGY) + commands(check, find!.command, run!.command),
      startShop(FIXED) + commands(nothing!.command, run!.command),
    ]
      .join("")
      .replaceAll("npx sandglass", "node_modules/.bin/sandglass");
    const { stdout } = await runShell(script, { url: "", folder });
    const [checked, found, failed, unfound, passed] = stdout.split(/^ended: /m);
    expect(checked).toMatch(/^28 pass in /m);
    expect(comparable(found!)).toEqual(["0", ...comparable(find!.printed)]);
    expect(failed).toMatch(/^1\n.*^failed {2}paid-order-cancelled .*A paid order ends up cancelled\./ms);
    expect(comparable(unfound!)).toEqual(["1", ...comparable(nothing!.printed)]);
    expect(comparable(passed!)).toEqual(["0", ...comparable(run!.printed)]);
  });

  test("the test of the page passes", async () => {
    const folder = projectFolder("sandglass");
    writeFileSync(join(folder, "explore.test.mts"), blocksOf(PAGE, "ts")[0]!);
    const { VITEST: _vitest, NODE_OPTIONS: _options, ...env } = process.env;
    const { stdout } = await runProgram(process.execPath, ["--test"], { cwd: folder, env });
    expect(stdout).toMatch(/pass 1$/m);
  });
});
