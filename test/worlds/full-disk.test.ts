import type { ServerResponse } from "node:http";
import { expect, test } from "vitest";
import { folderOf } from "../support/cli.ts";
import { type Json, startSandbox, type TestSandbox } from "../support/sandbox.ts";
import { mountSmallDisk } from "../support/small-disk.ts";
import { startSubscriber } from "../support/subscriber.ts";

const HINT = "Free some disk space and try again. Nothing was changed.";
const refusal = (message: unknown) => ({
  status: 507,
  body: { error: { code: "disk_full", message, hint: HINT } },
});
const DISK_FULL = refusal(expect.stringMatching(/^The disk is full: .*default\.db could not be written\.$/));

/** Fills up a world's file: SQLite then refuses more pages, as it does on a full disk. */
function fillDisk({ sandbox }: TestSandbox): void {
  const { store } = sandbox.world;
  const { page_count: pages } = store.sql<{ page_count: number }>("pragma page_count").get()!;
  store.sql(`pragma max_page_count = ${pages}`).get();
  const fill = () => {
    for (;;) sandbox.journal.append("test.entry", { text: "x".repeat(100) });
  };
  expect(fill).toThrow("The disk is full");
}

function makeRoom({ sandbox }: TestSandbox): void {
  sandbox.world.store.sql("pragma max_page_count = 1000000").get();
}

const clockOf = async (sandbox: TestSandbox): Promise<string> =>
  (await sandbox.control("GET", "/clock")).body.now;

test("an advance on a full disk moves the clock neither in memory nor in the file", async () => {
  const dataDir = folderOf({});
  const sandbox = await startSandbox({ dataDir });
  for (let count = 0; count < 20; count += 1) await sandbox.openSession({ expires_in: 600 });
  await sandbox.advance("1m");
  fillDisk(sandbox);
  const before = await clockOf(sandbox);
  for (const request of [{ by: "1h" }, { until: "idle" }])
    expect(await sandbox.control("POST", "/clock/advance", request)).toMatchObject(DISK_FULL);
  expect(await clockOf(sandbox)).toBe(before);
  expect(await sandbox.journal("checkout.expired")).toEqual([]);
  await sandbox.close();

  const again = await startSandbox({ dataDir });
  expect(await clockOf(again)).toBe(before);
  expect((await again.advance("1h")).ledger).toHaveLength(20);
});

test("calls on a full disk report that it is full, and the world continues once there is space", async () => {
  const sandbox = await startSandbox({ dataDir: folderOf({}) });
  const link = await sandbox.createLink();
  fillDisk(sandbox);
  expect(await sandbox.control("POST", "/payments", { payment_link_id: link.id })).toMatchObject(DISK_FULL);
  const { status, body } = await sandbox.api("POST", "/payment-links", { body: { name: "Tea" } });
  expect([status, body.error.code]).toEqual([500, "internal_error"]);
  expect(body.error.message).toMatch(/^The disk is full: .* Free some disk space/);
  expect((await sandbox.control("GET", "/status")).status).toBe(200);
  makeRoom(sandbox);
  await sandbox.pay({ payment_link_id: link.id });
});

test("a delivery's result is written once a full disk has space again", async () => {
  const held: ServerResponse[] = [];
  const subscriber = await startSubscriber((_received, response) => void held.push(response));
  const sandbox = await startSandbox({
    dataDir: folderOf({}),
    clock: { mode: "live" },
    settleTimeout: "5s",
  });
  const hook = await sandbox.createWebhook(subscriber.url, { events: ["payment.completed"] });
  const link = await sandbox.createLink();
  const paying = sandbox.control("POST", "/payments", { payment_link_id: link.id });
  await subscriber.arrived(1);
  fillDisk(sandbox);
  held[0]!.writeHead(200).end("x".repeat(12_000));
  await paying;
  expect(await sandbox.deliveries(hook.id)).toMatchObject([{ status: "pending" }]);
  makeRoom(sandbox);
  await sandbox.createLink();
  expect(await sandbox.deliveries(hook.id)).toMatchObject([{ status: "success", response_code: 200 }]);
  expect(held).toHaveLength(1);
});

test("a full disk makes start and snapshot fail with disk_full", async ({ skip }) => {
  const small = mountSmallDisk(64);
  if (small === undefined) return skip("this user cannot mount a disk");
  await expect(startSandbox({ dataDir: small })).rejects.toMatchObject({
    code: "disk_full",
    message: expect.stringMatching(/^The disk is full/),
    hint: HINT,
  });
  const disk = mountSmallDisk(3_000)!;
  const sandbox = await startSandbox({ dataDir: disk });
  const answers: Json[] = [];
  for (let count = 0; count < 20; count += 1)
    answers.push(await sandbox.control("POST", "/snapshots", { name: `n${count}` }));
  expect(answers[0].status).toBe(201);
  expect(answers.at(-1)).toMatchObject(
    refusal(expect.stringContaining("n19.sandglass could not be written")),
  );
  expect((await sandbox.control("GET", "/status")).status).toBe(200);
});
