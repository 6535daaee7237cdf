import { describe, expect, test } from "vitest";
import { BROWSER } from "../support/browser.ts";
import { startSandbox } from "../support/sandbox.ts";
import { openUi } from "../support/ui.ts";
import { at, startHeldSubscriber } from "../support/webhooks.ts";

/** A page beside a sandbox in which a session expires after ten minutes; its delivery is held. */
async function startHeldUi() {
  const sandbox = await startSandbox();
  const subscriber = await startHeldSubscriber();
  await sandbox.createWebhook(subscriber.url, { events: ["checkout.expired"] });
  await sandbox.openSession({ expires_in: 600 });
  const { page } = await openUi(sandbox.url, "#/webhooks");
  return { sandbox, subscriber, page, progress: page.getByRole("group", { name: "Advance in progress" }) };
}

describe.skipIf(!BROWSER)("an advance that takes its time", () => {
  test("is shown with how far it is, and can be ended", async () => {
    const { sandbox, subscriber, page, progress } = await startHeldUi();
    await page.getByTestId("advance-1h").click();
    await progress.getByText("10 min of 1 h: 2 entries, waiting for 1 answer").waitFor();
    await progress.getByRole("button", { name: "End here" }).click();
    await progress.getByRole("button", { name: "Ending…" }).waitFor();
    await expect.poll(() => sandbox.sandbox.world.scheduler.progress()?.ending).toBe(true);
    subscriber.open[0]!.answer(200);
    await page.getByText(/^Advanced 10 min in .*; it was ended there\.$/).waitFor();
    await progress.waitFor({ state: "detached" });
    expect((await sandbox.control("GET", "/clock")).body.now).toBe(at(600));
  });

  test("is shown where something else asked for it, too", async () => {
    const { sandbox, subscriber, progress } = await startHeldUi();
    const advancing = sandbox.advance({ until: "idle" });
    await progress.getByText("10 min: 2 entries, waiting for 1 answer").waitFor();
    subscriber.open[0]!.answer(200);
    await advancing;
    await progress.waitFor({ state: "detached" });
  });
});
