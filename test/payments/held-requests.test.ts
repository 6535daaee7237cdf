import { expect, onTestFinished, test, vi } from "vitest";
import { startSandbox } from "../support/sandbox.ts";
import { startSubscriber } from "../support/subscriber.ts";

test("a held request without a retry is sent after the commit, but not after a rollback", async () => {
  const sandbox = await startSandbox({ webhooks: { retryDelays: [] } });
  const subscriber = await startSubscriber();
  const hook = await sandbox.createWebhook(subscriber.url, { events: ["payment.completed"] });
  const other = await sandbox.createWebhook(subscriber.url, { events: ["payment.failed"] });
  await sandbox.control("PUT", `/webhooks/${hook.id}/fault`, { kind: "timeout", overlap: true });
  await sandbox.pay({ payment_link_id: (await sandbox.createLink()).id });

  const { journal } = sandbox.sandbox;
  const { append } = journal;
  const failing = vi.spyOn(journal, "append").mockImplementation((type, data) => {
    if (type === "delivery.exhausted") throw new Error("taken back");
    append(type, data);
  });
  const noise = vi.spyOn(console, "error").mockImplementation(() => undefined);
  onTestFinished(() => noise.mockRestore());
  const refused = await sandbox.control("POST", "/clock/advance", { by: "30s" });
  expect([refused.status, refused.body.error.code]).toEqual([409, "invalid_state"]);
  // When this has arrived, anything sent earlier must have arrived as well.
  await sandbox.api("POST", `/webhooks/${other.id}/test`);
  expect(subscriber.received).toHaveLength(1);

  failing.mockRestore();
  await sandbox.advance("30s");
  await subscriber.arrived(2);
  expect(await sandbox.deliveries(hook.id)).toMatchObject([{ status: "failed", error: "timeout" }]);
});
