import { join } from "node:path";
import { expect, test } from "vitest";
import { expectMisuse, folderOf, runCli } from "../support/cli.ts";
import { startSandbox } from "../support/sandbox.ts";

test("a world is saved, taken back, listed and forgotten from a shell", async () => {
  const sandbox = await startSandbox();
  const cli = (...args: string[]) => runCli(["snapshot", ...args, "--url", sandbox.url]);
  expect((await cli("list")).stdout).toContain("No snapshots");
  const saved = await cli("save", "before");
  expect(saved).toMatchObject({ code: 0, stderr: "" });
  expect(saved.stdout).toMatch(/saved +before/);
  await sandbox.createLink();
  expect((await cli("restore", "before")).stdout).toMatch(/clock +paused, at 2026-01-15 09:00:00 UTC/);
  expect((await sandbox.api("GET", "/payment-links")).body.total_count).toBe(0);
  expect((await cli("list")).stdout).toMatch(/^before +2026-01-15 09:00:00 UTC +\d\.\d MiB$/m);
  expect(JSON.parse((await cli("delete", "before", "--json")).stdout)).toEqual({
    name: "before",
    deleted: true,
  });
});

test("a file takes a world from one sandbox to another", async () => {
  const [one, two] = [await startSandbox(), await startSandbox()];
  const link = await one.createLink();
  const file = join(folderOf(), "failed run.sandglass");
  expect(await runCli(["snapshot", "save", "--file", file, "--url", one.url])).toMatchObject({ code: 0 });
  const restored = await runCli(["snapshot", "restore", "--file", file, "--url", two.url]);
  expect(restored.stdout).toMatch(/restored +failed-run/);
  expect((await two.api("GET", `/payment-links/${link.id}`)).status).toBe(200);
});

test.each([
  ["an unknown action", ["keep", "x"], /snapshot cannot 'keep'/],
  ["no name", ["save"], /needs a name/],
  ["an unknown name", ["restore", "none"], /There is no snapshot 'none'/],
  ["a name that cannot be", ["save", "a/b"], /cannot name a snapshot/],
  ["a file that is not there", ["restore", "--file", "none.sandglass"], /Cannot read none.sandglass/],
  ["a file that is none", ["restore", "--file", "package.json"], /another kind of file/],
])("%s is misuse", async (_what, args, message) => {
  const sandbox = await startSandbox();
  const cwd = folderOf({ "package.json": "{}" });
  expectMisuse(await runCli(["snapshot", ...args, "--url", sandbox.url], { cwd }), message);
});
