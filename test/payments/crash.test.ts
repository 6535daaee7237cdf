import { copyFileSync, existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { folderOf } from "../support/cli.ts";
import { type Json, startSandbox } from "../support/sandbox.ts";
import { startSubscriber } from "../support/subscriber.ts";

/**
 * A killed process leaves its database file as it is at that moment. So the file is copied after every commit of a
 * story, and a sandbox is started on each copy. At every moment, nothing that was confirmed to a caller is lost, and
 * the story continues as it should.
 */
const FILES = ["default.db", "default.db-wal"];

/** Half of the moments are enough, because each story has more than twenty. */
const someOf = (images: Image[]) => images.filter((_, index) => index % 2 === 0);

interface Image {
  folder: string;
  /** The ids that responses had contained by that moment. */
  acknowledged: { links: string[]; webhooks: string[]; transactions: string[] };
}

async function recordStory(statuses: number[]): Promise<{
  images: Image[];
  subscriberUrl: string;
  subscriber: Awaited<ReturnType<typeof startSubscriber>>;
}> {
  const root = folderOf();
  const dataDir = join(root, "data");
  const left = [...statuses];
  const subscriber = await startSubscriber(
    (_received, response) => void response.writeHead(left.shift() ?? 200).end(),
  );
  const sandbox = await startSandbox({ dataDir, settleTimeout: 2_000 });
  const acknowledged: Image["acknowledged"] = { links: [], webhooks: [], transactions: [] };
  const images: Image[] = [];
  sandbox.sandbox.world.store.onCommitted(() => {
    const folder = join(root, `image-${images.length}`);
    mkdirSync(folder);
    for (const file of FILES)
      if (existsSync(join(dataDir, file))) copyFileSync(join(dataDir, file), join(folder, file));
    images.push({ folder, acknowledged: structuredClone(acknowledged) });
  });

  const link = await sandbox.createLink();
  acknowledged.links.push(link.id);
  const webhook = await sandbox.createWebhook(subscriber.url, { events: ["payment.completed"] });
  acknowledged.webhooks.push(webhook.id);
  for (let round = 0; round < 3; round += 1) {
    const { transaction } = await sandbox.pay({ payment_link_id: link.id });
    acknowledged.transactions.push(transaction.id);
    await sandbox.advance("20s");
  }
  await sandbox.advance("3h");
  await sandbox.close();
  return { images, subscriber, subscriberUrl: subscriber.url };
}

/** Starts a sandbox on a copy, lets it finish its work, and returns the result. */
async function restart(image: Image) {
  const sandbox = await startSandbox({ dataDir: image.folder, settleTimeout: 2_000 });
  await sandbox.advance({ until: "idle" });
  const found = {
    mail: await sandbox.mail(),
    webhooks: [] as Json[],
    deliveries: [] as Json[],
    lost: [] as string[],
  };
  for (const id of image.acknowledged.links)
    if ((await sandbox.api("GET", `/payment-links/${id}`)).status !== 200) found.lost.push(id);
  for (const id of image.acknowledged.transactions)
    if ((await sandbox.api("GET", `/transactions/${id}`)).status !== 200) found.lost.push(id);
  for (const id of image.acknowledged.webhooks) {
    const { status, body } = await sandbox.api("GET", `/webhooks/${id}`);
    if (status !== 200) found.lost.push(id);
    else {
      found.webhooks.push({ ...body, timeline: await sandbox.timeline(id) });
      found.deliveries.push(...(await sandbox.deliveries(id)));
    }
  }
  await sandbox.close();
  return found;
}

function checkPlans(deliveries: Json[]): void {
  expect(new Set(deliveries.map(({ id }) => id)).size).toBe(deliveries.length);
  const byEvent = group(deliveries);
  for (const attempts of byEvent.values()) {
    const ordered = [...attempts].sort((a, b) => a.attempt - b.attempt);
    expect(ordered.map(({ attempt }) => attempt)).toEqual(ordered.map((_, index) => index + 1));
    expect(ordered.map(({ created_at: at }) => at)).toEqual(ordered.map(({ created_at: at }) => at).sort());
    expect(ordered.every(({ status }) => status !== "pending")).toBe(true);
    expect(ordered.length).toBeLessThanOrEqual(4);
  }
}

function group(deliveries: Json[]): Map<string, Json[]> {
  const groups = new Map<string, Json[]>();
  for (const delivery of deliveries)
    groups.set(delivery.event_id, [...(groups.get(delivery.event_id) ?? []), delivery]);
  return groups;
}

test("a kill at any moment before an endpoint is disabled loses no data, and only one e-mail is written", async () => {
  const { images, subscriber } = await recordStory(Array(100).fill(500));
  subscriber.answer = 500;
  expect(images.length).toBeGreaterThan(20);
  for (const image of someOf(images)) {
    const { lost, mail, webhooks, deliveries } = await restart(image);
    expect(lost).toEqual([]);
    checkPlans(deliveries);
    const events = new Set(deliveries.map(({ event_id: id }) => id)).size;
    for (const webhook of webhooks) {
      expect(webhook.timeline.planned).toEqual([]);
      expect(webhook.status).toBe(events === 3 ? "disabled" : "enabled");
      expect(mail).toHaveLength(webhook.status === "disabled" ? 1 : 0);
      expect(deliveries).toHaveLength(events === 3 ? 10 : events * 4);
    }
  }
});

test("a kill at any moment during a recovery loses no data, and each event succeeds exactly once [fidelity: Data › On disk]", async () => {
  const { images, subscriber } = await recordStory([500, 500, 500, 200, 500, 200]);
  subscriber.answer = 200;
  for (const image of someOf(images)) {
    const { lost, mail, deliveries } = await restart(image);
    expect(lost).toEqual([]);
    expect(mail).toEqual([]);
    checkPlans(deliveries);
    const succeeded = deliveries.filter(({ status }) => status === "success").map(({ event_id: id }) => id);
    expect(new Set(succeeded).size).toBe(succeeded.length);
    expect(new Set(succeeded).size).toBe(new Set(deliveries.map(({ event_id: id }) => id)).size);
  }
});

test("a recorded response survives a restart, and its request is not sent again", async () => {
  const dataDir = join(folderOf(), "data");
  const failing = await startSubscriber(500);
  const hanging = await startSubscriber(() => undefined);
  const first = await startSandbox({ dataDir, settleTimeout: 20_000 });
  const urls = [failing.url, hanging.url];
  for (const url of urls) await first.createWebhook(url, { events: ["payment.completed"] });
  const [{ id }] = (await first.api("GET", "/webhooks?order=asc")).body.data;
  const link = await first.createLink();
  void first.control("POST", "/payments", { payment_link_id: link.id }).catch(() => undefined);
  await expect.poll(() => first.deliveries(id)).toMatchObject([{ status: "failed", completed_at: null }]);
  await first.close();

  hanging.answer = 200;
  failing.answer = 200;
  const second = await startSandbox({ dataDir });
  await second.advance(0);
  expect([failing.received.length, hanging.received.length]).toEqual([1, 2]);
  const [failed] = await second.deliveries(id);
  expect(failed).toMatchObject({ status: "failed", response_code: 500, error: "status" });
  expect(failed.error_detail).toBe("Returned 500; a delivery succeeds with 200 to 299.");
  expect(failed.completed_at).toBe(failed.attempted_at);
  expect(await second.timeline(id)).toMatchObject({ counter: { consecutive_failures: 1 } });
  expect(await second.journal("delivery.failed")).toHaveLength(1);
  await second.advance("1m");
  expect(await second.deliveries(id)).toMatchObject([{ status: "failed" }, { status: "success" }]);
});

test("retries planned before a restart fire once, in order [fidelity: Time › Restart]", async () => {
  const dataDir = join(folderOf(), "data");
  const subscriber = await startSubscriber(500);
  const first = await startSandbox({ dataDir });
  const webhook = await first.createWebhook(subscriber.url, { events: ["payment.completed"] });
  const link = await first.createLink();
  for (let round = 0; round < 3; round += 1) {
    await first.pay({ payment_link_id: link.id });
    await first.advance("1s");
  }
  await first.close();

  const second = await startSandbox({ dataDir, clock: { mode: "paused" } });
  subscriber.answer = 200;
  await second.advance("10m");
  const deliveries = await second.deliveries(webhook.id);
  const firsts = deliveries.filter(({ attempt }) => attempt === 1).map(({ event_id: id }) => id);
  const seconds = deliveries.filter(({ attempt }) => attempt === 2).map(({ event_id: id }) => id);
  expect(seconds).toEqual(firsts);
  expect(deliveries).toHaveLength(6);
  expect(subscriber.received).toHaveLength(6);
});

test("a data folder in use is rejected until the other sandbox closes [fidelity: Data › One process]", async () => {
  const dataDir = join(folderOf(), "data");
  const first = await startSandbox({ dataDir });
  await expect(startSandbox({ dataDir })).rejects.toMatchObject({
    code: "invalid_state",
    message: expect.stringContaining("Another process"),
  });
  await first.close();
  await startSandbox({ dataDir });
});
