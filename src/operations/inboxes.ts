import { operationsOf } from "./operation.ts";
import { dataOf, nameOf, PageQuery } from "./schemas/common.ts";
import { Behaviour, BehaviourChange, InboxMessage, InboxSummary } from "./schemas/inboxes.ts";

const operation = operationsOf("Inbox");

/** The requests that the built-in subscribers received, and how they answer. */
export const inboxOperations = [
  operation("inboxes.list", "GET /inbox", {
    id: "listInboxes",
    summary: "Built-in subscribers that got something",
    answer: dataOf(InboxSummary, "Inboxes"),
  }),
  operation("inboxes.messages", "GET /inbox/:name", {
    id: "readInbox",
    summary: "What a built-in subscriber got",
    params: nameOf("an inbox"),
    query: PageQuery,
    answer: dataOf(InboxMessage, "InboxMessages"),
    library: { takes: ["name"], gives: "data" },
  }),
  operation("inboxes.behaviour", "GET /inbox/:name/behaviour", {
    id: "getInboxBehaviour",
    summary: "How a built-in subscriber answers at present",
    params: nameOf("an inbox"),
    answer: Behaviour,
  }),
  operation("inboxes.behave", "PUT /inbox/:name/behaviour", {
    id: "setInboxBehaviour",
    summary: "How a built-in subscriber answers",
    params: nameOf("an inbox"),
    body: BehaviourChange,
    answer: Behaviour,
    library: { takes: ["name", "*"], gives: null },
  }),
];
