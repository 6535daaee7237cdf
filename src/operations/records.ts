import { Type } from "typebox";
import { operationsOf } from "./operation.ts";
import { dataOf, PageQuery } from "./schemas/common.ts";
import * as records from "./schemas/records.ts";

const operation = operationsOf("Record");

/** E-mails, the journal, live and as a list, and received calls. */
export const recordOperations = [
  operation("mail", "GET /mail", {
    id: "listMail",
    summary: "E-mails sent",
    answer: dataOf(records.Mail, "MailList"),
    library: { gives: "data" },
  }),
  operation("events", "GET /events", {
    id: "listJournal",
    summary: "Everything that happened, in order",
    description: "With `order=desc` the newest come first; `before` goes on from there.",
    query: records.EventsQuery,
    answer: records.Journal,
    library: {
      takes: [{ options: { types: "types", after: "after" } }],
      gives: "data",
      always: { limit: 10_000 },
    },
  }),
  operation("requests.list", "GET /requests", {
    id: "listRequests",
    summary: "API calls received, with a curl line",
    query: PageQuery,
    answer: dataOf(records.RequestSummary, "Requests"),
  }),
  operation("requests.get", "GET /requests/:id", {
    id: "getRequest",
    summary: "One API call, secrets left out",
    params: Type.Object({ id: Type.String({ description: "The number of a call." }) }),
    answer: records.RequestDetail,
  }),
];
