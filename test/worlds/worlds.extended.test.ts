import { describe, expect, test } from "vitest";
import { startSandbox } from "../support/sandbox.ts";

describe("parallel worlds", () => {
  test("forty parallel worlds share no time, data, events, deliveries, ids or rate limits", async () => {
    const sandbox = await startSandbox({ payments: { rateLimit: 6 }, settleTimeout: "20s" });
    const names = Array.from({ length: 40 }, (_, index) => `world-${index}`);
    const worlds = await Promise.all(
      names.map(async (name, index) => {
        const world = await sandbox.makeWorld({ name });
        await world.advance(index * 1_000);
        await world.createWebhook(`${world.url}/_sandbox/inbox/mine`, { events: ["payment.completed"] });
        const link = await world.createLink({ name });
        await world.pay({ payment_link_id: link.id, client_reference_id: name });
        return { name, index, world, link };
      }),
    );
    // Check one world after another: a world that has not been used for a while must be woken up.
    for (const { name, index, world, link } of worlds) {
      const { now } = (await world.control("GET", "/clock")).body;
      expect(Date.parse(now) - Date.parse("2026-01-15T09:00:00Z")).toBe(index * 1_000);
      const { body } = await world.api("GET", "/payment-links");
      expect(body.data.map((it: { name: string }) => it.name)).toEqual([name]);
      // All worlds have the same seed, so an id occurs in all of them. Here it refers to the object in this world.
      expect(link.url).toContain(`/w/${name}/`);
      expect(link.id).toBe(worlds[0]!.link.id);
      await world.api("PATCH", `/payment-links/${link.id}`, { body: { name: `${name} changed` } });
      const { headers, body: changed } = await world.api("GET", `/payment-links/${link.id}`);
      expect(changed.name).toBe(`${name} changed`);
      expect(headers.get("x-ratelimit-remaining")).toBe("1");
      expect(await world.journal("payment_link.*")).toHaveLength(2);
      const { data } = (await world.control("GET", "/inbox/mine")).body;
      const orders = data.map((message: { body: string }) => JSON.parse(message.body).data.checkoutSession);
      expect(orders.map((order: { clientReferenceId: string }) => order.clientReferenceId)).toEqual([name]);
    }
    const { data } = (await sandbox.control("GET", "/worlds")).body;
    expect(data.map((world: { name: string }) => world.name).sort()).toEqual(["default", ...names].sort());
    expect(await sandbox.journal("payment_link.*")).toEqual([]);
  });
});
