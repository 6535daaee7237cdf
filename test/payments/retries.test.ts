import { expect, test } from "vitest";
import { startSandbox } from "../support/sandbox.ts";
import { startSubscriber } from "../support/subscriber.ts";

const START = Date.parse("2026-01-15T09:00:00.000Z");
const secondsOf = (deliveries: { created_at: string }[]) =>
  deliveries.map(({ created_at: at }) => (Date.parse(at) - START) / 1_000);

test("instant failures are tried at 0, 60, 660 and 4260 s, and never again", async () => {
  const sandbox = await startSandbox();
  const subscriber = await startSubscriber(500);
  const webhook = await sandbox.createWebhook(subscriber.url, { events: ["payment.completed"] });
  const link = await sandbox.createLink();
  await sandbox.pay({ payment_link_id: link.id });
  await sandbox.advance("1d");
  expect(secondsOf(await sandbox.deliveries(webhook.id))).toEqual([0, 60, 660, 4260]);
  expect(subscriber.received).toHaveLength(4);
});
