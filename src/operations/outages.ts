import { type Static, Type } from "typebox";
import { flag, integer, listOf, nullable, oneOf, shape, VirtualTime } from "../http/shapes.ts";
import { OutageFacts } from "../timeline/schemas.ts";
import { DurationValue, idOf, partialBody } from "./common.ts";
import { operationsOf } from "./operation.ts";
import { JournalEntry } from "./records.ts";

/** How a subscriber fails during an outage. */
export const OUTAGE_KINDS = ["503", "timeout", "refused", "reset"] as const;

export const OutageRequest = partialBody("OutageRequest", {
  duration: {
    ...DurationValue,
    description: "How long the server is down: 90m, 3h, 2d, or milliseconds. Default: 3h.",
  },
  kind: oneOf(OUTAGE_KINDS, {
    description:
      "How the server fails: 503, timeout (no response), refused (nothing is listening) or reset (the connection drops). Default: 503.",
  }),
  story: Type.String({
    maxLength: 100,
    description:
      "A story from the endpoint's sender. It starts with the outage and continues after it. Default: one event immediately, and another after a third of the outage.",
  }),
});

export const Outage = shape("Outage", {
  webhook_id: Type.String(),
  kind: oneOf(OUTAGE_KINDS),
  story: nullable(Type.String()),
  from: Type.String({ ...VirtualTime, description: "When the server went down." }),
  to: Type.String({ ...VirtualTime, description: "When the server worked again." }),
  ...OutageFacts.properties,
});
export type Outage = Static<typeof Outage>;

export const PlayedOutage = shape("PlayedOutage", {
  ...Outage.properties,
  now: Type.String({
    ...VirtualTime,
    description: "The time on the clock afterwards: later than `to` if the story continued.",
  }),
  wall_ms: integer("How long the outage took, in real milliseconds."),
  cancelled: flag("Whether the outage ended early because its advance was cancelled."),
  ledger: listOf(JournalEntry, "The journal entries that the outage caused, in order."),
});

const operation = operationsOf("Webhooks");

export const outageOperations = [
  operation("webhooks.outage", "POST /webhooks/:id/outage", {
    id: "playOutage",
    reachesOut: true,
    summary: "See what happens if your server is down for three hours",
    description:
      "Enables the endpoint, makes its subscriber fail, sends events and advances the clock; then the subscriber works again, the endpoint is enabled, and failed deliveries are retried by hand. Those retries reach your own server. A fault that was set before is cleared. `POST /_sandbox/undo` undoes all of it.",
    params: idOf("a webhook endpoint"),
    body: OutageRequest,
    answer: PlayedOutage,
    library: { takes: ["id", "*"] },
  }),
];
