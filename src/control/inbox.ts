import { SandboxError } from "../errors/errors.ts";
import type { App } from "../http/types.ts";
import { wallSleep } from "../world/clock.ts";
import * as shapes from "./schemas.ts";
import { InboxSummary } from "./webhook-schemas.ts";

const tags = ["Inbox"];

/** The built-in subscribers: what a webhook can point to. They take any body, as it comes. */
export function inboxRoutes(app: App): void {
  app.get(
    "/inbox",
    {
      schema: {
        operationId: "listInboxes",
        summary: "Built-in subscribers that got something",
        tags,
        response: { 200: shapes.dataOf(InboxSummary, "Inboxes"), ...shapes.controlErrors },
      },
    },
    async ({ sandbox }) => ({ data: sandbox.payments.inboxes.list() }),
  );
  app.get(
    "/inbox/:name",
    {
      schema: {
        operationId: "readInbox",
        summary: "What a built-in subscriber got",
        tags,
        params: shapes.NameParams,
        querystring: shapes.PageQuery,
        response: { 200: shapes.dataOf(shapes.InboxMessage, "InboxMessages"), ...shapes.controlErrors },
      },
    },
    async ({ sandbox, params, query }) => ({
      data: sandbox.payments.inboxes.messages(params.name, query.after, query.limit),
    }),
  );
  app.get(
    "/inbox/:name/behaviour",
    {
      schema: {
        operationId: "getInboxBehaviour",
        summary: "How a built-in subscriber answers at present",
        tags,
        params: shapes.NameParams,
        response: { 200: shapes.Behaviour, ...shapes.controlErrors },
      },
    },
    async ({ sandbox, params }) => sandbox.payments.inboxes.behaviour(params.name),
  );
  app.put(
    "/inbox/:name/behaviour",
    {
      schema: {
        operationId: "setInboxBehaviour",
        summary: "How a built-in subscriber answers",
        tags,
        params: shapes.NameParams,
        body: shapes.Behaviour,
        response: { 200: shapes.Behaviour, ...shapes.controlErrors },
      },
    },
    async ({ sandbox, params, body }) => {
      sandbox.payments.inboxes.setBehaviour(params.name, body);
      return sandbox.payments.inboxes.behaviour(params.name);
    },
  );

  void app.register(async (plain) => {
    const scope = plain as unknown as App;
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser("*", { parseAs: "string" }, (_request, body, done) => done(null, body));
    scope.post(
      "/inbox/:name",
      {
        schema: {
          operationId: "postToInbox",
          summary: "Where a webhook points to",
          tags,
          params: shapes.NameParams,
        },
      },
      async (request, reply) => {
        const { sandbox, params } = request;
        const body = (request.body as string | undefined) ?? "";
        const headers = Object.fromEntries(
          Object.entries(request.headers).map(([name, value]) => [name, [value].flat().join(", ")]),
        );
        const answer = sandbox.payments.inboxes.receive(params.name, headers, body);
        if (answer.delay > 0) await wallSleep(answer.delay);
        return reply.code(answer.status).type("application/json; charset=utf-8").send(answer.body);
      },
    );
  });

  app.all("/inbox/:name/*", async () => {
    throw new SandboxError(
      "not_found",
      "An inbox has only /inbox/{name} and /inbox/{name}/behaviour.",
      "Names have letters, digits, dots, hyphens and underscores.",
    );
  });
}
