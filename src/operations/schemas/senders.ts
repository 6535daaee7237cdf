import { Type } from "typebox";
import { nullable, shape } from "../../http/shapes.ts";
import { WebhookDelivery } from "../../payments/schemas/webhooks.ts";
import { Anything, body, nameOf } from "./common.ts";

/** Shapes of the control API's calls about senders. */

export const SenderView = shape("Sender", {
  name: Type.String(),
  documentation: nullable(Type.String()),
  read: nullable(Type.String({ description: "When the facts were read, such as 2026-11." })),
  events: Type.Array(Type.Object({ type: Type.String(), body: nullable(Anything) }), {
    description: "What it can send; of a sender in use, each with its example body.",
  }),
  assumed: Type.Array(Type.String(), {
    description: "Fields of its file whose facts the sender does not publish.",
  }),
  secret_variable: Type.String({ description: "The variable in which servers usually have its secret." }),
  notes: Type.Array(Type.String(), { description: "What its file cannot say." }),
  stories: Type.Array(Type.Object({ name: Type.String(), events: Type.Array(Type.String()) }), {
    description: "What it can play: the types of each story's events, in their order.",
  }),
  in_use: Type.Boolean({ description: "Whether the sandbox was started with it, or has an endpoint of it." }),
});

export const EventToSend = body("EventToSend", {
  type: Type.String({ examples: ["checkout.session.completed"] }),
  data: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), {
      description: "Merged over the example body of the type. Default: the example.",
    }),
  ),
});

export const SentEvent = shape("SentEvent", {
  id: Type.String({ description: "The event's id in the sandbox, which a resend takes." }),
  type: Type.String(),
  sender: Type.String(),
  body: Anything,
  deliveries: Type.Array(WebhookDelivery, {
    description: "The first attempts, one for each enabled endpoint that subscribes to the type.",
  }),
  disabled: Type.Array(Type.Object({ webhook_id: Type.String(), url: Type.String() }), {
    description: "The disabled endpoints that subscribe to the type: they get nothing.",
  }),
});

export const StoryOfSender = Type.Object({
  ...nameOf("a sender").properties,
  story: Type.String({ maxLength: 100, description: "The name of one of its stories." }),
});

export const PlayedStory = shape("PlayedStory", {
  sender: Type.String(),
  story: Type.String(),
  from: Type.String({ description: "When the clock stood at its beginning." }),
  to: Type.String({ description: "When the clock stood at its end." }),
  events: Type.Array(SentEvent),
});
