import { type Static, Type } from "typebox";
import { oneOf, shape } from "../../http/shapes.ts";
import { DelayValue, HttpStatus, partialBody, VirtualTime } from "./common.ts";

/** Shapes of the control API's calls about inboxes, the built-in subscribers. */

export const InboxSummary = shape("InboxSummary", {
  name: Type.String(),
  messages: Type.Integer(),
  last_received_at: VirtualTime,
});
export type InboxSummary = Static<typeof InboxSummary>;

export const InboxMessage = shape("InboxMessage", {
  seq: Type.Integer(),
  received_at: VirtualTime,
  headers: Type.Record(Type.String(), Type.String(), { description: "By name, in lower case." }),
  body: Type.String({ description: "The raw body, which the signature is made of." }),
  signature: oneOf(["valid", "invalid", "missing", "unknown_webhook"]),
  answered: Type.Integer({ description: "The status it was answered with." }),
});

const behaviour = {
  status: Type.Integer({ ...HttpStatus, description: "The status of its answers. Default: 200." }),
  sequence: Type.Array(HttpStatus, {
    maxItems: 1_000,
    description: "Statuses for the next deliveries, one each; then `status` again.",
  }),
  delay: Type.Integer({
    minimum: 0,
    maximum: 60_000,
    description: "Real milliseconds before it answers.",
  }),
  body: Type.String({ maxLength: 65_536, description: "The body of its answers." }),
};
export const Behaviour = Type.Partial(Type.Object(behaviour), { title: "InboxBehaviour" });
export const BehaviourChange = partialBody("InboxBehaviourChange", { ...behaviour, delay: DelayValue });
