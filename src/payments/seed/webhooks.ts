import { DEFAULT_POLICY } from "../../webhooks/policy.ts";
import { DAY } from "../../world/duration.ts";
import { disabledText } from "../mail.ts";
import { type AnswerKind, answer } from "./answers.ts";
import { eventsBetween, type Past, playDeliveries, type SeededEvent } from "./deliveries.ts";
import { saveEndpoint } from "./endpoints.ts";
import { between, type Seeding } from "./seeding.ts";
import type { History, Shop } from "./shop.ts";

/** For how long the order fulfilment endpoint has been there. */
const FULFILMENT_AGE = 5 * DAY;
/** For how long the bridge to the ERP has been there, and disabled. */
const BRIDGE_AGE = 15 * DAY;
const BRIDGE_DISABLED = 12 * DAY;
const FAILURES = 10;
/** More events than ten failures can take. */
const OUTAGE_EVENTS = 24;
const OUTAGE: readonly AnswerKind[] = [
  500,
  "timeout",
  502,
  500,
  "refused",
  "refused",
  502,
  "timeout",
  500,
  "refused",
  502,
];

/** The endpoint that runs out of patience: healthy at first, then down until it was disabled. */
export function seedBridge(seeding: Seeding, { organization }: Shop, history: History): void {
  const { now, world, save } = seeding;
  const createdAt = now - BRIDGE_AGE - between(seeding, 0, 6 * 60) * 60_000;
  const events = eventsBetween(seeding, history, createdAt, now - BRIDGE_DISABLED, ["*"]);
  const { healthy, outage } = findOutage(seeding, events);
  const past = [playDeliveries(healthy, () => answer(seeding, "received")), outage];
  const url = "https://erp.northlight.example/hooks/payments";
  const webhook = saveEndpoint(seeding, {
    organization,
    url,
    events: ["*"],
    description: "Legacy ERP bridge",
    createdAt,
    past,
  });
  const failures = webhook.consecutive_failures;
  const lastError = outage.last!.answer.detail;
  save("mail", {
    id: world.ids.next("mail_"),
    org: organization.id,
    recipient: organization.owner_email,
    subject: `Webhook endpoint disabled after ${failures} failed deliveries`,
    text: disabledText(
      organization.name,
      { id: webhook.id, url, failures, lastError, timeout: DEFAULT_POLICY.timeout },
      webhook.disabled_at!,
    ),
    webhook_id: webhook.id,
    created_at: webhook.disabled_at!,
  });
}

/**
 * The latest event at which the outage can have begun, so that its ten failures are mixed, come from several
 * events and leave no further attempt under way. Failing that, the latest that disables the endpoint at all.
 */
function findOutage(seeding: Seeding, events: SeededEvent[]): { healthy: SeededEvent[]; outage: Past } {
  let fallback: { healthy: SeededEvent[]; outage: Past } | undefined;
  for (let first = events.length - 1; first >= 0; first -= 1) {
    let count = 0;
    const outage = playDeliveries(events.slice(first, first + OUTAGE_EVENTS), () =>
      answer(seeding, OUTAGE[count++ % OUTAGE.length]!),
    );
    if (!outage.last || outage.last.endedAt > seeding.now - BRIDGE_DISABLED) continue;
    const found = { healthy: events.slice(0, first), outage };
    const mixed = outage.plans.length >= 3 && outage.attempts.some(({ attempt }) => attempt >= 3);
    if (mixed && outage.attempts.length === FAILURES) return found;
    fallback ??= found;
  }
  return fallback!;
}

/** The endpoint that works, at the sandbox's own inbox: one event needed three attempts. */
export function seedFulfilment(seeding: Seeding, { organization }: Shop, history: History): void {
  const createdAt = seeding.now - FULFILMENT_AGE - between(seeding, 0, 6 * 60) * 60_000;
  const events = ["payment.completed", "checkout.completed"];
  const announced = eventsBetween(seeding, history, createdAt, seeding.now, events);
  const troubled = announced[Math.floor(announced.length * 0.6)];
  const troubles: AnswerKind[] = [503, "timeout"];
  const past = playDeliveries(announced, (event, attempt) =>
    answer(seeding, (event === troubled && troubles[attempt - 1]) || "inbox"),
  );
  const url = "{origin}/_sandbox/inbox/fulfilment";
  saveEndpoint(seeding, {
    organization,
    url,
    events,
    description: "Order fulfilment",
    createdAt,
    past: [past],
  });
}

/** The second organization's endpoint, which always answered. */
export function seedGameServer(seeding: Seeding, { organization, catalog }: Shop, history: History): void {
  const createdAt = seeding.now - 30 * DAY;
  const announced = eventsBetween(seeding, history, createdAt, seeding.now, ["payment.completed"]);
  const past = playDeliveries(announced, () => answer(seeding, "received"));
  const url = `https://api.${catalog.domain}/hooks/payments`;
  saveEndpoint(seeding, {
    organization,
    url,
    events: ["payment.completed"],
    description: "Unlock purchases",
    createdAt,
    past: [past],
  });
}
