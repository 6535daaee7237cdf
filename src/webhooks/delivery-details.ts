import { inboxOf } from "../timeline/attempt.ts";
import { stateOf } from "../timeline/endpoint-state.ts";
import type { ExplainedDelivery } from "../timeline/schemas.ts";
import { isoOrNull } from "../world/duration.ts";
import type { EngineContext } from "./context.ts";
import type { Deliveries } from "./deliveries.ts";
import { expandUrl } from "./endpoint-url.ts";
import type { Endpoints } from "./endpoints.ts";
import type { Plans } from "./plans.ts";
import type { DeliveryRow, WebhookRow } from "./rows.ts";
import type { WebhookDelivery } from "./schemas.ts";
import { readFault } from "./subscriber-faults.ts";
import { attemptMark } from "./timeline.ts";

/** Reads a delivery with everything needed to explain it. */
export type ReadDeliveryDetails = (row: DeliveryRow) => WebhookDelivery & ExplainedDelivery;

/** Explains deliveries: the cause of each response, and the event's other attempts at the endpoint. */
export function createDeliveryDetails(
  { world, origin, senders }: EngineContext,
  endpoints: Endpoints,
  deliveries: Deliveries,
  plans: Plans,
): ReadDeliveryDetails {
  const ofEvent = world.store.sql<DeliveryRow>(
    "select * from webhook_deliveries where event_id = ? and webhook_id = ? order by started_at, rowid",
  );

  /** The fault that responded instead of the subscriber, if any. */
  function simulated({ fault, started_at: at, url }: DeliveryRow, { seeded }: WebhookRow) {
    const { seed, startAt } = world.origin();
    if (fault !== null) {
      const { name, sent } = readFault(fault);
      return { by: "fault" as const, name, called: sent !== "no" };
    }
    if (seeded === 1 && at < startAt) return { by: "seed" as const, name: seed, called: false };
    const inbox = inboxOf(url);
    return inbox === undefined ? null : { by: "inbox" as const, name: inbox, called: true };
  }

  return (row) => {
    const webhook = endpoints.byId(row.webhook_id)!;
    const plan = plans.find(row);
    const delivery = deliveries.resource(row);
    const sender = senders.of(webhook.sender);
    const sent = { headers: delivery.request_headers, body: delivery.request_body, url: delivery.url };
    return {
      ...delivery,
      simulated: simulated(row, webhook),
      signature: sender.verify(sent, webhook.secret),
      endpoint: {
        id: webhook.id,
        url: expandUrl(webhook.url, origin()),
        status: stateOf(webhook).status,
        consecutive_failures: webhook.consecutive_failures,
        threshold: sender.policy.disableAfter.consecutive,
      },
      plan: plan
        ? {
            state: plan.state,
            reason: plan.reason,
            attempts: plan.attempts,
            next_attempt_at: isoOrNull(plan.next_attempt_at),
          }
        : null,
      event_attempts: ofEvent.all(row.event_id, row.webhook_id).map(attemptMark),
    };
  };
}
