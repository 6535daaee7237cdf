import { operationsOf } from "./operation.ts";
import { dataOf, nameOf } from "./schemas/common.ts";
import { EventToSend, PlayedStory, SenderView, SentEvent, StoryOfSender } from "./schemas/senders.ts";

const operation = operationsOf("Senders");

/** Webhooks of other senders than the platform. */
export const senderOperations = [
  operation("senders.list", "GET /senders", {
    id: "listSenders",
    summary: "The senders whose webhooks can be sent",
    description: "Those in use first, then those that come with Sandglass.",
    answer: dataOf(SenderView, "Senders"),
    library: { gives: "data" },
  }),
  operation("senders.send", "POST /senders/:name/events", {
    id: "sendEvent",
    reachesOut: true,
    summary: "Send an event to a sender's endpoints",
    description:
      "Makes a body from the example of the type, with `data` merged over it, a new id and the time of now. It is signed and retried as the sender does. Answers with the first attempts.",
    params: nameOf("a sender"),
    body: EventToSend,
    answer: SentEvent,
    library: { takes: ["name", "type", "data"] },
  }),
  operation("senders.play", "POST /senders/:name/stories/:story", {
    id: "playStory",
    reachesOut: true,
    summary: "Play a story of a sender",
    description:
      "Sends the story's events to the sender's endpoints, in their order, and moves the clock from each to the next: retries that fall due on the way are sent. Answers with the first attempts of each event.",
    params: StoryOfSender,
    answer: PlayedStory,
    library: { takes: ["name", "story"] },
  }),
];
