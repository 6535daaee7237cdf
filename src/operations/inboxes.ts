import { Type } from "typebox";
import { integer, oneOf, shape, text, VirtualTime } from "../http/shapes.ts";
import { INBOX_SIGNATURES } from "../webhooks/inbox.ts";
import { DelayValue, dataOf, HttpStatus, nameOf, PageQuery, partialBody } from "./common.ts";
import { operationsOf } from "./operation.ts";

export const InboxSummary = shape("InboxSummary", {
  name: Type.String(),
  messages: Type.Integer(),
  last_received_at: VirtualTime,
});

export const InboxMessage = shape("InboxMessage", {
  seq: Type.Integer(),
  received_at: VirtualTime,
  headers: Type.Record(Type.String(), Type.String(), { description: "The headers by name, in lower case." }),
  body: text("The raw body, which the signature covers."),
  signature: oneOf(INBOX_SIGNATURES),
  answered: integer("The status of the response."),
});

const behaviour = {
  status: Type.Integer({ ...HttpStatus, description: "The status of the inbox's responses. Default: 200." }),
  sequence: Type.Array(HttpStatus, {
    maxItems: 1_000,
    description: "Statuses for the next deliveries, one for each; after that, `status` again.",
  }),
  delay: Type.Integer({
    minimum: 0,
    maximum: 60_000,
    description: "Real milliseconds before the inbox responds.",
  }),
  body: Type.String({ maxLength: 65_536, description: "The body of the inbox's responses." }),
};
export const Behaviour = Type.Partial(Type.Object(behaviour), { title: "InboxBehaviour" });
export const BehaviourChange = partialBody("InboxBehaviourChange", { ...behaviour, delay: DelayValue });

const operation = operationsOf("Inbox");

/** Operations on the requests that the built-in subscribers received, and on how they respond. */
export const inboxOperations = [
  operation("inboxes.list", "GET /inbox", {
    id: "listInboxes",
    summary: "Built-in subscribers that have received something",
    answer: dataOf(InboxSummary, "Inboxes"),
  }),
  operation("inboxes.messages", "GET /inbox/:name", {
    id: "readInbox",
    summary: "The messages that a built-in subscriber received",
    params: nameOf("an inbox"),
    query: PageQuery,
    answer: dataOf(InboxMessage, "InboxMessages"),
    library: { takes: ["name"], gives: "data" },
  }),
  operation("inboxes.behaviour", "GET /inbox/:name/behaviour", {
    id: "getInboxBehaviour",
    summary: "How a built-in subscriber currently responds",
    params: nameOf("an inbox"),
    answer: Behaviour,
  }),
  operation("inboxes.behave", "PUT /inbox/:name/behaviour", {
    id: "setInboxBehaviour",
    summary: "Set how a built-in subscriber responds",
    params: nameOf("an inbox"),
    body: BehaviourChange,
    answer: Behaviour,
    library: { takes: ["name", "*"], gives: null },
  }),
];
