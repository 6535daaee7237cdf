import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { MADE } from "../../fixtures/senders/make/index.ts";
import { inPackage } from "../../src/runtime/package.ts";
import { parseFile } from "../../src/schema/parse-file.ts";
import { chooseSender, storiesOf } from "../../src/senders/event-list.ts";
import { checkSender, readSender, shippedSenders } from "../../src/senders/files.ts";
import { findInstalled, readRange } from "../../src/senders/installed.ts";
import { valueAt } from "../../src/webhooks/example.ts";
import { startSandbox } from "../support/sandbox.ts";
import { startSubscriber } from "../support/subscriber.ts";
import { VERIFIERS } from "./verifiers.ts";

/** Signatures that the senders publish as examples. */
const EXAMPLES = [
  {
    sender: "github",
    secret: "It's a Secret to Everybody",
    body: "Hello, World!",
    headers: {
      "x-hub-signature-256": "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17",
    },
  },
  ...["svix", "webhook"].map((prefix) => ({
    sender: prefix === "svix" ? "svix" : "standard-webhooks",
    secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
    body: '{"test": 2432232314}',
    headers: {
      [`${prefix}-id`]: "msg_p5jXN8AQM9LWM0D4loKWxJek",
      [`${prefix}-timestamp`]: "1614265330",
      [`${prefix}-signature`]: "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    },
  })),
  {
    sender: "square",
    secret: "asdf1234",
    body: '{"hello":"world"}',
    headers: { "x-square-hmacsha256-signature": "2kRE5qRU2tR+tBGlDwMEw2avJ7QM4ikPYD/PJ3bd9Og=" },
  },
  {
    sender: "slack",
    secret: "8f742231b10e8888abcd99yyyzzz85a5",
    body: "token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c",
    headers: {
      "x-slack-request-timestamp": "1531420618",
      "x-slack-signature": "v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503",
    },
  },
];

test.each(EXAMPLES)(
  "the published example of $sender is valid, and invalid with one changed byte",
  async (example) => {
    const sender = await readSender(example.sender);
    const { headers, body, secret } = example;
    const request = { headers, body, url: "https://example.com/webhook" };
    expect(sender.verify(request, secret)).toBe("valid");
    expect(sender.verify({ ...request, body: `${body.slice(0, -1)}#` }, secret)).toBe("invalid");
    expect(sender.verify(request, "another secret")).toBe("invalid");
    expect(sender.verify({ ...request, headers: {} }, secret)).toBe("missing");
  },
);

test("the shipped bodies are the output of fixtures/senders/make, typed by each sender's own package", async () => {
  for (const [name, bodies] of Object.entries(MADE)) {
    const { events, facts, example } = await readSender(name);
    expect(events.toSorted(), "run: npx tsx fixtures/senders/make/main.ts").toEqual(
      Object.keys(bodies).sort(),
    );
    for (const [type, body] of Object.entries(bodies)) expect(example(type), `${name} ${type}`).toBe(body);
    // A file of a user's is checked when it is read; those of the package are checked here.
    const file = inPackage(`fixtures/senders/${name}.yaml`);
    const written = await parseFile({ name: file, bytes: readFileSync(file) }, "invalid_config");
    expect((await checkSender(written, file, inPackage("fixtures/senders/"))).name).toBe(name);
    const range = readRange(facts.package);
    if (range) expect(findInstalled(range.name, inPackage(""))?.major, facts.package).toBe(range.to);
  }
});

test("every shipped story can be generated, with its data over the example", async () => {
  for (const name of Object.keys(MADE)) {
    const sender = await readSender(name);
    expect(Object.keys(sender.facts.stories ?? {}), name).not.toEqual([]);
    for (const { type, data = {} } of storiesOf(sender).flatMap(({ events }) => events))
      expect(JSON.parse(sender.makeBody(type, data, "evt_1", 0)), `${name} ${type}`).toMatchObject(data);
  }
});

/** What undoes what, by sender: a type, or one with the `action` of its body. */
const OPPOSITES: Record<string, string[]> = {
  stripe: [
    "invoice.payment_failed > invoice.paid",
    "payment_intent.payment_failed > payment_intent.succeeded",
    "customer.subscription.created > customer.subscription.deleted",
    "customer.subscription.paused > customer.subscription.resumed",
    ...["customer", "product", "price"].map((kind) => `${kind}.created > ${kind}.deleted`),
    "charge.dispute.created > charge.dispute.closed",
  ],
  clerk: [
    ...["user", "organization", "organizationMembership"].map((kind) => `${kind}.created > ${kind}.deleted`),
    "session.created > session.ended",
  ],
  github: [
    ...["pull_request:opened > pull_request:closed", "issues:opened > issues:closed"],
    ...["issues:assigned > issues:unassigned", "installation:created > installation:deleted"],
  ],
  paddle: [
    ...["subscription.past_due > subscription.updated", "transaction.payment_failed > transaction.completed"],
    ...["subscription.paused > subscription.resumed", "subscription.created > subscription.canceled"],
  ],
  polar: [
    ...["subscription.past_due > subscription.active", "subscription.canceled > subscription.uncanceled"],
    ...["order.paid > order.refunded", "customer.created > customer.deleted"],
  ],
  linear: ["Issue:create > Issue:remove"],
  resend: ["contact.created > contact.deleted", "email.delivered > email.bounced"],
  shopify: ["orders/paid > orders/cancelled", "customers/create > customers/redact"],
  square: ["subscription.created > subscription.updated", "payment.created > payment.updated"],
  lemonsqueezy: [
    "subscription_payment_failed > subscription_payment_recovered",
    ...["subscription_cancelled > subscription_resumed", "subscription_paused > subscription_unpaused"],
    "order_created > order_refunded",
  ],
  razorpay: [
    ...["payment.failed > payment.captured", "subscription.pending > subscription.charged"],
    "payment.captured > refund.processed",
  ],
  paystack: [
    ...["invoice.payment_failed > invoice.update", "subscription.create > subscription.disable"],
    ...["transfer.success > transfer.reversed", "charge.success > refund.processed"],
  ],
  gitlab: [
    ...["Merge Request Hook:open > Merge Request Hook:merge", "Issue Hook:open > Issue Hook:close"],
    "Merge Request Hook:close > Merge Request Hook:reopen",
  ],
  revenuecat: [
    ...["BILLING_ISSUE > RENEWAL", "CANCELLATION > UNCANCELLATION", "INITIAL_PURCHASE > EXPIRATION"],
  ],
  discord: ["ENTITLEMENT_CREATE > ENTITLEMENT_DELETE", "APPLICATION_AUTHORIZED > APPLICATION_DEAUTHORIZED"],
  workos: [
    ...["user", "organization", "organization_membership"].map((kind) => `${kind}.created > ${kind}.deleted`),
    ...["session.created > session.revoked", "connection.activated > connection.deactivated"],
    "dsync.group.user_added > dsync.group.user_removed",
  ],
  supabase: ["INSERT > DELETE"],
  twilio: ["sent > delivered", "sent > failed"],
  mollie: ["payment.failed > payment.paid", "payment.paid > payment.refunded"],
  plaid: ["ERROR > LOGIN_REPAIRED"],
  mailgun: ["delivered > failed"],
  adyen: ["CAPTURE > CAPTURE_FAILED", "REFUND > REFUND_FAILED", "CHARGEBACK > CHARGEBACK_REVERSED"],
  svix: ["invoice.failed > invoice.paid"],
  "standard-webhooks": ["contact.created > contact.deleted"],
};

test("the shipped stories contain each pair of opposite events within one retry delay", async () => {
  const missing: string[] = [];
  // Slack's first retry comes at once, so no later event can be in between.
  expect(Object.keys(OPPOSITES).sort()).toEqual(
    shippedSenders()
      .filter((name) => name !== "slack")
      .sort(),
  );
  for (const [name, pairs] of Object.entries(OPPOSITES)) {
    const sender = await readSender(name);
    const [retry = Number.POSITIVE_INFINITY] = sender.policy.retryDelays;
    const stories = storiesOf(sender).map(({ events }) =>
      events.map(({ type, after, data = {} }) => {
        const body = sender.makeBody(type, data, "evt_1", 0);
        const places = ["body.action", "body.object_attributes.action"];
        const action = places.map((place) => valueAt(place, {}, body)).find((one) => one !== undefined);
        return { names: [type, `${type}:${action}`], after };
      }),
    );
    for (const pair of pairs) {
      const [one, other] = pair.split(" > ") as [string, string];
      const isMet = stories.some((events) =>
        events.some(({ names, after }) =>
          events.some(
            (later) =>
              names.includes(one) &&
              later.names.includes(other) &&
              later.after >= after &&
              later.after - after < retry,
          ),
        ),
      );
      if (!isMet) missing.push(`${name}: ${pair}`);
    }
  }
  expect(missing).toEqual([]);
});

test("explore sends Stripe's thin events and those of connected accounts only if the user names them", async () => {
  const usual = await chooseSender({ sender: "stripe" }, []);
  expect(usual!.types.filter((type) => /^v[12]/.test(type))).toEqual([]);
  expect(usual!.stories.filter(({ name }) => /^(?:connect|thin)$/.test(name))).toEqual([]);
  const thin = await chooseSender({ sender: "stripe", story: "thin" }, []);
  expect(thin!.stories[0]!.events.map(({ type }) => type)).toContain("v2.core.account.updated");
  const { sender, stories } = (await chooseSender({ sender: "stripe", story: "connect" }, []))!;
  const { type, data } = stories[0]!.events[0]!;
  const body = sender.makeBody(type, data, "evt_1", 0);
  expect(sender.secretFor("whsec_own whsec_connect", body)).toBe("whsec_connect");
});

test("every shipped sender has a verifier here, sources and a date", async () => {
  expect(shippedSenders().sort()).toEqual(Object.keys(VERIFIERS).sort());
  for (const name of shippedSenders()) {
    const { facts } = await readSender(name);
    expect(facts, name).toMatchObject({
      name,
      documentation: expect.stringMatching(/^https:/),
      read: "2026-11",
    });
  }
});

describe.each(Object.entries(VERIFIERS))("%s", (name, { accepts, old, lacks }) => {
  test("the sender's own verifier accepts every event, and rejects a changed byte and an old signature", async () => {
    const sandbox = await startSandbox({ settleTimeout: "5s" });
    const subscriber = await startSubscriber();
    const made = await sandbox.control("POST", "/webhooks", { url: subscriber.url, sender: name });
    const { secret } = made.body;
    const sender = await readSender(name);
    const { events } = sender;
    for (const type of events) {
      const sent = await sandbox.control("POST", `/senders/${name}/events`, { type });
      expect(sent.body.deliveries).toMatchObject([{ event: type, status: "success", attempt: 1 }]);
    }
    for (const received of subscriber.received) {
      const { body } = received;
      const headers = received.headers as Record<string, string>;
      const request = { headers, body, url: subscriber.url };
      const time = Number(sender.read(headers).time ?? 0);
      const now = sender.facts.signature.time === "milliseconds" ? time / 1_000 : time;
      expect(await accepts(request, secret, now)).toBe(true);
      const changed = body.replace(/^\{|=/, "$& ");
      expect(await accepts({ ...request, body: changed }, secret, now)).toBe(
        lacks === "body" || lacks === "everything",
      );
      expect(await accepts(request, sender.newSecret(Buffer.alloc(24, 1)), now)).toBe(
        lacks === "secret" || lacks === "everything",
      );
      if (old !== undefined) expect(await accepts(request, secret, now + old + 60)).toBe(false);
    }
    expect(subscriber.received).toHaveLength(events.length);
  });
});
