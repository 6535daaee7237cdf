import { createAttempts } from "./attempts.ts";
import type { EngineContext } from "./context.ts";
import { createDeliveries } from "./deliveries.ts";
import { createDeliveryDetails } from "./delivery-details.ts";
import { createEndpoints, type Notify } from "./endpoints.ts";
import { createWebhookEvents } from "./events.ts";
import { createInboxes } from "./inbox.ts";
import { createAttemptOutlook } from "./outlook.ts";
import { createPlans } from "./plans.ts";
import { createSenders } from "./senders.ts";
import { createSubscriptions } from "./subscriptions.ts";
import { createTimelines, type Notice } from "./timeline.ts";

/** An area's reactions to changes of endpoints. */
export interface EngineHooks {
  notifyDisabled: Notify;
  /** The e-mails about an endpoint, for its timeline. */
  noticesOf: (webhookId: string) => readonly Notice[];
}

export type WebhookEngine = ReturnType<typeof createWebhookEngine>;

/** Wires one world's webhooks: endpoints, events, their plans and attempts, and their views. */
export function createWebhookEngine(
  { mainSender, ...given }: Omit<EngineContext, "senderOf">,
  { notifyDisabled, noticesOf }: EngineHooks,
) {
  const senders = createSenders(given.world.store, mainSender, given.settings.senders ?? []);
  const context: EngineContext = { ...given, mainSender, senderOf: senders.of };
  const subscriptions = createSubscriptions(context);
  const plans = createPlans(context.world, (id) => subscriptions.target(id).sender.policy.ordered === true);
  const endpoints = createEndpoints(context, subscriptions, plans, notifyDisabled);
  const events = createWebhookEvents(context, subscriptions, plans);
  const attempts = createAttempts(context, endpoints, events, subscriptions, plans);
  const deliveries = createDeliveries(context, endpoints, attempts, events, subscriptions);
  const inboxes = createInboxes(context, endpoints);
  return {
    senders,
    plans,
    endpoints,
    events,
    attempts,
    deliveries,
    inboxes,
    deliveryDetails: createDeliveryDetails(context, endpoints, deliveries, plans),
    outlook: createAttemptOutlook(context, endpoints, subscriptions, inboxes),
    timelines: createTimelines(context, endpoints, plans, noticesOf),
  };
}
