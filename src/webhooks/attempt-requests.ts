import { OWN_HEADERS } from "../runtime/own-requests.ts";
import type { World } from "../world/world.ts";
import type { WebhookEvents } from "./events.ts";
import type { DeliveryRow } from "./rows.ts";
import type { Target } from "./subscriptions.ts";

/** The request that an attempt makes. */
export interface AttemptRequest {
  target: Target;
  /** The headers that are recorded: the endpoint's own and the sender's. */
  headers: Record<string, string>;
  /** The headers at the time of sending; with another secret, if one is given, beside the present one. */
  makeHeaders: (newSecret?: string) => Record<string, string>;
  body: string;
}

/** Makes the request of an attempt that begins now: the event's body, signed with the present secret. @param id of the delivery */
export type ComposeRequest = (
  target: Target,
  id: string,
  attempt: Pick<DeliveryRow, "event_id" | "event" | "trigger">,
) => AttemptRequest;

export function createRequests({ store, clock }: World, events: WebhookEvents): ComposeRequest {
  const firstId = store.sql<{ id: string }>(
    "select id from webhook_deliveries where event_id = ? and webhook_id = ? order by rowid limit 1",
  );

  return (target, id, { event_id: eventId, event, trigger }) => {
    const { sender, url, secret, id: endpointId } = target;
    const body = events.bodyOf(eventId, endpointId);
    const shared = sender.deliveryId === "event" ? firstId.get(eventId, endpointId)?.id : undefined;
    const message = {
      ...{ eventId, endpointId, type: event, body, url, secret },
      deliveryId: shared ?? id,
      at: clock.now(),
      test: trigger === "test",
    };
    const headers = { ...target.headers, ...sender.headers(message) };
    const makeHeaders = (newSecret?: string) => {
      if (newSecret === undefined && !sender.signsRealTime) return { ...headers, ...OWN_HEADERS };
      const secrets = newSecret === undefined ? {} : { secret: newSecret, also: [secret] };
      return { ...target.headers, ...sender.headers({ ...message, ...secrets }), ...OWN_HEADERS };
    };
    return { target, headers, makeHeaders, body };
  };
}
