import { copyFileSync, existsSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { folderOf } from "../support/cli.ts";
import { startSandbox, type TestSandbox } from "../support/sandbox.ts";

const HOUR = 3_600_000;

/**
 * The machine's clock and the time since the process started, both controlled by this test. They must be in place
 * before the sandbox reads them.
 */
const machine = vi.hoisted(() => {
  const [now, monotonic] = [Date.now, process.hrtime.bind(process)];
  const moved = { clock: 0, time: 0, perReading: 0 };
  Date.now = () => now() + moved.clock;
  const reading = (): [seconds: number, nanoseconds: number] => {
    moved.time += moved.perReading;
    const [seconds, nanoseconds] = monotonic();
    return [seconds, nanoseconds + moved.time * 1_000_000];
  };
  process.hrtime = Object.assign(reading, { bigint: monotonic.bigint });
  return moved;
});

const nowOf = async (sandbox: Pick<TestSandbox, "control">): Promise<number> =>
  Date.parse((await sandbox.control("GET", "/clock")).body.now);

test("setting the machine's clock neither stops nor moves a live clock", async () => {
  const sandbox = await startSandbox({ clock: { mode: "live" } });
  const before = await nowOf(sandbox);
  for (const hours of [-1, 2]) {
    machine.clock += hours * HOUR;
    machine.time += 5_000;
    await sandbox.createLink();
  }
  const passed = (await nowOf(sandbox)) - before;
  expect(passed).toBeGreaterThanOrEqual(10_000);
  expect(passed).toBeLessThan(HOUR / 2);
  const [first, second] = (await sandbox.journal()).map(({ wall }) => Date.parse(wall));
  expect(second! - first!).toBeGreaterThanOrEqual(5_000);
  expect(second! - first!).toBeLessThan(HOUR / 2);
});

test("a snapshot of a live world starts at the time when it was taken, not when its clock was last set", async () => {
  const sandbox = await startSandbox({ clock: { mode: "live" } });
  machine.time += 2_000;
  await sandbox.createLink();
  const { at } = (await sandbox.journal())[0]!;
  const { body: saved } = await sandbox.control("POST", "/snapshots", { name: "cut" });
  expect(Date.parse(saved.now)).toBeGreaterThanOrEqual(Date.parse(at));
  machine.time += 10_000;
  const { body } = await sandbox.control("POST", "/snapshots/cut/restore", {});
  const restored = Date.parse(body.clock.now) - Date.parse(saved.now);
  expect(restored).toBeGreaterThanOrEqual(0);
  expect(restored).toBeLessThan(8_000);
  const fork = await sandbox.makeWorld({ name: "fork", from: "default" });
  expect(await nowOf(fork)).toBeGreaterThanOrEqual(Date.parse(at));
});

test("a live world's snapshot reports the time at which it continues, no matter how long saving takes", async () => {
  const sandbox = await startSandbox({ clock: { mode: "live" } });
  machine.perReading = 1_000;
  onTestFinished(() => {
    machine.perReading = 0;
  });
  const { body: saved } = await sandbox.control("POST", "/snapshots", { name: "cut" });
  const bytes = await (await fetch(`${sandbox.url}/_sandbox/snapshots/cut/download`)).arrayBuffer();
  const { body: copy } = await sandbox.call("POST", "/_sandbox/snapshots/upload?name=copy", {
    body: Buffer.from(bytes),
    key: null,
    headers: { "content-type": "application/octet-stream" },
  });
  expect(copy.now).toBe(saved.now);
});

test("a live clock continues while the sandbox is stopped", async () => {
  const dataDir = folderOf();
  const first = await startSandbox({ dataDir, clock: { mode: "live" } });
  const before = await nowOf(first);
  await first.close();
  machine.time += 60_000;
  const second = await startSandbox({ dataDir });
  const passed = (await nowOf(second)) - before;
  expect(passed).toBeGreaterThanOrEqual(60_000);
  expect(passed).toBeLessThan(HOUR);
});

test("a live clock continues from its last time if the machine's clock is set back by an hour", async () => {
  const dataDir = folderOf();
  const first = await startSandbox({ dataDir, clock: { mode: "live" } });
  const before = await nowOf(first);
  await first.close();
  machine.time -= HOUR;
  const again = await startSandbox({ dataDir });
  const begun = await nowOf(again);
  expect(begun).toBeGreaterThanOrEqual(before);
  machine.time += 5_000;
  expect((await nowOf(again)) - begun).toBeGreaterThanOrEqual(5_000);
  expect((await nowOf(again)) - before).toBeLessThan(HOUR / 2);
});

test("the clock is never earlier than the last journal entry after a kill during an advance", async () => {
  const [dataDir, copy] = [folderOf(), folderOf()];
  const sandbox = await startSandbox({ dataDir });
  await sandbox.openSession({ expires_in: 600 });
  await sandbox.openSession({ expires_in: 1_200 });
  sandbox.sandbox.journal.subscribe(({ type }) => {
    if (type !== "checkout.expired" || existsSync(join(copy, "default.db"))) return;
    for (const file of ["default.db", "default.db-wal"]) copyFileSync(join(dataDir, file), join(copy, file));
  });
  await sandbox.advance("1h");
  const killed = await startSandbox({ dataDir: copy });
  const [expired] = await killed.journal("checkout.expired");
  expect(await nowOf(killed)).toBeGreaterThanOrEqual(Date.parse(expired!.at));
  expect((await killed.control("GET", "/clock")).body.mode).toBe("paused");
});
