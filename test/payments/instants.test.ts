import { expect, test } from "vitest";
import { startSandbox } from "../support/sandbox.ts";

test.each([16, 80])(
  "all %i attempts at the same instant finish, and their results are recorded, before the clock moves on",
  async (count) => {
    const sandbox = await startSandbox({ webhooks: { disableAfter: { consecutive: 1_000 } } });
    const webhook = await sandbox.createWebhook("http://127.0.0.1:9/never-called", {
      events: ["payment.completed"],
    });
    await sandbox.control("PUT", `/webhooks/${webhook.id}/fault`, { kind: "status", status: 500 });
    const link = await sandbox.createLink();
    for (let paid = 0; paid < count; paid += 1) await sandbox.pay({ payment_link_id: link.id });
    await sandbox.advance("60s");
    for (const seconds of [600, 601, 602]) await sandbox.openSession({ expires_in: seconds });

    const { ledger } = await sandbox.advance("15m");
    const times = ledger.map(({ at }: { at: string }) => at);
    expect(times).toEqual([...times].sort());
    // One session expires at the instant of the attempts, and two expire later. No session may expire before the
    // results of the attempts have arrived.
    const types = ledger.map(({ type }: { type: string }) => type);
    expect(types.filter((type: string) => type === "delivery.failed")).toHaveLength(count);
    expect(types.lastIndexOf("delivery.failed")).toBeLessThan(types.lastIndexOf("checkout.expired") - 1);
  },
);
