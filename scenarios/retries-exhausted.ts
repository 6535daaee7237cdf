import { defineScenario } from "sandglass";

/** When the attempts start, in seconds after the event. A retry's delay starts when the previous attempt ends. */
const AT_ONCE = [0, 60, 660, 4260];
/** An attempt without a response ends 30 seconds after it starts, which delays each of the later attempts. */
const UNANSWERED = [0, 90, 720, 4350];

export default defineScenario({
  name: "retries-exhausted",
  title: "A subscriber is down for too long, and misses an event",
  description:
    "Four attempts are made: at once, and 1 minute, 10 minutes and 1 hour after the one before has failed. Then the platform gives the event up. It is not lost: the payment can be looked up, and the delivery retried by hand, whenever the subscriber is back.",
  seed: "empty",
  params: {
    failure: {
      default: "refused",
      description: "how each attempt fails",
      choices: ["refused", "status", "timeout", "tls", "dns", "redirect"],
    },
  },
  async run({ sandbox, step, expect, params, log }) {
    const inbox = sandbox.inbox("shop");

    const { id } = await step("A shop takes webhooks, but its server is down", async () => {
      await sandbox.payments.createLink({
        name: "Coffee beans, 1 kg",
        short_code: "coffee",
        amount: "18000000",
      });
      const webhook = await sandbox.webhooks.create({ url: inbox.url, events: ["payment.completed"] });
      await sandbox.webhooks.fail(webhook.id, { kind: params.failure });
      return webhook;
    });

    const { transaction } = await step("A customer pays", () => sandbox.payments.pay("coffee"));

    await step("An hour and a quarter later, all four attempts are used up", async () => {
      const { ledger } = await sandbox.clock.advance("75m");
      const { attempts, planned } = await sandbox.webhooks.timeline(id);
      const begun = Date.parse(attempts[0]!.started_at);
      const seconds = attempts.map(({ started_at: at }) => (Date.parse(at) - begun) / 1000);
      expect(seconds).toEqual(params.failure === "timeout" ? UNANSWERED : AT_ONCE);
      expect(attempts.every(({ status }) => status === "failed")).toBe(true);
      expect(planned).toEqual([]);
      expect(ledger.map(({ type }) => type)).toContain("delivery.exhausted");
      log(`Attempts after ${seconds.join(", ")} seconds; each ended with '${attempts[0]!.error}'.`);
    });

    await step("A day later nothing else was sent, and no e-mail either", async () => {
      await sandbox.clock.advance("1d");
      const { attempts, counter, status } = await sandbox.webhooks.timeline(id);
      expect(attempts).toHaveLength(4);
      expect(counter).toMatchObject({ consecutive_failures: 4, threshold: 10 });
      expect(status).toBe("enabled");
      expect(await sandbox.mail()).toEqual([]);
    });

    await step("The payment itself is safe: a shop that missed the event can look it up", async () => {
      expect(await sandbox.payments.transaction(transaction.id)).toMatchObject({ status: "completed" });
    });

    await step("The server is back, and a retry by hand delivers the very same event", async () => {
      await sandbox.webhooks.work(id);
      const [last] = await sandbox.webhooks.deliveries(id);
      const retried = await sandbox.webhooks.retry(id, last!.id);
      expect(retried).toMatchObject({ status: "success", trigger: "manual", retry_of: last!.id });
      expect(retried.request_body).toBe(last!.request_body);
      expect((await sandbox.webhooks.timeline(id)).counter.consecutive_failures).toBe(0);
      expect(await inbox.messages()).toHaveLength(1);
    });
  },
});
