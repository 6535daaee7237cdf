import { Type } from "typebox";
import { SandboxError } from "../errors/errors.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import type { Journal } from "../world/journal.ts";
import { operationsOf } from "./operation.ts";
import { dataOf, PageQuery } from "./schemas/common.ts";
import * as records from "./schemas/records.ts";

const operation = operationsOf("Record");

/** What happened: e-mails, the journal, live and as a list, and the calls received. */
export const recordOperations = [
  operation("mail", "GET /mail", {
    id: "listMail",
    summary: "E-mails sent",
    answer: dataOf(records.Mail, "MailList"),
    library: { gives: "data" },
    run: ({ sandbox }) => ({ data: sandbox.payments.mail() }),
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
    run({ sandbox, query }) {
      const data = sandbox.journal.list({ ...query, types: readTypes(sandbox, query.types) });
      const isAtBeginning = query.order === "asc" || data.length < query.limit;
      return { data, note: isAtBeginning ? noteOfRemoved(sandbox.journal, query.after) : null };
    },
  }),
  operation("requests.list", "GET /requests", {
    id: "listRequests",
    summary: "API calls received, with a curl line",
    query: PageQuery,
    answer: dataOf(records.RequestSummary, "Requests"),
    run: ({ sandbox, query }) => ({ data: sandbox.requests.list(query) }),
  }),
  operation("requests.get", "GET /requests/:id", {
    id: "getRequest",
    summary: "One API call, secrets left out",
    params: Type.Object({ id: Type.String({ description: "The number of a call." }) }),
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

/** What `types` takes besides names of entries: a client that asks for nothing else follows the clock alone. */
const CLOCK = "clock";

/**
 * Which entries are asked for; an empty list for all.
 * @throws SandboxError `bad_request` if no entry can have such a name
 */
export function readTypes(sandbox: Sandbox, types: string | undefined): string[] {
  const asked = (types ?? "")
    .split(",")
    .map((type) => type.trim())
    .filter((type) => type !== "");
  sandbox.checkTypes(asked.filter((type) => type !== CLOCK));
  return asked;
}

/** What a reader of the entries after `after` should know: which of them are not there any more. */
export function noteOfRemoved(journal: Journal, after: number): string | null {
  const first = journal.firstSeq();
  if (after + 1 >= first) return null;
  return `The entries from ${after + 1} to ${first - 1} were removed. The journal begins with ${first}; worlds.journalEntries in the configuration says how many it stores.`;
}
