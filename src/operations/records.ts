import { Type } from "typebox";
import { RequestDetail, RequestSummary } from "../http/request-log.ts";
import { integer, nullable, oneOf, shape, text, typed, VirtualTime, WallTime } from "../http/shapes.ts";
import { Anything, closed, dataOf, Limit, optional, PageQuery } from "./common.ts";
import { operationsOf } from "./operation.ts";

export const JournalEntry = shape("JournalEntry", {
  seq: integer("The entry's position in the journal, starting at 1, without gaps."),
  // The type is a plain string, because the list of areas is open. The published types list the entries of the built-in
  // areas.
  type: typed<string>("JournalEntryName", { type: "string" }),
  at: VirtualTime,
  wall: WallTime,
  data: { ...Anything, description: "The entry's data; the fields depend on its type." },
});
export const Journal = shape("Journal", {
  data: Type.Array(JournalEntry),
  note: nullable(text("Which of the requested entries were removed; null if none were.")),
});
export const LiveQuery = closed({
  ...optional({
    after: Type.String({
      description: "An entry's seq, or an event's id, which combines its entry's seq and wall time.",
      examples: ["6", "6@2026-01-15T09:00:00.000Z"],
    }),
    types: Type.String({ maxLength: 1_000 }),
  }),
  clock: Type.Boolean({
    default: false,
    description: "Whether to also send the clock's state, at the start and whenever it is moved or set.",
  }),
  calls: Type.Boolean({ default: false, description: "Whether to also report API calls." }),
});
/** The live stream's message about API calls, which is not a journal entry. */
export interface CallsMessage {
  type: "calls";
  data: {
    /** The number of the latest call. */
    last: number;
  };
}

export const Mail = shape("Mail", {
  id: Type.String(),
  organization: Type.String(),
  to: Type.String(),
  subject: Type.String(),
  text: Type.String(),
  webhook_id: nullable(text("The webhook endpoint that the e-mail is about.")),
  created_at: VirtualTime,
});

const { method, path, status, error } = RequestSummary.properties;
/** An API call shown in the report of a failure. */
export const ApiCall = shape("ApiCall", { method, path, status, error });

const operation = operationsOf("Record");

/** Operations on e-mails, on the journal (as a list and live), and on received calls. */
export const recordOperations = [
  operation("mail", "GET /mail", {
    id: "listMail",
    summary: "E-mails sent",
    answer: dataOf(Mail, "MailList"),
    library: { gives: "data" },
  }),
  operation("events", "GET /events", {
    id: "listJournal",
    summary: "Everything that happened, in order",
    description:
      "With `order=desc`, the newest entries come first. To get the next page, pass the last seq as `before`.",
    query: closed({
      after: Type.Integer({ minimum: 0, default: 0, description: "Entries after this seq." }),
      order: oneOf(["asc", "desc"], { default: "asc" }),
      limit: Limit,
      ...optional({
        before: Type.Integer({ minimum: 0, description: "Entries before this seq." }),
        types: Type.String({
          maxLength: 1_000,
          description: "Comma-separated; a name may end in *: delivery.*",
        }),
      }),
    }),
    answer: Journal,
    library: {
      takes: [{ options: { types: "types", after: "after" } }],
      gives: "data",
      always: { limit: 10_000 },
    },
  }),
  operation("requests.list", "GET /requests", {
    id: "listRequests",
    summary: "API calls received, with a curl command",
    query: PageQuery,
    answer: dataOf(RequestSummary, "Requests"),
  }),
  operation("requests.get", "GET /requests/:id", {
    id: "getRequest",
    summary: "One API call, without its secrets",
    params: Type.Object({ id: text("The number of a call.") }),
    answer: RequestDetail,
  }),
];
