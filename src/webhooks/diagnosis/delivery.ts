import { OWN_HEADERS } from "../../runtime/own-requests.ts";
import type { EngineContext } from "../context.ts";
import type { WebhookEvents } from "../events.ts";
import type { DeliveryRow } from "../rows.ts";
import type { Sender } from "../sender.ts";
import type { Sending } from "../sending.ts";
import type { Subscriptions } from "../subscriptions.ts";
import { type Diagnosis, diagnose, type Probe, type ProbeAnswer } from "./diagnose.ts";
import type { KnownSecret } from "./variants.ts";

/** How to resend the event, and what is known besides the world's endpoints. */
export interface DiagnosisPlace {
  /** Sends a probe in place of the engine. */
  send?: ((probe: Probe) => Promise<ProbeAnswer>) | undefined;
  secrets?: readonly KnownSecret[] | undefined;
  secretFrom?: string | undefined;
  /** The time in the event's headers in milliseconds, if it differs from the delivery's. */
  at?: number | undefined;
  others: readonly Sender[];
  /** What the server returned or printed when it refused the event. */
  words?: string | undefined;
  /** How to send with the machine's current time, as an instruction. */
  atNow: string;
}

/** Finds out why a server refused a delivery. Records no new delivery and changes no counter. */
export type DiagnoseDelivery = (row: DeliveryRow, place: DiagnosisPlace) => Promise<Diagnosis>;

export function createDiagnoseDelivery(
  { world }: EngineContext,
  {
    events,
    sending,
    subscriptions,
  }: { events: WebhookEvents; sending: Sending; subscriptions: Subscriptions },
): DiagnoseDelivery {
  const otherSecrets = world.store.sql<{ id: string; secret: string }>(
    "select id, secret from webhooks where id <> ? order by created_at desc, rowid desc limit 20",
  );

  return ({ id, event_id: eventId, webhook_id: endpointId, event: type, trigger, started_at }, place) => {
    const target = subscriptions.target(endpointId, type);
    const { sender, url, secret, headers } = target;
    const { secrets = [], at = started_at, others, atNow, secretFrom, words } = place;
    const known = otherSecrets
      .all(endpointId)
      .map((one) => ({ secret: one.secret, from: `the secret of ${one.id}` }));
    const body = events.bodyOf(eventId, endpointId);
    const message = {
      eventId,
      endpointId,
      type,
      body,
      url,
      secret,
      deliveryId: id,
      at,
      test: trigger === "test",
    };
    const send =
      place.send ??
      ((probe: Probe) =>
        sending.probe(target, {
          headers: { ...headers, ...probe.headers, ...OWN_HEADERS },
          body: probe.body,
        }));
    const refused = { sender, message, secrets: [...secrets, ...known], others, atNow, words };
    return diagnose(refused, send, secretFrom);
  };
}
