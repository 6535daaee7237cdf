import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { expectMisuse, folderOf, runCli } from "../support/cli.ts";
import { startSandbox } from "../support/sandbox.ts";

/** The offset in an SQLite file at which the number of its schema version is stored. */
const USER_VERSION_OFFSET = 60;

test("the snapshot command saves, restores, lists and deletes worlds", async () => {
  const sandbox = await startSandbox();
  const cli = (...args: string[]) => runCli(["snapshot", ...args, "--url", sandbox.url]);
  expect((await cli("list")).stdout).toContain("No snapshots");
  const saved = await cli("save", "before");
  expect(saved).toMatchObject({ code: 0, stderr: "" });
  expect(saved.stdout).toMatch(
    /^saved +before +\d\.\d MiB\nat .*\nThe snapshot lasts until the server stops\. .* --file <file>, .*--data-dir <folder>\.$/m,
  );
  await sandbox.createLink();
  expect((await cli("restore", "before")).stdout).toMatch(
    /clock +paused, at 2026-01-15 09:00:00 UTC\n.*npx sandglass undo/,
  );
  expect((await sandbox.api("GET", "/payment-links")).body.total_count).toBe(0);
  for (const list of [await cli("list"), await cli()])
    expect(list.stdout).toMatch(/^before +2026-01-15 09:00:00 UTC +\d\.\d MiB$/m);
  expect(JSON.parse((await cli("delete", "before", "--json")).stdout)).toEqual({
    name: "before",
    deleted: true,
  });
});

test("snapshot --file moves a world from one sandbox to another", async () => {
  const [one, two] = [await startSandbox(), await startSandbox()];
  const link = await one.createLink();
  const file = join(folderOf(), "failed run.sandglass");
  expect(await runCli(["snapshot", "save", "--file", file, "--url", one.url])).toMatchObject({ code: 0 });
  const restored = await runCli(["snapshot", "restore", "--file", file, "--url", two.url]);
  expect(restored.stdout).toMatch(/restored +failed-run/);
  expect((await two.api("GET", `/payment-links/${link.id}`)).status).toBe(200);
  // Another snapshot with the same name must not be lost, but the same file may be restored again.
  const restore = (...more: string[]) =>
    runCli(["snapshot", "restore", "--file", file, ...more, "--url", one.url]);
  await one.createLink();
  await one.control("POST", "/snapshots", { name: "failed-run" });
  expectMisuse(await restore(), /There is already a different snapshot named 'failed-run'/);
  for (const more of [["--force"], []]) expect((await restore(...more)).code).toBe(0);
});

test("snapshot restore rejects damaged files and invalid names without saving anything", async () => {
  const sandbox = await startSandbox();
  await sandbox.control("POST", "/snapshots", { name: "good" });
  const answer = await fetch(`${sandbox.url}/_sandbox/snapshots/good/download`);
  const good = Buffer.from(await answer.arrayBuffer());
  await sandbox.control("DELETE", "/snapshots/good");
  const other = Buffer.from(good);
  other.writeUInt32BE(99, USER_VERSION_OFFSET);
  const cwd = folderOf();
  writeFileSync(join(cwd, "cut.sandglass"), good.subarray(0, good.length / 2));
  writeFileSync(join(cwd, "newer.sandglass"), other);
  mkdirSync(join(cwd, "folder.sandglass"));
  const cases: [string[], RegExp][] = [
    [["keep", "x"], /snapshot cannot 'keep'/],
    [["save"], /needs a name/],
    [["restore", "none"], /There is no snapshot 'none'/],
    [["save", "a/b"], /not a valid snapshot name/],
    [["restore", "--file", "none.sandglass"], /Cannot read none.sandglass/],
    [["restore", "--file", "cut.sandglass"], /Cannot read the snapshot /],
    [["restore", "--file", "newer.sandglass"], /format 99; this version of Sandglass reads format \d+/],
    [
      ["restore", "--file", "folder.sandglass"],
      /Cannot read folder.sandglass: illegal operation on a directory/,
    ],
    [["save", "good", "--file", "folder.sandglass"], /Cannot write folder.sandglass/],
  ];
  const told = await Promise.all(
    cases.map(([args]) => runCli(["snapshot", ...args, "--url", sandbox.url], { cwd })),
  );
  for (const [index, ended] of told.entries()) expectMisuse(ended, cases[index]![1]);
  expectMisuse(
    await runCli(["snapshot", "list", "--url", `${sandbox.url}/w/none`]),
    /There is no world 'none'/,
  );
  const { data } = (await sandbox.control("GET", "/snapshots")).body;
  expect(data.map(({ name }: { name: string }) => name)).toEqual([]);
});
