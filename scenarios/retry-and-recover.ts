import { defineScenario, verifySignature } from "sandglass";

/** How long the platform waits before each retry, in seconds, counted from the end of the failed attempt. */
const DELAYS = [60, 600, 3600];

export default defineScenario({
  name: "retry-and-recover",
  title: "A subscriber fails, and recovers at a retry",
  description:
    "The first attempts of a delivery fail. The platform tries again 1 minute, 10 minutes and 1 hour later; as soon as the subscriber answers with a success, the delivery is done and the counter of failures starts again from 0.",
  seed: "empty",
  params: {
    failures: {
      default: 2,
      description: "attempts that fail before the subscriber recovers",
      choices: [1, 2, 3],
    },
    status: {
      default: 503,
      description: "what the failing subscriber answers",
      choices: [404, 410, 429, 500, 502, 503],
    },
  },
  async run({ sandbox, step, expect, params }) {
    const inbox = sandbox.inbox("shop");

    const { id, secret } = await step(
      `A shop takes webhooks, but its server answers ${params.status}`,
      async () => {
        await sandbox.payments.createLink({
          name: "Coffee beans, 1 kg",
          short_code: "coffee",
          amount: "18000000",
        });
        const webhook = await sandbox.webhooks.create({ url: inbox.url, events: ["payment.completed"] });
        await sandbox.webhooks.fail(webhook.id, {
          kind: "status",
          status: params.status,
          times: params.failures,
        });
        return webhook;
      },
    );

    await step(
      "A customer buys coffee: the first attempt fails, a retry is planned in a minute",
      async () => {
        await sandbox.payments.pay("coffee", { client_reference_id: "order-7" });
        const { attempts, planned, counter } = await sandbox.webhooks.timeline(id);
        expect(attempts.map((attempt) => attempt.response_code)).toEqual([params.status]);
        expect(planned).toHaveLength(1);
        expect(Date.parse(planned[0]!.due_at) - Date.parse(attempts[0]!.started_at)).toBe(60_000);
        expect(counter.consecutive_failures).toBe(1);
      },
    );

    await step("Two hours pass, with every retry that falls due", async () => {
      await sandbox.clock.advance("2h");
      const { attempts, planned, counter } = await sandbox.webhooks.timeline(id);
      const failed = Array.from({ length: params.failures }, () => "failed");
      expect(attempts.map((attempt) => attempt.status)).toEqual([...failed, "success"]);
      const begun = attempts.map((attempt) => Date.parse(attempt.started_at) / 1000);
      const waited = begun.slice(1).map((at, index) => at - begun[index]!);
      expect(waited).toEqual(DELAYS.slice(0, params.failures));
      expect(planned).toEqual([]);
      expect(counter.consecutive_failures).toBe(0);
    });

    await step("The subscriber got the event once, with a signature that is right", async () => {
      const [message, ...more] = await inbox.messages();
      expect(more).toEqual([]);
      expect(verifySignature(message!.body, message!.headers["x-platform-signature"], secret)).toBe(true);
      expect(JSON.parse(message!.body)).toMatchObject({
        event: "payment.completed",
        data: { checkoutSession: { clientReferenceId: "order-7" } },
      });
    });
  },
});
