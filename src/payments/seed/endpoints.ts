import { DEFAULT_POLICY } from "../../webhooks/policy.ts";
import type { DeliveryRow, PlanRow, WebhookRow } from "../../webhooks/rows.ts";
import { createSave, type MadeRow } from "../../world/save.ts";
import { disabledText } from "../mail.ts";
import type { OrganizationRow, SessionRow, TransactionRow } from "../rows.ts";
import { EVENTS, type EventType } from "../webhooks/event-types.ts";
import { deliveryBody, sessionResource } from "../webhooks/payload.ts";
import { HEADER_PREFIX, PLATFORM_SENDER, platformRequests } from "../webhooks/platform.ts";
import { type AnswerKind, type PastAttempt, playDeliveries, type SeededEvent } from "./deliveries.ts";
import type { Seeding } from "./seeding.ts";

/** A webhook endpoint, and how its subscriber behaves. */
interface EndpointPlan {
  url: string;
  description: string;
  events: readonly EventType[];
  /** How much of the history had passed when the endpoint was created, from 0 to 1. */
  made: number;
  /** When its failures start, what kind they are, and whether they affect every event or only one. */
  trouble?: { from: number; answers: readonly AnswerKind[]; events: "all" | "one" };
}

/** Each organization's endpoints. One of them is disabled, and one needed three attempts for an event. */
const ENDPOINTS: readonly EndpointPlan[][] = [
  [
    {
      url: "https://erp.northlight.example/hooks/payments",
      description: "Legacy ERP bridge",
      events: ["payment.completed", "payment.failed", "checkout.expired"],
      made: 0.45,
      trouble: { from: 0.57, answers: [500, "timeout", "refused", 502], events: "all" },
    },
    {
      url: "{origin}/_sandbox/inbox/fulfilment",
      description: "Order fulfilment",
      events: ["payment.completed", "checkout.completed"],
      made: 0.83,
      trouble: { from: 0.93, answers: [503, "timeout"], events: "one" },
    },
  ],
  [
    {
      url: "https://api.paperlantern.example/hooks/payments",
      description: "Unlock purchases",
      events: ["payment.completed"],
      made: 0.33,
    },
  ],
];

const requests = platformRequests(HEADER_PREFIX);

/** Writes the endpoints with their events, plans, deliveries, status changes and e-mails. */
export function seedEndpoints(seeding: Seeding): void {
  const organizations = seeding.world.store
    .sql<OrganizationRow>("select * from organizations order by position")
    .all();
  for (const [position, plans] of ENDPOINTS.entries())
    for (const plan of plans) seedEndpoint(seeding, organizations[position]!, plan);
}

function seedEndpoint(
  seeding: Seeding,
  { id: org, name, owner_email: recipient }: OrganizationRow,
  { url, description, events, made, trouble }: EndpointPlan,
): void {
  const { world, draws, at } = seeding;
  const save = createSave(world.store);
  const createdAt = at(made);
  const announced = eventsOf(seeding, org, events, createdAt);
  const troubledFrom = trouble ? at(trouble.from) : Number.POSITIVE_INFINITY;
  const first = announced.find((event) => event.at >= troubledFrom);
  const { attempts, plans, endpoint, disabledBy } = playDeliveries(draws, announced, (event) =>
    event.at >= troubledFrom && (trouble?.events === "all" || event === first) ? trouble!.answers : [],
  );
  const disabledAt = disabledBy?.row.ended_at ?? null;
  const webhook: MadeRow<WebhookRow> = {
    id: world.ids.next("wh_"),
    org,
    sender: PLATFORM_SENDER,
    url,
    events: JSON.stringify(events),
    description,
    secret: `whsec_${world.random.bytes("secret").toString("hex")}`,
    status: disabledBy ? "disabled" : "enabled",
    consecutive_failures: endpoint.consecutiveFailures,
    first_failed_at: endpoint.firstFailedAt,
    disabled_at: disabledAt,
    disabled_reason: disabledBy ? "consecutive_failures" : null,
    last_delivery_at: attempts.at(-1)?.row.ended_at ?? null,
    created_at: createdAt,
    updated_at: disabledAt ?? createdAt,
    seeded: 1,
  };
  save("webhooks", webhook);
  save("webhook_state_changes", { webhook_id: webhook.id, change: "created", reason: null, at: createdAt });
  for (const [{ id, type, data, at }, plan] of plans) {
    save("webhook_events", { id, org, type, data, created_at: at });
    const row: MadeRow<PlanRow> = { event_id: id, webhook_id: webhook.id, ...plan, created_at: at };
    save("webhook_plans", row);
  }
  for (const attempt of attempts.sort((a, b) => a.row.started_at - b.row.started_at))
    save("webhook_deliveries", deliveryRow(world.ids.next("del_"), webhook, attempt));
  if (!disabledBy || disabledAt === null) return;
  const change = { change: "disabled", reason: webhook.disabled_reason, at: disabledAt };
  save("webhook_state_changes", { webhook_id: webhook.id, ...change });
  const failures = disabledBy.row.consecutive_failures!;
  const lastError = disabledBy.answer.error_detail;
  const notice = { id: webhook.id, url, failures, lastError, timeout: DEFAULT_POLICY.timeout };
  save("mail", {
    id: world.ids.next("mail_"),
    org,
    recipient,
    subject: `Webhook endpoint disabled after ${failures} failed deliveries`,
    text: disabledText(name, notice, disabledAt),
    webhook_id: webhook.id,
    created_at: disabledAt,
  });
}

/** An organization's events since an instant, in order. Events about a payment come before those about its checkout. */
function eventsOf(
  { world: { store, ids } }: Seeding,
  org: string,
  wanted: readonly EventType[],
  since: number,
): SeededEvent[] {
  const all = <Row>(table: string) => store.sql<Row>(`select * from ${table} where org = ?`).all(org);
  const sessions = all<SessionRow>("checkout_sessions");
  const byId = new Map(sessions.map((row) => [row.id, row]));
  const eventOf = (subject: string, row: SessionRow | TransactionRow, about: () => unknown[]) => ({
    type: `${subject}.${row.status}` as EventType,
    at: row.completed_at ?? ("failed_at" in row ? row.failed_at : row.expired_at) ?? 0,
    about: about as () => [never, never],
  });
  return [
    ...all<TransactionRow>("transactions").map((row) =>
      eventOf("payment", row, () => [row, byId.get(row.session_id!)]),
    ),
    ...sessions.map((row) => eventOf("checkout", row, () => [sessionResource(row, null)])),
  ]
    .filter(({ type, at }) => wanted.includes(type) && at >= since)
    .sort((a, b) => a.at - b.at)
    .map(({ type, at, about }) => ({
      id: ids.next("evt_"),
      type,
      at,
      data: JSON.stringify(EVENTS[type].data(...about())),
    }));
}

function deliveryRow(
  id: string,
  { id: endpointId, org, url, secret }: MadeRow<WebhookRow>,
  { event, answer: { takes: _, ...answer }, row }: PastAttempt,
): MadeRow<DeliveryRow> {
  const { id: eventId, type, at, data } = event;
  const body = deliveryBody({ type, webhookId: endpointId, at, data });
  const attempt = { eventId, type, body, endpointId, deliveryId: id, url, secret };
  const size = answer.response_body?.length ?? null;
  const date = new Date(row.ended_at).toUTCString();
  const headers = { "content-type": "application/json", "content-length": String(size), date };
  return {
    id,
    org,
    webhook_id: endpointId,
    event_id: eventId,
    event: type,
    status: answer.error === null ? "success" : "failed",
    trigger: "automatic",
    url,
    ...answer,
    ...row,
    response_headers: size === null ? null : JSON.stringify(headers),
    response_size: size,
    request_headers: JSON.stringify(requests.headers({ ...attempt, at: row.started_at, test: false })),
    created_at: row.started_at,
  };
}
