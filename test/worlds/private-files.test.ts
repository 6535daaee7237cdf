import { chmodSync, mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { folderOf } from "../support/cli.ts";
import { startSandbox } from "../support/sandbox.ts";

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

/** The permissions of all files in a folder and its subfolders. */
const modesIn = (folder: string): string[] => [
  ...new Set(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => modeOf(join(parentPath, name))),
  ),
];

async function useWorld(dataDir: string, world = "other"): Promise<void> {
  const sandbox = await startSandbox({ dataDir });
  await sandbox.makeWorld({ name: world });
  await sandbox.control("POST", "/snapshots", { name: "saved" });
  expect(readdirSync(dataDir)).toEqual(expect.arrayContaining(["default.db", "default.db-wal", "other.db"]));
  await sandbox.close();
}

describe.skipIf(process.platform === "win32")("permissions of a data folder", () => {
  test("a new data folder is readable only by its user", async () => {
    const dataDir = join(folderOf(), "data");
    await useWorld(dataDir);
    expect([modeOf(dataDir), modeOf(join(dataDir, "snapshots"))]).toEqual(["700", "700"]);
    expect(modesIn(dataDir)).toEqual(["600"]);
  });

  test("a data folder created by an earlier version becomes readable only by its user", async () => {
    const dataDir = join(folderOf(), "data");
    await useWorld(dataDir);
    for (const name of readdirSync(dataDir, { recursive: true }))
      chmodSync(join(dataDir, String(name)), name === "snapshots" ? 0o755 : 0o644);
    chmodSync(dataDir, 0o755);
    await useWorld(dataDir, "another");
    expect([modeOf(dataDir), modeOf(join(dataDir, "snapshots"))]).toEqual(["700", "700"]);
    expect(modesIn(dataDir)).toEqual(["600"]);
  });

  test("Sandglass's files in a shared folder become private, and other files keep their permissions", async () => {
    const dataDir = folderOf({ "notes.txt": "for all" });
    for (const path of [dataDir, join(dataDir, "notes.txt")]) chmodSync(path, 0o755);
    mkdirSync(join(dataDir, "snapshots"), { mode: 0o755 });
    writeFileSync(join(dataDir, "default.db"), "", { mode: 0o644 });
    await useWorld(dataDir);
    expect([modeOf(dataDir), modeOf(join(dataDir, "notes.txt"))]).toEqual(["755", "755"]);
    expect(modeOf(join(dataDir, "snapshots"))).toBe("700");
    expect(modesIn(dataDir).sort()).toEqual(["600", "755"]);
  });
});
