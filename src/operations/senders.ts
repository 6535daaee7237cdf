import { Type } from "typebox";
import { flag, listOf, nullable, shape, text } from "../http/shapes.ts";
import { WebhookDelivery } from "../webhooks/schemas.ts";
import { Anything, body, dataOf, nameOf, optional } from "./common.ts";
import { operationsOf } from "./operation.ts";

export const SenderView = shape("Sender", {
  name: Type.String(),
  documentation: nullable(Type.String()),
  read: nullable(text("When the facts were last checked, for example 2026-11.")),
  events: listOf(
    Type.Object({ type: Type.String(), body: nullable(Anything) }),
    "The event types it can send; for a sender in use, each with its example body.",
  ),
  assumed: listOf(Type.String(), "Fields of the sender's file whose facts the sender does not publish."),
  secret_variable: text("The environment variable in which servers usually store the sender's secret."),
  notes: listOf(Type.String(), "Facts that the sender's file cannot express."),
  stories: listOf(
    Type.Object({ name: Type.String(), events: Type.Array(Type.String()) }),
    "The sender's stories, with the types of each story's events in order.",
  ),
  in_use: flag("Whether the sandbox was started with this sender, or has an endpoint for it."),
});

export const SentEvent = shape("SentEvent", {
  id: text("The event's id in the sandbox, for resending it."),
  type: Type.String(),
  sender: Type.String(),
  body: Anything,
  deliveries: listOf(
    WebhookDelivery,
    "The first attempts, one for each enabled endpoint that subscribes to the type.",
  ),
  disabled: listOf(
    Type.Object({ webhook_id: Type.String(), url: Type.String() }),
    "The disabled endpoints that subscribe to the type; nothing is sent to them.",
  ),
});

export const PlayedStory = shape("PlayedStory", {
  sender: Type.String(),
  story: Type.String(),
  from: text("The virtual time when the story started."),
  to: text("The virtual time when the story ended."),
  events: Type.Array(SentEvent),
});

const operation = operationsOf("Senders");

const KNOWN = {
  known: {
    ...Anything,
    description:
      'Values from your database, instead of the example\'s: ids by kind, fields of a kind, and metadata, such as { customer: "cus_123", metadata: { userId: "42" } }. The world\'s later events use them, too. Default: subject.known of the configuration.',
  },
};

/** Operations on the webhooks of senders other than the platform. */
export const senderOperations = [
  operation("senders.list", "GET /senders", {
    id: "listSenders",
    summary: "The senders whose webhooks can be sent",
    description: "Lists the senders in use first, then the others that come with Sandglass.",
    answer: dataOf(SenderView, "Senders"),
    library: { gives: "data" },
  }),
  operation("senders.send", "POST /senders/:name/events", {
    id: "sendEvent",
    reachesOut: true,
    summary: "Send an event to a sender's endpoints",
    description:
      "Makes a body from the type's example, with `data` merged over it, a new id and the current time. The event is signed and retried as the sender would. Returns the first attempts.",
    params: nameOf("a sender"),
    body: body("EventToSend", {
      type: Type.String({ examples: ["checkout.session.completed"] }),
      ...optional({
        data: {
          ...Anything,
          description: "Data merged over the example body of the type. Default: the example.",
        },
        ...KNOWN,
      }),
    }),
    exactField: "data",
    answer: SentEvent,
    library: { takes: ["name", "type", "data"] },
  }),
  operation("senders.play", "POST /senders/:name/stories/:story", {
    id: "playStory",
    reachesOut: true,
    summary: "Play a sender's story",
    description:
      "Sends the story's events to the sender's endpoints in order and advances the clock from each to the next: retries that fall due in between are sent. Returns the first attempts of each event.",
    params: Type.Object({
      ...nameOf("a sender").properties,
      story: Type.String({ maxLength: 100, description: "The name of one of the sender's stories." }),
    }),
    body: body("StoryToPlay", optional(KNOWN)),
    answer: PlayedStory,
    library: { takes: ["name", "story"] },
  }),
];
