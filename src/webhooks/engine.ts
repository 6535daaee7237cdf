import { type Attempts, createAttempts } from "./attempts.ts";
import type { EngineContext } from "./context.ts";
import { createDeliveries, type Deliveries } from "./deliveries.ts";
import { createDeliveryDetails, type ReadDeliveryDetails } from "./delivery-details.ts";
import { createEndpoints, type Endpoints, type Notify } from "./endpoints.ts";
import { createWebhookEvents, type WebhookEvents } from "./events.ts";
import { createInboxes, type Inboxes } from "./inbox.ts";
import { type AttemptOutlook, createAttemptOutlook } from "./outlook.ts";
import { createPlans, type Plans } from "./plans.ts";
import { createSenders, type Senders } from "./senders.ts";
import { createSubscriptions } from "./subscriptions.ts";
import { createTimelines, type Notice, type Timelines } from "./timeline.ts";

/** An area's reactions to changes of endpoints. */
export interface EngineHooks {
  notifyDisabled: Notify;
  /** The e-mails about an endpoint, for its timeline. */
  noticesOf: (webhookId: string) => readonly Notice[];
}

/** One world's webhooks. */
export interface WebhookEngine {
  senders: Senders;
  plans: Plans;
  endpoints: Endpoints;
  events: WebhookEvents;
  attempts: Attempts;
  deliveries: Deliveries;
  inboxes: Inboxes;
  deliveryDetails: ReadDeliveryDetails;
  outlook: AttemptOutlook;
  timelines: Timelines;
}

/** Wires one world's webhooks: endpoints, events, their plans and attempts, and their views. */
export function createWebhookEngine(
  { mainSender, ...given }: Omit<EngineContext, "senderOf">,
  { notifyDisabled, noticesOf }: EngineHooks,
): WebhookEngine {
  const senders = createSenders(given.world.store, mainSender, given.settings.senders ?? []);
  const context: EngineContext = { ...given, mainSender, senderOf: senders.of };
  const subscriptions = createSubscriptions(context);
  const plans = createPlans(context.world, (id) => subscriptions.target(id).sender.policy.ordered === true);
  const endpoints = createEndpoints(context, subscriptions, plans, notifyDisabled);
  const events = createWebhookEvents(context, subscriptions, plans);
  const attempts = createAttempts(context, { endpoints, events, subscriptions, plans });
  const deliveries = createDeliveries(context, { endpoints, attempts, events, subscriptions });
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
