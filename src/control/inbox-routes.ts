import { SandboxError } from "../errors/errors.ts";
import { acceptBodies } from "../http/body.ts";
import { addRoutes } from "../http/route-table.ts";
import type { App } from "../http/types.ts";
import { wallSleep } from "../world/clock.ts";
import { Behaviour, InboxMessage, InboxSummary } from "./inbox-schemas.ts";
import { dataOf, NameParams, PageQuery } from "./schemas.ts";
import { call } from "./table.ts";

const tag = "Inbox";

/** The requests that the built-in subscribers received, and how they answer. */
export const inboxRoutes = [
  call("GET /inbox", {
    id: "listInboxes",
    tag,
    summary: "Built-in subscribers that got something",
    answer: dataOf(InboxSummary, "Inboxes"),
    run: ({ sandbox }) => ({ data: sandbox.payments.inboxes.list() }),
  }),
  call("GET /inbox/:name", {
    id: "readInbox",
    tag,
    summary: "What a built-in subscriber got",
    params: NameParams,
    query: PageQuery,
    answer: dataOf(InboxMessage, "InboxMessages"),
    run: ({ sandbox, params, query }) => ({
      data: sandbox.payments.inboxes.messages(params.name, query.after, query.limit),
    }),
  }),
  call("GET /inbox/:name/behaviour", {
    id: "getInboxBehaviour",
    tag,
    summary: "How a built-in subscriber answers at present",
    params: NameParams,
    answer: Behaviour,
    run: ({ sandbox, params }) => sandbox.payments.inboxes.behaviour(params.name),
  }),
  call("PUT /inbox/:name/behaviour", {
    id: "setInboxBehaviour",
    tag,
    summary: "How a built-in subscriber answers",
    params: NameParams,
    body: Behaviour,
    answer: Behaviour,
    run({ sandbox, params, body }) {
      sandbox.payments.inboxes.setBehaviour(params.name, body);
      return sandbox.payments.inboxes.behaviour(params.name);
    },
  }),
];

/** The route that webhooks are sent to. Its scope parses no bodies, as it takes any body as it is. */
export function inboxDeliveryRoute(scope: App): void {
  scope.removeAllContentTypeParsers();
  acceptBodies(scope, "*", String);
  addRoutes(scope, [
    call("POST /inbox/:name", {
      id: "postToInbox",
      tag,
      summary: "Where a webhook points to",
      params: NameParams,
      async run({ sandbox, params, headers, body }, reply) {
        const texts = Object.entries(headers).map(([name, value]) => [name, [value].flat().join(", ")]);
        const answer = sandbox.payments.inboxes.receive(
          params.name,
          Object.fromEntries(texts),
          (body as string | undefined) ?? "",
        );
        if (answer.delay > 0) await wallSleep(answer.delay);
        return reply.code(answer.status).type("application/json; charset=utf-8").send(answer.body);
      },
    }),
  ]);
}

/** Refuses any other path below an inbox, which a webhook may point to by mistake. */
export async function refuseBelowInbox(): Promise<never> {
  throw new SandboxError(
    "not_found",
    "An inbox has only /inbox/{name} and /inbox/{name}/behaviour.",
    "Names have letters, digits, dots, hyphens and underscores.",
  );
}
