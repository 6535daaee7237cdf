import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { startSandbox, type TestSandbox } from "../support/sandbox.ts";

const MIB = 1024 * 1024;
/** A size that is larger than a world keeps in memory before it moves to a temporary file. */
const LARGE_MIB = 140;

let temporary: string;
beforeEach(() => {
  temporary = mkdtempSync(join(tmpdir(), "large-"));
  vi.stubEnv("TMPDIR", temporary);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(temporary, { recursive: true });
});

/** Fills a world with this many mebibytes of data. */
function grow({ sandbox }: TestSandbox, mebibytes: number): void {
  for (let count = 0; count < mebibytes; count += 1)
    sandbox.journal.append("test.entry", { text: "x".repeat(MIB) });
}

const linksOf = async (sandbox: Pick<TestSandbox, "api">): Promise<string[]> =>
  (await sandbox.api("GET", "/payment-links")).body.data.map(({ name }: { name: string }) => name).sort();

test("a snapshot of a large world has the state from the time when it was taken, and can be restored, forked and reset", async () => {
  const sandbox = await startSandbox();
  await sandbox.createLink({ name: "before" });
  grow(sandbox, LARGE_MIB);
  const saving = sandbox.control("POST", "/snapshots", { name: "large" });
  for (let count = 0; count < 12; count += 1) await sandbox.createLink({ name: `meanwhile-${count}` });
  expect((await saving).status).toBe(201);
  expect((await saving).body).toMatchObject({ problem: null });
  expect((await saving).body.bytes).toBeGreaterThan(LARGE_MIB * MIB);
  const all = await linksOf(sandbox);
  expect(all).toHaveLength(13);

  const fork = await sandbox.makeWorld({ name: "fork", from: "default" });
  await fork.createLink({ name: "in the fork" });
  expect(await linksOf(fork)).toEqual(["in the fork", ...all].sort());
  expect((await sandbox.control("POST", "/snapshots/large/restore")).status).toBe(200);
  const saved = await linksOf(sandbox);
  expect(saved).toContain("before");
  // The snapshot contains everything that was written before a certain moment, and nothing that was written later.
  const numbers = saved.filter((name) => name !== "before").map((name) => Number(name.split("-")[1]));
  expect(numbers.sort((a, b) => a - b)).toEqual(numbers.map((_, index) => index));
  await sandbox.createLink({ name: "after" });
  expect((await sandbox.journal("world.restored")).length).toBe(1);
  expect((await sandbox.control("POST", "/reset")).status).toBe(200);
  expect(await linksOf(sandbox)).toEqual([]);
  await sandbox.close();
  expect(readdirSync(temporary)).toEqual([]);
});

test("a worker thread exports and checks a large world just like a small one", async () => {
  const sandbox = await startSandbox();
  await sandbox.createLink({ name: "Tea" });
  const small = await sandbox.control("GET", "/export");
  grow(sandbox, 12);
  const large = await sandbox.control("GET", "/export");
  expect(large).toMatchObject({ status: 200, body: { payment_links: [{ name: "Tea" }] } });
  expect(large.body).toEqual(small.body);
  expect(large.headers.get("content-type")).toBe(small.headers.get("content-type"));

  await sandbox.control("POST", "/snapshots", { name: "large" });
  const file = Buffer.from(
    await (await fetch(`${sandbox.url}/_sandbox/snapshots/large/download`)).arrayBuffer(),
  );
  const upload = (name: string, body: Buffer) =>
    sandbox.call("POST", `/_sandbox/snapshots/upload?name=${name}`, {
      body,
      headers: { "content-type": "application/octet-stream" },
    });
  expect((await upload("whole", file)).status).toBe(201);
  const damaged = Buffer.from(file);
  damaged.fill(0xff, 4096 * 40, 4096 * 50);
  expect(await upload("damaged", damaged)).toMatchObject({
    status: 400,
    body: {
      error: { message: expect.stringContaining("Cannot read the snapshot damaged: ") },
    },
  });
  expect((await sandbox.control("POST", "/snapshots/whole/restore")).status).toBe(200);
});
