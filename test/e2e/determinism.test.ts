import { expect, test } from "vitest";
import { startBuilt } from "../support/built.ts";
import { clientOf, type Json } from "../support/sandbox.ts";

/**
 * Makes the same calls in a separate process. Returns the journal and the deliveries without real times.
 */
async function play(): Promise<{ journal: Json[]; deliveries: Json[] }> {
  const url = await startBuilt(["--port", "0", "--paused", "--seed", "twice"]);
  const sandbox = clientOf(url);
  const webhook = await sandbox.createWebhook(`${url}/_sandbox/inbox/mine`, { description: "mine" });
  const link = await sandbox.createLink({ name: "Tea" });
  await sandbox.control("PUT", `/webhooks/${webhook.id}/fault`, { kind: "status", status: 503, rate: 0.6 });
  for (let round = 0; round < 4; round += 1) {
    await sandbox.pay({ payment_link_id: link.id, metadata: { round } });
    await sandbox.pay({ payment_link_id: link.id, outcome: "failed" });
    await sandbox.advance("37s");
  }
  await sandbox.openSession({ expires_in: 600 });
  await sandbox.advance("2h");
  await sandbox.advance({ until: "next" });
  await sandbox.control("PUT", "/inbox/mine/behaviour", { sequence: [500, 500] });
  await sandbox.control("DELETE", `/webhooks/${webhook.id}/fault`);
  await sandbox.pay({ payment_link_id: link.id });
  await sandbox.advance("1d");
  const journal = (await sandbox.journal()).map(({ wall: _, ...entry }) => entry);
  const deliveries = (await sandbox.deliveries(webhook.id)).map(
    ({ duration_ms: _, response_headers: __, url: ___, ...rest }) => rest,
  );
  return { journal, deliveries };
}

test("two processes with the same seed and calls produce the same journal and bytes", async () => {
  const [one, two] = [await play(), await play()];
  expect(one.journal.length).toBeGreaterThan(60);
  expect(two.journal).toEqual(one.journal);
  expect(two.deliveries).toEqual(one.deliveries);
});
