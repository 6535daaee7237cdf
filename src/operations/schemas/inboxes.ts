import { type Static, Type } from "typebox";
import { enumOf, HttpStatus, object, partialBody, VirtualTime } from "./common.ts";

/** Shapes of the control API's calls about inboxes, the built-in subscribers. */

export const InboxSummary = object("InboxSummary", {
  name: Type.String(),
  messages: Type.Integer(),
  last_received_at: VirtualTime,
});
export type InboxSummary = Static<typeof InboxSummary>;

export const InboxMessage = object("InboxMessage", {
  seq: Type.Integer(),
  received_at: VirtualTime,
  headers: Type.Record(Type.String(), Type.String()),
  body: Type.String(),
  signature: enumOf(["valid", "invalid", "missing", "unknown_webhook"]),
  answered: Type.Integer({ description: "The status it was answered with." }),
});

export const Behaviour = partialBody("InboxBehaviour", {
  status: HttpStatus,
  sequence: Type.Array(HttpStatus, { maxItems: 1_000 }),
  delay: Type.Integer({
    minimum: 0,
    maximum: 60_000,
    description: "Real milliseconds before it answers.",
  }),
  body: Type.String({ maxLength: 65_536 }),
});
