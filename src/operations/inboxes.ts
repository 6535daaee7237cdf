import { operation } from "./operation.ts";
import { dataOf, nameOf, PageQuery } from "./schemas/common.ts";
import { Behaviour, InboxMessage, InboxSummary } from "./schemas/inboxes.ts";

const tag = "Inbox";

/** The requests that the built-in subscribers received, and how they answer. */
export const inboxOperations = [
  operation("inboxes.list", {
    route: "GET /inbox",
    id: "listInboxes",
    tag,
    summary: "Built-in subscribers that got something",
    answer: dataOf(InboxSummary, "Inboxes"),
    run: ({ sandbox }) => ({ data: sandbox.payments.inboxes.list() }),
  }),
  operation("inboxes.messages", {
    route: "GET /inbox/:name",
    id: "readInbox",
    tag,
    summary: "What a built-in subscriber got",
    params: nameOf("an inbox"),
    query: PageQuery,
    answer: dataOf(InboxMessage, "InboxMessages"),
    library: { takes: ["name"], gives: "data" },
    run: ({ sandbox, params, query }) => ({
      data: sandbox.payments.inboxes.messages(params.name, query.after, query.limit),
    }),
  }),
  operation("inboxes.behaviour", {
    route: "GET /inbox/:name/behaviour",
    id: "getInboxBehaviour",
    tag,
    summary: "How a built-in subscriber answers at present",
    params: nameOf("an inbox"),
    answer: Behaviour,
    run: ({ sandbox, params }) => sandbox.payments.inboxes.behaviour(params.name),
  }),
  operation("inboxes.behave", {
    route: "PUT /inbox/:name/behaviour",
    id: "setInboxBehaviour",
    tag,
    summary: "How a built-in subscriber answers",
    params: nameOf("an inbox"),
    body: Behaviour,
    answer: Behaviour,
    library: { takes: ["name", "*"], gives: null },
    run({ sandbox, params, body }) {
      sandbox.payments.inboxes.setBehaviour(params.name, body);
      return sandbox.payments.inboxes.behaviour(params.name);
    },
  }),
];
