import { SandboxError } from "../errors/errors.ts";
import type { App } from "../http/types.ts";
import { readTypes, streamJournal } from "./live.ts";
import * as shapes from "./schemas.ts";
import { sendReport } from "./send-report.ts";

const tags = (name: string) => ({ tags: [name] });

/** What happened: e-mails, the journal, live and as a list, and the calls received. */
export function recordRoutes(app: App): void {
  app.get(
    "/mail",
    {
      schema: {
        operationId: "listMail",
        summary: "E-mails sent",
        ...tags("Record"),
        response: { 200: shapes.dataOf(shapes.Mail, "MailList"), ...shapes.controlErrors },
      },
    },
    async ({ sandbox }) => ({ data: sandbox.payments.mail() }),
  );
  app.get(
    "/events",
    {
      schema: {
        operationId: "listJournal",
        summary: "Everything that happened, in order",
        description: "With `order=desc` the newest come first; `before` goes on from there.",
        ...tags("Record"),
        querystring: shapes.EventsQuery,
        response: { 200: shapes.dataOf(shapes.JournalEntry, "Journal"), ...shapes.controlErrors },
      },
    },
    async ({ sandbox, query }) => ({
      data: sandbox.journal.list({ ...query, types: readTypes(query.types) }),
    }),
  );
  app.get(
    "/live",
    {
      schema: {
        operationId: "live",
        summary: "The journal as it grows",
        description:
          "A WebSocket, or server-sent events when asked for with `Accept: text/event-stream`. `after` replays what came since; a reconnecting event source is caught up by its Last-Event-ID. With `clock=true` there are also messages of type `clock`, which are no journal entries.",
        ...tags("Record"),
        querystring: shapes.LiveQuery,
      },
    },
    async (request, reply) => {
      const { after, types, clock } = request.query;
      return streamJournal(request.sandbox, request, reply, { after, types: readTypes(types), clock });
    },
  );
  app.get(
    "/report.html",
    {
      schema: {
        operationId: "downloadReport",
        summary: "What happened in this world as one HTML file, with its timelines",
        ...tags("Record"),
        querystring: shapes.ReportQuery,
      },
    },
    async ({ sandbox, query }, reply) => {
      const { title = `World ${sandbox.world.name}`, after } = query;
      const { worldPage } = await import("../scenarios/world-page.ts");
      return sendReport(reply, worldPage(sandbox, { title, after }));
    },
  );
  app.get(
    "/requests",
    {
      schema: {
        operationId: "listRequests",
        summary: "API calls received, with a curl line",
        ...tags("Record"),
        querystring: shapes.PageQuery,
        response: { 200: shapes.dataOf(shapes.RequestSummary, "Requests"), ...shapes.controlErrors },
      },
    },
    async ({ sandbox, query }) => ({ data: sandbox.requests.list(query) }),
  );
  app.get(
    "/requests/:id",
    {
      schema: {
        operationId: "getRequest",
        summary: "One API call, secrets left out",
        ...tags("Record"),
        params: shapes.IdParams,
        response: { 200: shapes.RequestDetail, ...shapes.controlErrors },
      },
    },
    async ({ sandbox, params }) => {
      const found = sandbox.requests.get(Number(params.id));
      if (!found)
        throw new SandboxError(
          "not_found",
          `There is no request ${params.id} any more.`,
          "GET /_sandbox/requests lists the latest ones.",
        );
      return found;
    },
  );
}
