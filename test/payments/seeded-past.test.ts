import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { folderOf, runCli } from "../support/cli.ts";
import { type Json, startSandbox } from "../support/sandbox.ts";

/** Starts a world with seeded history, and an endpoint that was created later. */
async function startStory() {
  const sandbox = await startSandbox({ seed: "sandglass" });
  const own = await sandbox.createWebhook(`${sandbox.url}/_sandbox/inbox/shop`);
  return { sandbox, own };
}

const HOUR = 3_600_000;

describe("the seeded past", () => {
  it("seeded endpoints are marked as seeded, and are listed after your own in a payment's deliveries", async () => {
    const { sandbox, own } = await startStory();
    const { body } = await sandbox.control("GET", "/webhooks");
    const made = body.data.filter(({ seeded }: Json) => !seeded).map(({ id }: Json) => id);
    expect(made).toEqual([own.id]);
    expect(body.data.length).toBeGreaterThan(1);
    const { deliveries } = await sandbox.pay({ payment_link_id: "coffee" });
    const order = deliveries.map(({ seeded }: Json) => seeded);
    expect(order).toEqual(order.toSorted());
    expect(new Set(order).size).toBe(2);
    expect(deliveries[0].webhook_id).toBe(own.id);
  });

  it("seeded API keys were last used before they expired or were revoked", async () => {
    const { sandbox } = await startStory();
    const { body } = await sandbox.api("GET", "/api-keys");
    const { now } = (await sandbox.control("GET", "/clock")).body;
    const lives = body.data.map(({ created_at: created, last_used_at: used, ...key }: Json) => [
      created,
      used,
      key.revoked_at ?? key.expires_at ?? now,
    ]);
    expect(lives.length).toBeGreaterThan(3);
    expect(lives).toEqual(lives.map((life: string[]) => life.toSorted()));
  });

  it("sandglass pay only counts deliveries to seeded endpoints instead of listing them, unless all endpoints are seeded", async () => {
    const { sandbox, own } = await startStory();
    const pay = async () => (await runCli(["pay", "coffee"], { env: { SANDGLASS_URL: sandbox.url } })).stdout;
    const lines = (await pay()).trim().split("\n").slice(4);
    expect(lines.slice(0, -1).every((line) => line.includes(own.url))).toBe(true);
    expect(lines.at(-1)).toMatch(/^\d+ more deliver(y|ies) went to the demo data's endpoints$/);
    await sandbox.api("DELETE", `/webhooks/${own.id}`);
    expect(await pay()).not.toContain("demo data");
  });

  it("advancing to your own next event skips timers of the seeded history", async () => {
    const { sandbox, own } = await startStory();
    const due = async (own: boolean): Promise<number> =>
      Date.parse((await sandbox.advance({ until: "next", own, dryRun: true })).to);
    // Nothing of the user's own is due yet, so the expiry of a seeded session comes next.
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

  it("sandglass advance --until next skips timers of the seeded history, except with --all", async () => {
    const { sandbox } = await startStory();
    await sandbox.openSession({ expires_in: 86_400 });
    const preview = async (...more: string[]): Promise<Json> => {
      const args = ["advance", "--until", "next", "--dry-run", "--json", ...more];
      return JSON.parse((await runCli(args, { env: { SANDGLASS_URL: sandbox.url } })).stdout);
    };
    expect(Date.parse((await preview()).to)).toBeGreaterThan(Date.parse((await preview("--all")).to));
  });

  /** The events delivered to an endpoint so far. */
  const eventsAt = async (sandbox: { deliveries(id: string): Promise<Json[]> }, { id }: Json) =>
    (await sandbox.deliveries(id)).map(({ event }: Json) => event);
  const expiredOf = (ledger: Json[]) => ledger.filter(({ type }) => type === "checkout.expired");

  it("an expiring seeded session notifies only seeded endpoints, as the dry run predicts [fidelity: Webhooks › Demo data]", async () => {
    const { sandbox, own } = await startStory();
    const mine = await sandbox.openSession();
    const { would_cause } = await sandbox.advance({ by: "1d", dryRun: true });
    const { ledger } = await sandbox.advance("1d");
    const expired = expiredOf(ledger);
    expect(expired.length).toBeGreaterThan(1);
    expect(expired.filter(({ data }: Json) => !data.seeded).map(({ data }: Json) => data.id)).toEqual([
      mine.id,
    ]);
    expect(await eventsAt(sandbox, own)).toEqual(["checkout.expired"]);
    const made = ledger.filter(({ type }: Json) => /^delivery\.(succeeded|failed)$/.test(type)).length;
    expect(would_cause.attempts.least).toBeLessThanOrEqual(made);
    expect(would_cause.attempts.most).toBeGreaterThanOrEqual(made);
  });

  it("seeded endpoints get the events of the seeded history and of your own sessions", async () => {
    const { sandbox, own } = await startStory();
    const { data } = (await sandbox.control("GET", "/webhooks")).body;
    const seeded = data.find(({ seeded, status }: Json) => seeded && status === "enabled");
    await sandbox.api("PATCH", `/webhooks/${seeded.id}`, { body: { events: ["*"] } });
    const countAt = async () => (await sandbox.timeline(seeded.id)).attempts.length;
    const before = await countAt();
    await sandbox.openSession();
    await sandbox.advance("1d");
    expect(await countAt()).toBeGreaterThan(before + 1);
    expect(await eventsAt(sandbox, own)).toHaveLength(1);
  });

  it("seeded sessions that you expire, pay or change notify every endpoint", async () => {
    const { sandbox, own } = await startStory();
    const { body } = await sandbox.api("GET", "/checkout-sessions?status=active");
    const [expired, paid, failed, changed] = body.data.filter(({ amount }: Json) => amount !== null);
    await sandbox.control("POST", `/sessions/${expired.id}/expire`);
    await sandbox.pay({ session_id: paid.id });
    await sandbox.pay({ session_id: failed.id, outcome: "failed" });
    await sandbox.api("PATCH", `/checkout-sessions/${changed.id}`, { body: { customer_name: "Ada" } });
    await sandbox.advance("1d");
    const bodies = (await sandbox.deliveries(own.id)).map((one) => JSON.parse(one.request_body));
    const ended = (name: string) => bodies.filter(({ event }) => event === name).map(({ data }) => data.id);
    expect(ended("checkout.expired").sort()).toEqual([expired.id, failed.id, changed.id].sort());
    expect(ended("checkout.completed")).toEqual([paid.id]);
  });

  it("snapshots, forks and exported fixtures preserve the mark on the seeded history", async () => {
    const { sandbox } = await startStory();
    const fork = await sandbox.makeWorld({ name: "fork", from: "default" });
    const folder = folderOf();
    const { code, stderr } = await runCli(["export", join(folder, "past.json")], {
      env: { SANDGLASS_URL: sandbox.url },
    });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const exported = await startSandbox({ from: folder });
    for (const world of [fork, exported]) {
      const { data } = (await world.control("GET", "/webhooks")).body;
      const made = data.find(({ seeded }: Json) => !seeded);
      expect(data.filter(({ seeded }: Json) => seeded).length).toBe(data.length - 1);
      expect(expiredOf((await world.advance("1d")).ledger).length).toBeGreaterThan(0);
      expect(await eventsAt(world, made)).toEqual([]);
    }
  });

  it("events from your own fixtures reach every endpoint", async () => {
    const folder = folderOf({
      "shop.json": JSON.stringify({
        organizations: [{ name: "Teahouse", owner_email: "tea@example.com" }],
        webhooks: [{ url: "/_sandbox/inbox/listed" }],
        checkout_sessions: [{ amount: "1000", expires_at: "2026-01-15T09:10:00Z" }],
      }),
    });
    const sandbox = await startSandbox({ from: folder });
    const later = await sandbox.createWebhook(`${sandbox.url}/_sandbox/inbox/later`);
    const { ledger } = await sandbox.advance("1h");
    expect(expiredOf(ledger)).toHaveLength(1);
    expect(await eventsAt(sandbox, later)).toEqual(["checkout.expired"]);
    const { data } = (await sandbox.control("GET", "/webhooks")).body;
    expect(data.map(({ seeded }: Json) => seeded)).toEqual([false, false]);
  });

  it("sandglass advance counts expired seeded sessions in one line", async () => {
    const { sandbox } = await startStory();
    await sandbox.openSession();
    await sandbox.pay({ payment_link_id: "coffee" });
    const { stdout } = await runCli(["advance", "1d"], { env: { SANDGLASS_URL: sandbox.url } });
    const lines = stdout.trim().split("\n");
    expect(stdout.match(/demo data/g)).toHaveLength(1);
    expect(lines.at(-2)).toMatch(/^\d+ sessions from the demo data expired$/);
    expect(lines.at(-1)).toMatch(/; 1 delivery, 0 failed /);
    expect(lines).toHaveLength(4);
  });
});
