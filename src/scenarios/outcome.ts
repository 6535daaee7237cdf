import type { EndpointReport, ScenarioReport } from "../reports/scenario-report.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";

/** The maximum number of entries to read. A run with more entries would be unreadable. */
const ENTRIES = 100_000;
const ATTEMPTS = 10_000;

/**
 * The current state of the endpoints that changed since a journal entry.
 * @param from a virtual time in ISO 8601 format; the seed's history before it is omitted
 */
export function endpointsOf({ journal, webhooks }: Sandbox, since: number, from: string): EndpointReport[] {
  const touched = new Set(
    journal
      .list({ after: since, types: ["webhook.*", "delivery.*"], limit: ENTRIES })
      .map(({ data }) => data.webhook_id ?? data.id),
  );
  return webhooks
    .list({})
    .data.filter(({ id }) => touched.has(id))
    .sort((a, b) => (a.created_at + a.id < b.created_at + b.id ? -1 : 1))
    .map(({ id, url, description, events }) => {
      const whole = webhooks.engine.timeline(id, ATTEMPTS);
      const attempts = whole.attempts.filter(({ started_at: at }) => at >= from);
      const changes = whole.changes.filter(({ at }) => at >= from);
      const skipped = whole.skipped.filter(({ at }) => at >= from);
      return { id, url, description, events, timeline: { ...whole, attempts, changes, skipped } };
    });
}

/** A hint about a subscriber that rejected deliveries or could not be reached; empty if it accepted them. */
export function receiverHint({ journal, webhooks }: Sandbox, since: number, url: string): string {
  const ids = new Set(
    webhooks
      .list({})
      .data.filter((endpoint) => endpoint.url === url)
      .map(({ id }) => id),
  );
  const entries = journal
    .list({ after: since, types: ["delivery.started", "delivery.failed"], limit: ENTRIES })
    .filter(({ data }) => ids.has(String(data.webhook_id)));
  const simulated = new Set(entries.filter(({ data }) => "fault" in data).map(({ data }) => data.id));
  const failed = entries.find(
    ({ type, data }) => type === "delivery.failed" && !simulated.has(data.id),
  )?.data;
  if (!failed) return "";
  if (failed.response_code === 401 || failed.response_code === 403)
    return `Your subscriber responded with ${failed.response_code}: most likely the secrets differ. Start it with the secret in --secret.`;
  return failed.response_code === null
    ? `A request to ${url} got no response (${failed.error}): check that your subscriber is running there.`
    : `Your subscriber responded with ${failed.response_code}${quote(failed.response_body)} to a delivery that it should have accepted.`;
}

/** Quotes a response body on a single line. */
const quote = (body: unknown): string =>
  typeof body === "string" ? `, "${body.replace(/\s+/g, " ").trim()}",` : "";

export function mailOf({ journal }: Sandbox, since: number): ScenarioReport["mail"] {
  return journal
    .list({ after: since, types: ["mail.sent"], limit: ENTRIES })
    .map(({ at, data }) => ({ to: String(data.to), subject: String(data.subject), created_at: at }));
}
