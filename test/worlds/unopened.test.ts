import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { expect, test } from "vitest";
import { folderOf } from "../support/cli.ts";
import { startSandbox } from "../support/sandbox.ts";

/** A world in the data folder that cannot be opened does not affect any other world, and its data is kept. */

const LETTER = "this is no database, but a letter to my aunt ".repeat(100);

/** Creates a data folder with a default world and one named branch, each with a link. */
async function folderWithWorlds(): Promise<string> {
  const dataDir = folderOf();
  const sandbox = await startSandbox({ dataDir });
  await sandbox.createLink({ name: "Tea" });
  await sandbox.makeWorld({ name: "branch", from: "default" });
  await sandbox.close();
  return dataDir;
}

/**
 * Kinds of damage. Version 0.1.0 left tables without a version, or without rows, if it was killed while it created a
 * world.
 */
const DAMAGE: [string, (file: string) => void][] = [
  ["with foreign content", (file) => writeFileSync(file, LETTER)],
  ["that is truncated", (file) => writeFileSync(file, readFileSync(file).subarray(0, 5_000))],
  ["without a format version", (file) => change(file, "pragma user_version = 0")],
  ["without a table", (file) => change(file, "drop table timers")],
  ["without its rows", (file) => change(file, "delete from organizations")],
];

function change(file: string, sql: string): void {
  const database = new Database(file);
  database.exec(sql);
  database.close();
}

test.each(DAMAGE)(
  "a world file %s is set aside and reported, and the other worlds start",
  async (_what, damage) => {
    const dataDir = await folderWithWorlds();
    damage(join(dataDir, "branch.db"));
    writeFileSync(join(dataDir, "branch.db-shm"), "");
    const damaged = readFileSync(join(dataDir, "branch.db"));
    const sandbox = await startSandbox({ dataDir });
    const kept = join(dataDir, "branch.db.set-aside");
    const { body } = await sandbox.control("GET", "/worlds");
    expect(body.data).toMatchObject([{ name: "default" }]);
    expect(body.not_opened).toEqual([{ name: "branch", problem: expect.any(String), kept_as: kept }]);
    expect(await sandbox.journal("world.not_opened")).toMatchObject([
      { data: { world: "branch", problem: body.not_opened[0].problem, kept_as: kept } },
    ]);
    expect((await sandbox.api("GET", "/payment-links")).body.data).toHaveLength(1);
    expect(readFileSync(kept)).toEqual(damaged);
    expect(existsSync(join(dataDir, "branch.db-shm"))).toBe(false);

    // The name is free again, and if the new world is damaged as well, it does not overwrite this file.
    await sandbox.makeWorld({ name: "branch" });
    await sandbox.close();
    writeFileSync(join(dataDir, "branch.db"), LETTER);
    const next = await startSandbox({ dataDir });
    expect((await next.control("GET", "/worlds")).body.not_opened).toMatchObject([{ kept_as: `${kept}-2` }]);
    expect(readFileSync(kept)).toEqual(damaged);
  },
);

test("an unrelated file in place of the default world is set aside and reported, and a new world starts", async () => {
  const dataDir = await folderWithWorlds();
  writeFileSync(join(dataDir, "default.db"), LETTER);
  const sandbox = await startSandbox({ dataDir });
  const { body } = await sandbox.control("GET", "/worlds");
  expect(body.not_opened).toMatchObject([
    { name: "default", kept_as: join(dataDir, "default.db.set-aside") },
  ]);
  expect(await sandbox.journal()).toMatchObject([{ type: "world.not_opened" }]);
  expect((await sandbox.api("GET", "/payment-links")).body.data).toEqual([]);
  const branch = await sandbox.call("GET", "/w/branch/platform/api/v1/payment-links", {
    key: sandbox.keys.write,
  });
  expect(branch.body.data).toHaveLength(1);
});

test("a world from another version is left in place unopened, and the sandbox does not start if it is the default world", async () => {
  const dataDir = await folderWithWorlds();
  const file = join(dataDir, "branch.db");
  change(file, "pragma user_version = 1");
  const sandbox = await startSandbox({ dataDir });
  const { body } = await sandbox.control("GET", "/worlds");
  expect(body.not_opened).toEqual([
    { name: "branch", problem: expect.stringContaining("format 1"), kept_as: file },
  ]);
  const again = await sandbox.control("POST", "/worlds", { name: "branch" });
  expect(again).toMatchObject({ status: 409, body: { error: { hint: expect.stringContaining(file) } } });
  expect(existsSync(file)).toBe(true);
  await sandbox.close();

  change(join(dataDir, "default.db"), "pragma user_version = 1");
  await expect(startSandbox({ dataDir })).rejects.toMatchObject({
    code: "invalid_state",
    message: expect.stringContaining("format 1"),
    hint: expect.stringContaining("dataDir"),
  });
  expect(existsSync(join(dataDir, "default.db.set-aside"))).toBe(false);
});
