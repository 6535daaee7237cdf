import { SandboxError } from "../errors/errors.ts";
import { readTypes, streamJournal } from "./live.ts";
import { noteOfRemoved, readAfter } from "./position.ts";
import * as records from "./record-schemas.ts";
import { dataOf, IdParams, PageQuery } from "./schemas.ts";
import { sendReport } from "./send-report.ts";
import { call } from "./table.ts";

const tag = "Record";

/** What happened: e-mails, the journal, live and as a list, and the calls received. */
export const recordRoutes = [
  call("GET /mail", {
    id: "listMail",
    tag,
    summary: "E-mails sent",
    answer: dataOf(records.Mail, "MailList"),
    run: ({ sandbox }) => ({ data: sandbox.payments.mail() }),
  }),
  call("GET /events", {
    id: "listJournal",
    tag,
    summary: "Everything that happened, in order",
    description: "With `order=desc` the newest come first; `before` goes on from there.",
    query: records.EventsQuery,
    answer: records.Journal,
    run({ sandbox, query }) {
      const data = sandbox.journal.list({ ...query, types: readTypes(sandbox, query.types) });
      const isAtBeginning = query.order === "asc" || data.length < query.limit;
      return { data, note: isAtBeginning ? noteOfRemoved(sandbox.journal, query.after) : null };
    },
  }),
  call("GET /live", {
    id: "live",
    tag,
    summary: "The journal as it grows",
    description:
      "A WebSocket, or server-sent events when asked for with `Accept: text/event-stream`. `after` replays what came since; a reconnecting event source is caught up by its Last-Event-ID. If a reset or a restore has replaced the journal since then, both continue with its entry, `world.reset` or `world.restored`. If entries after it were removed, a message of type `notice` says which. With `clock=true` there are also messages of type `clock`, which are no journal entries.",
    query: records.LiveQuery,
    run({ sandbox, headers, query: { after, types, clock } }, reply) {
      return streamJournal(sandbox, headers, reply, {
        after: readAfter(after),
        types: readTypes(sandbox, types),
        clock,
      });
    },
  }),
  call("GET /report.html", {
    id: "downloadReport",
    tag,
    summary: "What happened in this world as one HTML file, with its timelines",
    query: records.ReportQuery,
    async run({ sandbox, query: { title = `World ${sandbox.world.name}`, after } }, reply) {
      const { worldPage } = await import("../scenarios/world-page.ts");
      return sendReport(reply, worldPage(sandbox, { title, after }));
    },
  }),
  call("GET /requests", {
    id: "listRequests",
    tag,
    summary: "API calls received, with a curl line",
    query: PageQuery,
    answer: dataOf(records.RequestSummary, "Requests"),
    run: ({ sandbox, query }) => ({ data: sandbox.requests.list(query) }),
  }),
  call("GET /requests/:id", {
    id: "getRequest",
    tag,
    summary: "One API call, secrets left out",
    params: IdParams,
    answer: records.RequestDetail,
    run({ sandbox, params }) {
      const request = sandbox.requests.get(Number(params.id));
      if (request) return request;
      const wasThere = Number(params.id) >= 1 && Number(params.id) <= sandbox.requests.count();
      throw new SandboxError("not_found", `There is no request ${params.id}${wasThere ? " any more" : ""}.`, {
        command: "Print the latest ones: npx sandglass requests",
        library: "GET /_sandbox/requests lists the latest ones.",
        http: "GET /_sandbox/requests lists the latest ones.",
      });
    },
  }),
];
