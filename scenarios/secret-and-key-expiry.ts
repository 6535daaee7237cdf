import { defineScenario, verifySignature } from "sandglass";

export default defineScenario({
  name: "secret-and-key-expiry",
  title: "An API key runs out, and a signing secret is replaced, without a gap",
  description:
    "A key with an expiry works up to its last second, so its successor has to be in use before. A signing secret lasts as long as its endpoint: to replace it, a second endpoint with the same URL is made, both are accepted for a while, and the first is deleted. Meanwhile each event comes twice.",
  seed: "empty",
  async run({ sandbox, step, expect, subscriber }) {
    const inbox = sandbox.inbox("shop");
    const listWith = (key: string) => sandbox.platform.request("GET", "/payment-links", { key });
    const newKey = (name: string, expiresAt?: string) =>
      sandbox.platform.call<{ id: string; key: string }>("POST", "/api-keys", {
        name,
        permission: "read",
        ...(expiresAt && { expires_at: expiresAt }),
      });
    /** What a subscriber does: it accepts a request that is signed with one of its secrets. */
    const signedWith = (
      secrets: readonly string[],
      { headers, body }: { headers: Record<string, string>; body: string },
    ) => secrets.some((secret) => verifySignature(body, headers["x-platform-signature"], secret));

    const first = await step("A key that ends in thirty days is made, and works", async () => {
      const made = await newKey("Until February", "2026-02-14T09:00:00Z");
      expect((await listWith(made.key)).status).toBe(200);
      return made;
    });

    const second = await step("A day before its end, a second key is made; both work", async () => {
      await sandbox.clock.advance("29d");
      const made = await newKey("From February");
      expect((await listWith(first.key)).status).toBe(200);
      expect((await listWith(made.key)).status).toBe(200);
      return made;
    });

    await step("The first works in its last second, and not after", async () => {
      await sandbox.clock.advance({ to: "2026-02-14T08:59:59Z" });
      expect((await listWith(first.key)).status).toBe(200);
      await sandbox.clock.advance("1s");
      expect(await listWith(first.key)).toMatchObject({
        status: 401,
        body: { error: { code: "key_expired" } },
      });
      expect((await listWith(second.key)).status).toBe(200);
    });

    await step("A key that has leaked is revoked, and is refused from that moment on", async () => {
      await sandbox.platform.call("DELETE", `/api-keys/${second.id}`);
      expect(await listWith(second.key)).toMatchObject({
        status: 401,
        body: { error: { code: "key_revoked" } },
      });
    });

    const old = await step("A shop has taken webhooks with one signing secret for long", async () => {
      await sandbox.payments.createLink({
        name: "Coffee beans, 1 kg",
        short_code: "coffee",
        amount: "18000000",
      });
      return sandbox.webhooks.create({ url: inbox.url, events: ["payment.completed"] });
    });

    const fresh = await step(
      "A second endpoint with the same URL gets a secret of its own; the shop accepts both",
      () => sandbox.webhooks.create({ url: inbox.url, events: ["payment.completed"], another: true }),
    );

    await step("While both are there, each event comes from both, and the shop counts it once", async () => {
      await sandbox.payments.pay("coffee");
      const messages = await inbox.messages();
      expect(messages).toHaveLength(2);
      for (const message of messages) expect(signedWith([old.secret, fresh.secret], message)).toBe(true);
      expect(new Set(messages.map(({ body }) => JSON.parse(body).data.id)).size).toBe(1);
    });

    await step("The old endpoint is deleted, and with it the old secret", async () => {
      await sandbox.webhooks.delete(old.id);
      await sandbox.clock.advance("1d");
      await sandbox.payments.pay("coffee");
      const [delivery, ...more] = (await inbox.messages())
        .filter(({ headers }) => headers["x-platform-webhook-id"] === fresh.id)
        .slice(1);
      expect(more).toEqual([]);
      expect(signedWith([fresh.secret], delivery!)).toBe(true);
      // Your own subscriber knows only one secret, which all its endpoints sign with.
      if (subscriber === null) expect(signedWith([old.secret], delivery!)).toBe(false);
      const { attempts, status } = await sandbox.webhooks.timeline(old.id);
      expect(status).toBe("deleted");
      expect(attempts).toHaveLength(1);
    });
  },
});
