import { expect, test } from "vitest";
import type { Json, TestSandbox } from "../support/sandbox.ts";
import { startSandbox } from "../support/sandbox.ts";
import { startSubscriber } from "../support/subscriber.ts";
import { seconds, startHangingSubscriber, startShop } from "../support/webhooks.ts";

/** How much real time a request gets at first: much more than a silent subscriber gets after its first timeout. */
const SETTLE_TIMEOUT = "4s";

/** Starts a subscriber that never responds, and counts the requests that were aborted. */
async function startSilentSubscriber() {
  let count = 0;
  const waiting: { count: number; resolve: () => void }[] = [];
  const { url } = await startSubscriber((_received, response) => {
    response.on("close", () => {
      count += 1;
      for (const one of waiting) if (count >= one.count) one.resolve();
    });
  });
  const gaveUp = (wanted: number) =>
    new Promise<void>((resolve) => {
      if (count >= wanted) resolve();
      else waiting.push({ count: wanted, resolve });
    });
  return { url, gaveUp };
}

/**
 * Starts a subscriber that handles its requests in turn: it responds at once, never, or after a promise has resolved.
 */
async function startSubscriberThat(...steps: (Promise<void> | "answers" | "is silent")[]) {
  const { url } = await startSubscriber(async (_received, response) => {
    const step = steps.shift();
    if (step === "is silent") return;
    if (step !== "answers") await step;
    response.writeHead(200).end();
  });
  return url;
}

/** Advances ten minutes at once. Sessions expire after 300 s and 600 s. */
async function advanceOverExpiries(sandbox: TestSandbox, urls: string[]) {
  const endpoints: Json[] = [];
  for (const url of urls) endpoints.push(await sandbox.createWebhook(url, { events: ["checkout.expired"] }));
  await sandbox.openSession({ expires_in: 300 });
  await sandbox.openSession({ expires_in: 600 });
  await sandbox.advance("10m");
  return Promise.all(
    endpoints.map(async ({ id }) => {
      const deliveries = await sandbox.deliveries(id);
      return deliveries.map(({ created_at: at, status }) => [seconds(at), status]);
    }),
  );
}

const SILENT = [
  [300, "failed"],
  [390, "failed"],
  [600, "pending"],
];

test("only the silent subscriber gets less time after its first timeout in an advance [fidelity: Time › Real requests]", async () => {
  const sandbox = await startSandbox({ settleTimeout: SETTLE_TIMEOUT });
  const silent = await startSilentSubscriber();
  // The subscriber responds to the request at 600 s only after the silent subscriber's third request, made at the same
  // instant, has been abandoned.
  const slow = await startSubscriberThat("answers", silent.gaveUp(3));
  expect(await advanceOverExpiries(sandbox, [slow, silent.url])).toEqual([
    [
      [300, "success"],
      [600, "success"],
    ],
    SILENT,
  ]);
});

/** A delay that is longer than the short time that a subscriber gets after its first timeout. */
const MOMENT_MS = 400;

test("a response counts even if a blocked process reads it only after the time limit", async () => {
  const sandbox = await startSandbox({ settleTimeout: SETTLE_TIMEOUT });
  const silent = await startSilentSubscriber();
  let requests = 0;
  const { url } = await startSubscriber((_received, response) => {
    requests += 1;
    if (requests === 1) return;
    response.writeHead(200).end();
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, MOMENT_MS);
  });
  const [busy] = await advanceOverExpiries(sandbox, [url, silent.url]);
  expect(busy).toEqual([
    [300, "failed"],
    [390, "success"],
    [600, "success"],
  ]);
});

test("a subscriber that responds again gets its full time back", async () => {
  const sandbox = await startSandbox({ settleTimeout: SETTLE_TIMEOUT });
  const silent = await startSilentSubscriber();
  const recovers = await startSubscriberThat("is silent", "answers", silent.gaveUp(3));
  expect(await advanceOverExpiries(sandbox, [recovers, silent.url])).toEqual([
    [
      [300, "failed"],
      [390, "success"],
      [600, "success"],
    ],
    SILENT,
  ]);
});

test("a reset also discards the requests that are still queued for a silent subscriber", async () => {
  const sandbox = await startSandbox({ clock: { mode: "live" } });
  const subscriber = await startHangingSubscriber();
  const { pay } = await startShop(sandbox, subscriber.url);
  const paid = Promise.allSettled(Array.from({ length: 66 }, () => pay()));
  await subscriber.arrived(64);
  await sandbox.control("POST", "/reset");
  await paid;
  const later = await startShop(sandbox, `${subscriber.url}/later`);
  subscriber.answer = 200;
  await later.pay();
  expect(subscriber.received.slice(64).map(({ path }) => path)).toEqual(["/webhooks/later"]);
});
