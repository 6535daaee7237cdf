import type { DeliveryRow, PlanRow, WebhookRow } from "../../webhooks/rows.ts";
import type { OrganizationRow } from "../rows.ts";
import { deliveryBody } from "../webhooks/payload.ts";
import { HEADER_PREFIX, platformRequests } from "../webhooks/platform.ts";
import { responseHeaders } from "./answers.ts";
import type { Past } from "./deliveries.ts";
import type { Seeding } from "./seeding.ts";

/** A webhook endpoint and what it went through, one stretch after another. */
export interface EndpointDraft {
  organization: OrganizationRow;
  url: string;
  events: string[];
  description: string;
  createdAt: number;
  past: Past[];
}

const requests = platformRequests(HEADER_PREFIX);

/** Writes an endpoint with its events, plans, deliveries and state changes. */
export function saveEndpoint(seeding: Seeding, draft: EndpointDraft): WebhookRow {
  const { world, save, trail } = seeding;
  const { organization, createdAt } = draft;
  const attempts = draft.past.flatMap((past) => past.attempts);
  const { endpoint, last } = draft.past.at(-1)!;
  const disabled = endpoint.status === "disabled";
  const webhook: WebhookRow = {
    id: world.ids.next("wh_"),
    org: organization.id,
    url: draft.url,
    events: JSON.stringify(draft.events),
    description: draft.description,
    secret: `whsec_${world.random.bytes("secret").toString("hex")}`,
    status: disabled ? "disabled" : "enabled",
    consecutive_failures: endpoint.consecutiveFailures,
    disabled_at: disabled ? last!.endedAt : null,
    disabled_reason: disabled ? "consecutive_failures" : null,
    last_delivery_at: attempts.length === 0 ? null : Math.max(...attempts.map(({ endedAt }) => endedAt)),
    deleted_at: null,
    created_at: createdAt,
    updated_at: disabled ? last!.endedAt : createdAt,
    seeded: 1,
    confined_to: null,
    headers: null,
    sender: "platform",
    first_failed_at: endpoint.firstFailedAt,
  };
  save("webhooks", webhook);
  trail.push({ org: organization.id, type: "webhook.created", resourceId: webhook.id, at: createdAt });
  const bodies = savePlans(seeding, webhook, draft.past);
  for (const attempt of attempts) saveDelivery(seeding, webhook, attempt, bodies.get(attempt.event.id)!);
  const change = (kind: string, reason: string | null, at: number) =>
    save("webhook_state_changes", { webhook_id: webhook.id, change: kind, reason, at });
  change("created", null, createdAt);
  if (webhook.disabled_at !== null) change("disabled", webhook.disabled_reason, webhook.disabled_at);
  return webhook;
}

/** Writes the events and their plans. Returns the bodies by event. */
function savePlans({ save }: Seeding, webhook: WebhookRow, past: Past[]): Map<string, string> {
  const bodies = new Map<string, string>();
  for (const { event, state, reason, attempts, updatedAt } of past.flatMap(({ plans }) => plans)) {
    const data = JSON.stringify(event.data);
    const body = deliveryBody({ type: event.type, webhookId: webhook.id, at: event.at, data });
    bodies.set(event.id, body);
    save("webhook_events", {
      id: event.id,
      org: event.org,
      type: event.type,
      data,
      created_at: event.at,
    });
    save("webhook_plans", {
      event_id: event.id,
      webhook_id: webhook.id,
      state,
      reason,
      attempts,
      next_attempt_at: null,
      created_at: event.at,
      updated_at: updatedAt,
    } satisfies PlanRow);
  }
  return bodies;
}

function saveDelivery(
  { world, save }: Seeding,
  webhook: WebhookRow,
  { event, attempt, startedAt, endedAt, answer, consecutiveFailures }: Past["attempts"][number],
  body: string,
): void {
  const id = world.ids.next("del_");
  const headers = requests.headers({
    eventId: event.id,
    type: event.type,
    body,
    endpointId: webhook.id,
    deliveryId: id,
    url: webhook.url,
    secret: webhook.secret,
    at: startedAt,
    test: false,
  });
  const answerHeaders = responseHeaders(answer, endedAt);
  save("webhook_deliveries", {
    id,
    org: webhook.org,
    webhook_id: webhook.id,
    event_id: event.id,
    event: event.type,
    status: answer.ok ? "success" : "failed",
    attempt,
    trigger: "automatic",
    retry_of: null,
    url: webhook.url,
    error: answer.error,
    error_detail: answer.detail,
    response_code: answer.code,
    response_headers: answerHeaders && JSON.stringify(answerHeaders),
    response_body: answer.body === null ? null : Buffer.from(answer.body),
    response_size: answer.body === null ? null : Buffer.byteLength(answer.body),
    request_headers: JSON.stringify(headers),
    duration_ms: answer.duration,
    fault: null,
    consecutive_failures: consecutiveFailures,
    next_attempt_at: null,
    started_at: startedAt,
    ended_at: endedAt,
    created_at: startedAt,
  } satisfies DeliveryRow);
}
