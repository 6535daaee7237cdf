import type { AreaPart } from "../http/area.ts";
import { countRows } from "../world/save.ts";
import { createAttempts } from "./attempts.ts";
import type { EngineContext } from "./context.ts";
import { createDeliveries, type Deliveries } from "./deliveries.ts";
import { createDeliveryDetails, type ReadDeliveryDetails } from "./delivery-details.ts";
import { createDeliveryList, type DeliveryList } from "./delivery-list.ts";
import { createDiagnoseDelivery, type DiagnoseDelivery } from "./diagnosis/delivery.ts";
import { createEndpoints, type Endpoints } from "./endpoints.ts";
import { createWebhookEvents, type WebhookEvents } from "./events.ts";
import { createHeldRequests } from "./held-requests.ts";
import { createInboxes, type Inboxes } from "./inbox.ts";
import { type AttemptOutlook, createAttemptOutlook } from "./outlook.ts";
import { ATTEMPT_TIMER, createPlans } from "./plans.ts";
import { createRegistrations, type Registrations } from "./registrations.ts";
import { createResults } from "./results.ts";
import { createResumption } from "./resumption.ts";
import { createSenders, type Senders } from "./senders.ts";
import { createSending, type Sending } from "./sending.ts";
import { createSubscriptions } from "./subscriptions.ts";
import { createReadTimeline, type ReadTimeline } from "./timeline.ts";
import { createTurns } from "./turns.ts";

/** One world's webhooks. Created once per world, before the areas; their senders join it. */
export interface WebhookEngine extends AreaPart {
  senders: Senders;
  endpoints: Endpoints;
  registrations: Registrations;
  events: WebhookEvents;
  deliveries: Deliveries;
  listDeliveries: DeliveryList;
  inboxes: Inboxes;
  deliveryDetails: ReadDeliveryDetails;
  diagnose: DiagnoseDelivery;
  attemptsUntil: AttemptOutlook;
  timeline: ReadTimeline;
  carriedBy: Sending["carriedBy"];
}

/** Wires one world's webhooks: endpoints, events, plans, attempts and views. */
export function createWebhookEngine(place: Omit<EngineContext, "senders">): WebhookEngine {
  const { senders: loaded = [], subscriberSecret } = place.settings;
  const senders = createSenders(place.world.store, loaded, subscriberSecret);
  const context: EngineContext = { ...place, senders };
  const subscriptions = createSubscriptions(context);
  const { world } = context;
  const { store } = world;
  const isOrdered = (id: string) => subscriptions.target(id).sender.policy.ordered === true;
  const plans = createPlans(world, createTurns(store, isOrdered));
  const endpoints = createEndpoints(context, subscriptions, plans);
  const events = createWebhookEvents(context, subscriptions, plans);
  const held = createHeldRequests(store);
  const results = createResults(world, { endpoints, subscriptions, plans, held });
  const sending = createSending(context, events, held, results);
  const begin = createAttempts(world, sending, subscriptions, plans);
  const deliveries = createDeliveries(context, { endpoints, begin, events, subscriptions });
  const inboxes = createInboxes(context, endpoints);
  return {
    world,
    senders,
    endpoints,
    registrations: createRegistrations(context, endpoints),
    events,
    deliveries,
    listDeliveries: createDeliveryList(world, endpoints, deliveries),
    inboxes,
    deliveryDetails: createDeliveryDetails(context, endpoints, deliveries, plans),
    diagnose: createDiagnoseDelivery(context, { events, sending, subscriptions }),
    attemptsUntil: createAttemptOutlook(context, endpoints, subscriptions, inboxes),
    timeline: createReadTimeline(context, endpoints),
    carriedBy: sending.carriedBy,
    resume: createResumption(world, sending, results, subscriptions),
    isSeeded: ({ kind, payload }) =>
      kind === ATTEMPT_TIMER && endpoints.byId(String(payload.webhook_id))?.seeded === 1,
    counts: () => countRows(store, ["webhooks", "webhook_deliveries"]),
    close: sending.close,
  };
}
