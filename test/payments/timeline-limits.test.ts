import { expect, test } from "vitest";
import { startSandbox } from "../support/sandbox.ts";
import { startSubscriber } from "../support/subscriber.ts";
import { startShop } from "../support/webhooks.ts";

test("a timeline lists a limited number of planned, forecast and skipped attempts: the next, and the latest", async () => {
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
