import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { folderOf } from "../support/cli.ts";
import { type Json, startSandbox, type TestSandbox } from "../support/sandbox.ts";

type World = Awaited<ReturnType<TestSandbox["makeWorld"]>>;

/** Fills a world with something of every kind, so the test notices if anything is lost. */
async function fill(world: World): Promise<void> {
  await world.createLink({ name: "Tea" });
  await world.createWebhook(`${world.url}/_sandbox/inbox/mine`, { events: ["payment.completed"] });
  await world.openSession();
  await world.control("PUT", "/faults/data", { status: 503 });
  await world.advance("1m");
}

const linksOf = async (world: World): Promise<string[]> =>
  (await world.api("GET", "/payment-links")).body.data.map(({ name }: Json) => name).sort();

/**
 * Everything in a world: fixtures, clock, timers, faults, and its journal without the entries about replacements.
 */
async function look(world: World) {
  const due = await world.control("POST", "/clock/advance", { until: "idle", dryRun: true });
  const { journal: _, ...fixtures } = (await world.control("GET", "/export")).body;
  return {
    fixtures,
    due: due.body.would_fire,
    clock: (await world.control("GET", "/clock")).body,
    faults: (await world.control("GET", "/faults")).body,
    journal: (await world.journal()).map(({ type }) => type).filter((type) => type !== "world.undone"),
  };
}

const undo = (world: World) => world.control("POST", "/undo");
const lastEntry = async (world: World) => (await world.journal()).at(-1)!.type;

describe.each([
  ["in memory", false],
  ["in a data folder", true],
])("undo in a world %s", (_, durable) => {
  const start = () => startSandbox(durable ? { dataDir: folderOf() } : {});

  test.each([
    ["a reset", "/reset", { seed: "tuesday" }],
    ["a restore", "/snapshots/early/restore", undefined],
  ])("undoing %s restores everything, including the next ids", async (_, path, body) => {
    const sandbox = await start();
    await sandbox.control("POST", "/snapshots", { name: "early" });
    await fill(sandbox);
    await sandbox.control("POST", "/snapshots", { name: "late" });
    const fork = await sandbox.makeWorld({ name: "fork", from: "late" });
    const before = await look(sandbox);

    await sandbox.control("POST", path, body);
    expect(await linksOf(sandbox)).not.toContain("Tea");
    const undone = await undo(sandbox);
    expect(undone.status).toBe(200);
    expect(await look(sandbox)).toEqual(before);
    expect(await lastEntry(sandbox)).toBe("world.undone");
    expect((await sandbox.createLink({ name: "Next" })).id).toBe(
      (await fork.createLink({ name: "Next" })).id,
    );
  });

  test("undoing an undo redoes the change", async () => {
    const sandbox = await start();
    await sandbox.createLink({ name: "Tea" });
    await sandbox.control("POST", "/reset", {});
    await sandbox.createLink({ name: "Milk" });
    for (const name of ["Tea", "Milk", "Tea"]) {
      expect((await undo(sandbox)).status).toBe(200);
      expect(await linksOf(sandbox)).toEqual([name]);
    }
  });

  test("a world has a single level of undo, which snapshots and forks do not include", async () => {
    const sandbox = await start();
    await sandbox.createLink({ name: "Tea" });
    await sandbox.control("POST", "/reset", {});
    await sandbox.createLink({ name: "Milk" });
    await sandbox.control("POST", "/reset", {});
    expect((await sandbox.control("GET", "/snapshots")).body.data).toEqual([]);
    const fork = await sandbox.makeWorld({ name: "fork", from: "default" });
    expect((await undo(fork)).status).toBe(409);
    await undo(sandbox);
    expect(await linksOf(sandbox)).toEqual(["Milk"]);
  });

  test("an undo is rejected until a reset, restore or outage has changed the world", async () => {
    const sandbox = await start();
    await sandbox.createLink({ name: "Tea" });
    const { status, body } = await undo(sandbox);
    expect(status).toBe(409);
    expect(body.error).toMatchObject({
      code: "invalid_state",
      message: "There is nothing to undo: no reset, restore, outage or story has changed the world default.",
    });
    await sandbox.control("POST", "/reset", { seed: "x".repeat(10_000) });
    expect((await undo(sandbox)).status).toBe(409);
    expect(await linksOf(sandbox)).toEqual(["Tea"]);
  });

  test("a world that reuses the name of a deleted one has nothing to undo", async () => {
    const sandbox = await start();
    const world = await sandbox.makeWorld({ name: "mine" });
    await world.control("POST", "/reset", {});
    await sandbox.control("DELETE", "/worlds/mine");
    const again = await sandbox.makeWorld({ name: "mine" });
    expect((await undo(again)).status).toBe(409);
  });
});

test("an undo in a data folder remains possible after a restart and needs only a single file", async () => {
  const dataDir = folderOf();
  const first = await startSandbox({ dataDir });
  for (let count = 0; count < 5; count += 1) await first.control("POST", "/reset", {});
  await first.createLink({ name: "Tea" });
  await first.control("POST", "/reset", {});
  await first.close();
  expect(readdirSync(dataDir).sort()).toEqual(["default.db", "default.db.replaced"]);
  const second = await startSandbox({ dataDir });
  await undo(second);
  expect(await linksOf(second)).toEqual(["Tea"]);
});

test("an undo works in a suspended world", async () => {
  const sandbox = await startSandbox();
  const world = await sandbox.makeWorld({ name: "mine" });
  await world.createLink({ name: "Tea" });
  await world.control("POST", "/reset", {});
  for (let number = 0; number < 33; number += 1) await sandbox.makeWorld({ name: `w${number}` });
  expect(sandbox.served.worlds.find("mine").world.store.resting).toBe(true);
  await undo(world);
  expect(await linksOf(world)).toEqual(["Tea"]);
});

test("a reset can be undone even after explore has marked the world", async () => {
  const sandbox = await startSandbox();
  await sandbox.createLink({ name: "Tea" });
  await sandbox.sandbox.mark();
  await sandbox.createLink({ name: "Milk" });
  await sandbox.control("POST", "/reset", {});
  await undo(sandbox);
  expect(await linksOf(sandbox)).toEqual(["Milk", "Tea"]);
});

test("a damaged world is set aside together with its undo file", async () => {
  const dataDir = folderOf();
  const first = await startSandbox({ dataDir });
  await first.control("POST", "/reset", {});
  await first.close();
  writeFileSync(join(dataDir, "default.db"), "no database".repeat(1_000));
  const second = await startSandbox({ dataDir });
  expect((await undo(second)).status).toBe(409);
  expect(readdirSync(dataDir)).toEqual(
    expect.arrayContaining(["default.db.set-aside", "default.db.set-aside.replaced"]),
  );
});
