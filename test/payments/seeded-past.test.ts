import { describe, expect, it } from "vitest";
import { runCli } from "../support/cli.ts";
import { type Json, startSandbox } from "../support/sandbox.ts";

/** A world with a past of its own, and an endpoint that was made since. */
async function startStory() {
  const sandbox = await startSandbox({ seed: "sandglass" });
  const own = await sandbox.createWebhook(`${sandbox.url}/_sandbox/inbox/shop`);
  return { sandbox, own };
}

const HOUR = 3_600_000;

describe("the seeded past stays out of the way", () => {
  it("endpoints say whether they belong to it", async () => {
    const { sandbox, own } = await startStory();
    const { body } = await sandbox.control("GET", "/webhooks");
    const made = body.data.filter(({ seeded }: Json) => !seeded).map(({ id }: Json) => id);
    expect(made).toEqual([own.id]);
    expect(body.data.length).toBeGreaterThan(1);
  });

  it("a payment lists the deliveries to own endpoints first", async () => {
    const { sandbox, own } = await startStory();
    const { deliveries } = await sandbox.pay({ payment_link_id: "coffee" });
    const order = deliveries.map(({ seeded }: Json) => seeded);
    expect(order).toEqual(order.toSorted());
    expect(new Set(order).size).toBe(2);
    expect(deliveries[0].webhook_id).toBe(own.id);
  });

  it("sandglass pay prints those and counts the rest; without an own endpoint it prints all", async () => {
    const { sandbox, own } = await startStory();
    const pay = async () => (await runCli(["pay", "coffee"], { env: { SANDGLASS_URL: sandbox.url } })).stdout;
    const lines = (await pay()).trim().split("\n").slice(4);
    expect(lines.slice(0, -1).every((line) => line.includes(own.url))).toBe(true);
    expect(lines.at(-1)).toMatch(/^and \d+ deliver(y|ies) to seeded endpoints$/);
    await sandbox.api("DELETE", `/webhooks/${own.id}`);
    expect(await pay()).not.toContain("seeded endpoints");
  });

  it("an advance until next can stop for own things alone", async () => {
    const { sandbox, own } = await startStory();
    const due = async (own: boolean): Promise<number> =>
      Date.parse((await sandbox.advance({ until: "next", own, dryRun: true })).to);
    // Nothing own is due yet, so the next thing is a seeded session's expiry.
    expect(await due(true)).toBe(await due(false));
    await sandbox.openSession({ expires_in: 86_400 });
    const session = await due(true);
    expect(session).toBeGreaterThan(await due(false));
    await sandbox.control("PUT", `/webhooks/${own.id}/fault`, { status: 503 });
    await sandbox.pay({ payment_link_id: "coffee" });
    const retry = await due(true);
    expect(retry).toBeLessThan(session);
    const { to, ledger } = await sandbox.advance({ until: "next", own: true });
    expect(Date.parse(to)).toBe(retry);
    expect(ledger.filter(({ type }: Json) => type === "delivery.failed").length).toBeGreaterThan(0);
    await sandbox.control("DELETE", `/webhooks/${own.id}/fault`);
    await sandbox.advance({ until: "next", own: true });
    const { ledger: expired } = await sandbox.advance({ until: "next", own: true });
    expect(expired.map(({ type }: Json) => type)).toContain("checkout.expired");
    expect(session - retry).toBeGreaterThan(HOUR);
  });

  it("sandglass advance --until next does so by default, and stops for everything with --all", async () => {
    const { sandbox } = await startStory();
    await sandbox.openSession({ expires_in: 86_400 });
    const preview = async (...more: string[]): Promise<Json> => {
      const args = ["advance", "--until", "next", "--dry-run", "--json", ...more];
      return JSON.parse((await runCli(args, { env: { SANDGLASS_URL: sandbox.url } })).stdout);
    };
    expect(Date.parse((await preview()).to)).toBeGreaterThan(Date.parse((await preview("--all")).to));
  });
});
