import { describe, expect, test } from "vitest";
import { startSandbox, type TestSandbox } from "../support/sandbox.ts";
import { startSubscriber } from "../support/subscriber.ts";
import { at, startShop, withoutWallTime } from "../support/webhooks.ts";
import { end } from "./ended-advances.ts";

describe("cancelled advances", () => {
  test("an advance that is cancelled and continued has the same result as an uninterrupted one", async () => {
    const live = async (advance: (sandbox: TestSandbox, arrived: Promise<void>) => Promise<void>) => {
      const sandbox = await startSandbox({ settleTimeout: "2s" });
      const subscriber = await startSubscriber(() => undefined);
      const { webhook } = await startShop(sandbox, subscriber.url);
      await sandbox.control("PUT", `/webhooks/${webhook.id}/fault`, {
        kind: "status",
        status: 500,
        times: 1,
      });
      await sandbox.pay({ payment_link_id: (await sandbox.createLink()).id });
      await advance(sandbox, subscriber.arrived(1));
      const { url: _url, ...timeline } = await sandbox.timeline(webhook.id);
      return withoutWallTime({ timeline, journal: await sandbox.journal() }, "url");
    };
    const whole = await live(async (sandbox) => void (await sandbox.advance({ to: at(7200) })));
    const inParts = await live(async (sandbox, arrived) => {
      const advancing = sandbox.advance({ to: at(7200) });
      await arrived;
      await end(sandbox);
      expect(await advancing).toMatchObject({ to: at(60), cancelled: true });
      await sandbox.advance({ to: at(7200) });
    });
    expect(inParts).toEqual(whole);
  });
});
