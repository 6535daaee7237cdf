import { join } from "node:path";
import { expect, test } from "vitest";
import { folderOf } from "../support/cli.ts";
import { killPoints } from "../support/kill-points.ts";
import { type Json, startSandbox, type TestSandbox } from "../support/sandbox.ts";

/**
 * If the process is killed while a world is created, replaced or removed, the folder contains the state before or after
 * the operation. It never contains a state in between, and it can always be opened.
 */

const CLOCK = { mode: "scaled" as const, rate: 3 };

/** Starts a sandbox on a copy of the folder; `look` returns the values to compare. */
async function startOn<T>(dataDir: string, look: (sandbox: TestSandbox) => Promise<T>): Promise<T> {
  const sandbox = await startSandbox({ dataDir });
  try {
    expect((await sandbox.control("GET", "/worlds")).body.not_opened).toEqual([]);
    return await look(sandbox);
  } finally {
    await sandbox.close();
  }
}

const linksOf = async (world: Pick<TestSandbox, "api">): Promise<string[]> =>
  (await world.api("GET", "/payment-links")).body.data.map(({ name }: Json) => name);

const worldNames = async (sandbox: TestSandbox): Promise<string[]> =>
  (await sandbox.control("GET", "/worlds")).body.data.map(({ name }: Json) => name);

test("the next start creates a complete world if the first start was killed", async () => {
  const dataDir = join(folderOf(), "data");
  const images = await killPoints(dataDir, async () => {
    await (await startSandbox({ dataDir, clock: CLOCK })).close();
  });
  expect(images.length).toBeGreaterThan(3);
  const found = [];
  for (const image of images) {
    const sandbox = await startSandbox({ dataDir: image, clock: CLOCK });
    const { clock, organizations, seed } = (await sandbox.control("GET", "/status")).body;
    found.push({ mode: clock.mode, rate: clock.rate, organizations, seed, journal: await sandbox.journal() });
    expect((await sandbox.createLink()).short_code).toBeTruthy();
    await sandbox.close();
  }
  for (const one of found) expect(one).toEqual(found.at(-1));
  expect(found[0]).toMatchObject({ ...CLOCK, journal: [] });
  expect(found[0]!.organizations.length).toBeGreaterThan(1);
});

test("a kill during a fork leaves the new world either complete or absent, and the fork can be repeated", async () => {
  const world = { name: "branch", from: "default", clock: CLOCK };
  const dataDir = join(folderOf(), "data");
  const first = await startSandbox({ dataDir });
  await first.createLink({ name: "Tea" });
  const images = await killPoints(dataDir, () => first.makeWorld(world));
  await first.close();

  let whole = 0;
  for (const image of images)
    await startOn(image, async (sandbox) => {
      expect(await linksOf(sandbox)).toEqual(["Tea"]);
      const there = (await worldNames(sandbox)).includes("branch");
      if (there) whole += 1;
      else await sandbox.makeWorld(world);
      const branch = {
        api: (method: string, path: string) =>
          sandbox.call(method, `/w/branch/platform/api/v1${path}`, { key: sandbox.keys.write }),
      };
      expect(await linksOf(branch)).toEqual(["Tea"]);
      expect((await sandbox.call("GET", "/w/branch/_sandbox/clock")).body).toMatchObject(CLOCK);
    });
  expect(whole).toBeGreaterThan(0);
  expect(whole).toBeLessThan(images.length);
});

test.each([
  ["a restore", "/snapshots/tea/restore", "world.restored"],
  ["an undo", "/undo", "world.undone"],
])(
  "a kill during %s leaves data, journal, clock and timers consistent, and the change can be undone",
  async (_, path, entry) => {
    const dataDir = join(folderOf(), "data");
    const first = await startSandbox({ dataDir });
    const look = async (sandbox: TestSandbox) => ({
      links: await linksOf(sandbox),
      journal: (await sandbox.journal()).map(({ type }) => type),
      now: (await sandbox.control("GET", "/clock")).body.now,
      mode: (await sandbox.control("GET", "/clock")).body.mode,
      due: (await sandbox.control("POST", "/clock/advance", { until: "idle", dryRun: true })).body.would_fire
        .length,
    });
    await first.createLink({ name: "Tea" });
    await first.openSession();
    await first.control("POST", "/snapshots", { name: "tea" });
    await first.openSession();
    await first.control("POST", "/reset", {});
    await first.createLink({ name: "Milk" });
    await first.advance("1m");
    const before = await look(first);
    const images = await killPoints(dataDir, () => first.control("POST", path));
    const after = await look(first);
    await first.close();
    expect(after.journal.at(-1)).toBe(entry);

    const seen: (typeof before)[] = [];
    for (const image of images)
      await startOn(image, async (sandbox) => {
        seen.push(await look(sandbox));
        await sandbox.control("POST", "/undo");
        expect(await linksOf(sandbox)).toEqual(seen.at(-1)!.links[0] === "Milk" ? ["Tea"] : ["Milk"]);
      });
    for (const one of seen) expect([before, after]).toContainEqual(one);
    expect(seen[0]).toEqual(before);
    expect(seen.at(-1)).toEqual(after);
  },
);

test("a kill while a world is being deleted leaves the world either complete or absent, with its name free again", async () => {
  const dataDir = join(folderOf(), "data");
  const first = await startSandbox({ dataDir });
  const branch = await first.makeWorld({ name: "branch" });
  await branch.createLink({ name: "Tea" });
  const images = await killPoints(dataDir, () => first.control("DELETE", "/worlds/branch"));
  await first.close();
  for (const image of images)
    await startOn(image, async (sandbox) => {
      const there = (await worldNames(sandbox)).includes("branch");
      if (there)
        expect(
          (await sandbox.call("GET", "/w/branch/platform/api/v1/payment-links", { key: sandbox.keys.write }))
            .body.data,
        ).toHaveLength(1);
      else expect(await linksOf(await sandbox.makeWorld({ name: "branch" }))).toEqual([]);
    });
});
