import { expect, test } from "vitest";
import { writeManyAttempts } from "../support/many-attempts.ts";
import { type Json, startSandbox } from "../support/sandbox.ts";
import { startSubscriber } from "../support/subscriber.ts";
import { startShop } from "../support/webhooks.ts";

test("a timeline can be read in pages, back to its first attempt", async () => {
  const sandbox = await startSandbox();
  const { id } = await sandbox.createWebhook(`${sandbox.url}/_sandbox/inbox/shop`);
  writeManyAttempts(sandbox.sandbox.world, id, 40);
  const read = async (query: string) =>
    (await sandbox.control("GET", `/webhooks/${id}/timeline?${query}`)).body;
  const idsOf = ({ attempts }: Json) => attempts.map(({ delivery_id: delivery }: Json) => delivery);

  const whole = await read("");
  expect(whole.earlier).toEqual({ attempts: 0, since: null, slices: [] });
  const parts: string[][] = [];
  let part = await read("limit=15&slices=4");
  const { attempts, since, slices } = part.earlier;
  expect([attempts, since]).toEqual([25, whole.attempts[0].started_at]);
  expect(slices[0].from).toBe(since);
  const counted = slices.reduce(
    (sum: number, { success, failed, pending }: Json) => sum + success + failed + pending,
    0,
  );
  expect([counted, slices.length]).toEqual([25, 4]);
  for (;;) {
    parts.unshift(idsOf(part));
    if (part.earlier.attempts === 0) break;
    part = await read(`limit=15&before=${parts[0]![0]}`);
  }
  expect(parts.map(({ length }) => length)).toEqual([10, 15, 15]);
  expect(parts.flat()).toEqual(idsOf(whole));
  expect((await read(`before=${parts[0]![0]}`)).attempts).toEqual([]);

  const other = await sandbox.createWebhook(`${sandbox.url}/_sandbox/inbox/other`);
  const refused = await sandbox.control("GET", `/webhooks/${other.id}/timeline?before=del_0`);
  expect([refused.status, refused.body.error.code]).toEqual([404, "not_found"]);
  expect(refused.body.error.message).toBe(`The webhook ${other.id} has no delivery del_0.`);
  const many = await sandbox.control("GET", `/webhooks/${id}/timeline?slices=1001`);
  expect(many.status).toBe(400);
});

test("a timeline lists no more planned, forecast and skipped attempts than its limit", async () => {
  const sandbox = await startSandbox();
  const subscriber = await startSubscriber(500);
  const shop = await startShop(sandbox, subscriber.url, { events: ["payment.completed"] });
  for (let count = 0; count < 4; count += 1) {
    await shop.pay();
    await sandbox.advance({ by: "1s" });
  }
  const read = async (query: string) =>
    (await sandbox.control("GET", `/webhooks/${shop.webhook.id}/timeline${query}`)).body;
  const whole = await read("");
  expect(whole.planned).toHaveLength(4);
  const part = await read("?limit=2");
  expect(part).toMatchObject({ planned: whole.planned.slice(0, 2), earlier: { attempts: 2 } });
  expect(part.forecast).toEqual({ ...whole.forecast, attempts: whole.forecast.attempts.slice(0, 2) });

  await sandbox.control("POST", `/webhooks/${shop.webhook.id}/disable`);
  const { skipped } = await read("");
  expect(skipped).toHaveLength(4);
  expect((await read("?limit=3")).skipped).toEqual(skipped.slice(1));
});
