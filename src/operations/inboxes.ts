import { operationsOf } from "./operation.ts";
import { dataOf, nameOf, PageQuery, readDelay } from "./schemas/common.ts";
import { Behaviour, BehaviourChange, InboxMessage, InboxSummary } from "./schemas/inboxes.ts";

const operation = operationsOf("Inbox");

/** The requests that the built-in subscribers received, and how they answer. */
export const inboxOperations = [
  operation("inboxes.list", "GET /inbox", {
    id: "listInboxes",
    summary: "Built-in subscribers that got something",
    answer: dataOf(InboxSummary, "Inboxes"),
    run: ({ sandbox }) => ({ data: sandbox.payments.inboxes.list() }),
  }),
  operation("inboxes.messages", "GET /inbox/:name", {
    id: "readInbox",
    summary: "What a built-in subscriber got",
    params: nameOf("an inbox"),
    query: PageQuery,
    answer: dataOf(InboxMessage, "InboxMessages"),
    library: { takes: ["name"], gives: "data" },
    run: ({ sandbox, params, query }) => ({
      data: sandbox.payments.inboxes.messages(params.name, query.after, query.limit),
    }),
  }),
  operation("inboxes.behaviour", "GET /inbox/:name/behaviour", {
    id: "getInboxBehaviour",
    summary: "How a built-in subscriber answers at present",
    params: nameOf("an inbox"),
    answer: Behaviour,
    run: ({ sandbox, params }) => sandbox.payments.inboxes.behaviour(params.name),
  }),
  operation("inboxes.behave", "PUT /inbox/:name/behaviour", {
    id: "setInboxBehaviour",
    summary: "How a built-in subscriber answers",
    params: nameOf("an inbox"),
    body: BehaviourChange,
    answer: Behaviour,
    library: { takes: ["name", "*"], gives: null },
    run({ sandbox, params, body: { delay, ...change } }) {
      sandbox.payments.inboxes.setBehaviour(params.name, {
        ...change,
        ...(delay !== undefined && { delay: readDelay(delay, "delay") }),
      });
      return sandbox.payments.inboxes.behaviour(params.name);
    },
  }),
];
