import { createAttempts } from "./attempts.ts";
import type { EngineContext } from "./context.ts";
import { createDeliveries, type Deliveries } from "./deliveries.ts";
import { createDeliveryDetails, type ReadDeliveryDetails } from "./delivery-details.ts";
import { createDiagnoseDelivery, type DiagnoseDelivery } from "./diagnosis/delivery.ts";
import { createEndpoints, type Endpoints, type Notify } from "./endpoints.ts";
import { createWebhookEvents, type WebhookEvents } from "./events.ts";
import { createHeldRequests } from "./held-requests.ts";
import { createInboxes, type Inboxes } from "./inbox.ts";
import { type AttemptOutlook, createAttemptOutlook } from "./outlook.ts";
import { createPlans } from "./plans.ts";
import { createResults } from "./results.ts";
import { createResumption } from "./resumption.ts";
import { createSenders, type Senders } from "./senders.ts";
import { createSending, type Sending } from "./sending.ts";
import { createSubscriptions } from "./subscriptions.ts";
import { createTimelines, type Notice, type Timelines } from "./timeline.ts";
import { createTurns } from "./turns.ts";

/** An area's reactions to changes of endpoints. */
export interface EngineHooks {
  notifyDisabled: Notify;
  /** The e-mails about an endpoint, for its timeline. */
  noticesOf: (webhookId: string) => readonly Notice[];
}

/** One world's webhooks. */
export interface WebhookEngine {
  senders: Senders;
  endpoints: Endpoints;
  events: WebhookEvents;
  deliveries: Deliveries;
  inboxes: Inboxes;
  deliveryDetails: ReadDeliveryDetails;
  diagnose: DiagnoseDelivery;
  outlook: AttemptOutlook;
  timelines: Timelines;
  carriedBy: Sending["carriedBy"];
  /** Plans to repeat, or to record, attempts that were in progress when the process, or their world, ended. */
  recover(): void;
  /** Drops requests in progress. */
  close(): void;
}

/** Wires one world's webhooks: endpoints, events, their plans and attempts, and their views. */
export function createWebhookEngine(
  { mainSender, ...given }: Omit<EngineContext, "senderOf">,
  { notifyDisabled, noticesOf }: EngineHooks,
): WebhookEngine {
  const senders = createSenders(given.world.store, mainSender, given.settings.senders ?? []);
  const context: EngineContext = { ...given, mainSender, senderOf: senders.of };
  const subscriptions = createSubscriptions(context);
  const { world } = context;
  const { store } = world;
  const isOrdered = (id: string) => subscriptions.target(id).sender.policy.ordered === true;
  const plans = createPlans(world, createTurns(store, isOrdered));
  const endpoints = createEndpoints(context, subscriptions, plans, notifyDisabled);
  const events = createWebhookEvents(context, subscriptions, plans);
  const held = createHeldRequests(store);
  const results = createResults(world, { endpoints, subscriptions, plans, held });
  const sending = createSending(context, events, held, results);
  const begin = createAttempts(world, sending, subscriptions, plans);
  const deliveries = createDeliveries(context, { endpoints, begin, events, subscriptions });
  const inboxes = createInboxes(context, endpoints);
  return {
    senders,
    endpoints,
    events,
    deliveries,
    inboxes,
    deliveryDetails: createDeliveryDetails(context, endpoints, deliveries, plans),
    diagnose: createDiagnoseDelivery(context, { events, sending, subscriptions }),
    outlook: createAttemptOutlook(context, endpoints, subscriptions, inboxes),
    timelines: createTimelines(context, endpoints, noticesOf),
    recover: createResumption(world, sending, results, subscriptions),
    carriedBy: sending.carriedBy,
    close: sending.close,
  };
}
