import { notFound } from "../../errors/errors.ts";
import type { recordOperations } from "../../operations/records.ts";
import type { Sandbox } from "../../sandbox/sandbox.ts";
import type { Journal } from "../../world/journal.ts";
import type { Bound } from "./bound.ts";

export const recordBound: Bound<(typeof recordOperations)[number]> = {
  mail: ({ sandbox }) => ({ data: sandbox.payments.mail() }),
  events({ sandbox, query }) {
    const data = sandbox.journal.list({ ...query, types: readTypes(sandbox, query.types) });
    const isAtBeginning = query.order === "asc" || data.length < query.limit;
    return { data, note: isAtBeginning ? noteOfRemoved(sandbox.journal, query.after) : null };
  },
  "requests.list": ({ sandbox, query }) => ({ data: sandbox.requests.list(query) }),
  "requests.get"({ sandbox, params }) {
    const request = sandbox.requests.get(Number(params.id));
    if (request) return request;
    const wasThere = Number(params.id) >= 1 && Number(params.id) <= sandbox.requests.count();
    throw notFound(`There is no request ${params.id}${wasThere ? " any more" : ""}.`, {
      command: "Print the latest ones: npx sandglass requests",
      library: "GET /_sandbox/requests lists the latest ones.",
      http: "GET /_sandbox/requests lists the latest ones.",
    });
  },
};

/** A value of `types` beside names of entries: a client that asks for it alone follows only the clock. */
const CLOCK = "clock";

/** The requested entry types; an empty list for all. @throws SandboxError `bad_request` if no entry can have such a name */
export function readTypes(sandbox: Sandbox, types: string | undefined): string[] {
  const asked = (types ?? "")
    .split(",")
    .map((type) => type.trim())
    .filter((type) => type !== "");
  sandbox.checkTypes(asked.filter((type) => type !== CLOCK));
  return asked;
}

/** A note about entries after `after` that were removed. */
export function noteOfRemoved(journal: Journal, after: number): string | null {
  const first = journal.firstSeq();
  if (after + 1 >= first) return null;
  return `The entries from ${after + 1} to ${first - 1} were removed. The journal begins with ${first}; worlds.journalEntries in the configuration says how many it stores.`;
}
