import type { Sandbox } from "../sandbox.ts";
import type { EndpointReport, ScenarioReport } from "./report.ts";

/** More than a run that anybody reads has. */
const ENTRIES = 100_000;
const ATTEMPTS = 10_000;

/** The endpoints that something happened to since an entry of the journal, as they stand now. */
export function endpointsOf({ journal, timeline, payments }: Sandbox, since: number): EndpointReport[] {
  const touched = new Set(
    journal
      .list({ after: since, types: ["webhook.*", "delivery.*"], limit: ENTRIES })
      .map(({ data }) => data.webhook_id ?? data.id),
  );
  return payments.endpoints
    .listAll()
    .filter(({ id }) => touched.has(id))
    .sort((a, b) =>
      a.created_at < b.created_at ? -1 : a.created_at > b.created_at ? 1 : a.id < b.id ? -1 : 1,
    )
    .map(({ id, url, description, events }) => ({
      id,
      url,
      description,
      events,
      timeline: timeline(id, ATTEMPTS),
    }));
}

/** The e-mails sent since an entry of the journal. */
export function mailOf({ journal }: Sandbox, since: number): ScenarioReport["mail"] {
  return journal
    .list({ after: since, types: ["mail.sent"], limit: ENTRIES })
    .map(({ at, data }) => ({ to: String(data.to), subject: String(data.subject), created_at: at }));
}
