import { wallTimer } from "../world/clock.ts";
import { iso, isoOrNull } from "../world/duration.ts";
import type { BeginAttempt, BegunAttempt } from "./attempts.ts";
import type { EngineContext } from "./context.ts";
import { expandUrl } from "./endpoint-url.ts";
import type { Endpoints } from "./endpoints.ts";
import { invalidTransition, notFound, Refusal } from "./errors.ts";
import type { WebhookEvents } from "./events.ts";
import { TIMEOUT_TIMER } from "./results.ts";
import type { DeliveryRow } from "./rows.ts";
import type { WebhookDelivery } from "./schemas.ts";
import type { Subscriptions } from "./subscriptions.ts";
import { repeated } from "./timeline.ts";

/** Journal entries that settle a first attempt. */
const SETTLES = /^(?:delivery\.(?:succeeded|failed|unanswered)|retry\.skipped)$/;

/**
 * A world's deliveries, including manual retries, resends and tests. These wait for their results, and throw Refusal
 * resource_not_found if the world is replaced in the meantime. See docs/guide/webhooks.md, "Manual retries and test deliveries".
 */
export interface Deliveries {
  byId(id: string): DeliveryRow | undefined;
  resource(row: DeliveryRow): WebhookDelivery;
  /** @throws Refusal resource_not_found */
  get(org: string, webhookId: string, id: string): WebhookDelivery;
  /**
   * Waits until these events' first attempts have results, or are certain to time out. While the clock runs, waits at
   * most `limit` real milliseconds; otherwise each request has its own limit, and all results are recorded together.
   * @returns all deliveries of the events, oldest first
   */
  firstAttempts(eventIds: string[], limit: number): Promise<DeliveryRow[]>;
  /**
   * Retries a failed delivery immediately.
   * @throws Refusal resource_not_found; invalid_status_transition unless it failed, or while another attempt is in flight
   */
  retry(org: string, webhookId: string, deliveryId: string): Promise<DeliveryRow>;
  /**
   * Retries deliveries that failed since an instant, unless the event arrived later: one attempt per event and endpoint,
   * oldest first. Events already being resent are skipped.
   * @param webhookId limits it to this endpoint
   */
  retryFailed(since: number, webhookId: string | null): Promise<DeliveryRow[]>;
  /**
   * The first successful delivery of an event to each endpoint that received it. @param webhookId limits it to this
   * endpoint
   */
  deliveredTo(eventId: string, webhookId: string | null): DeliveryRow[];
  /** Resends deliveries as new ones, which change no counter and are not retried. */
  resend(rows: readonly DeliveryRow[]): Promise<DeliveryRow[]>;
  /** Sends the sender's test event, which changes no counter and is never retried. @throws Refusal resource_not_found */
  test(org: string, webhookId: string): Promise<DeliveryRow>;
}

interface Parts {
  endpoints: Endpoints;
  begin: BeginAttempt;
  events: WebhookEvents;
  subscriptions: Subscriptions;
}

export function createDeliveries(
  { world, origin }: EngineContext,
  { endpoints, begin, events, subscriptions }: Parts,
): Deliveries {
  const { store, scheduler } = world;
  const byId = store.sql<DeliveryRow>("select * from webhook_deliveries where id = ?");
  const manualInFlight = store.sql<{ id: string }>(
    "select id from webhook_deliveries where event_id = ? and webhook_id = ? and status = 'pending' and trigger = 'manual'",
  );

  const failedSince = store.sql<DeliveryRow>(
    `select d.* from webhook_deliveries d join webhooks w on w.id = d.webhook_id and w.deleted_at is null
     where d.status = 'failed' and d.trigger in ('automatic', 'manual') and d.started_at >= ?
       and (? is null or d.webhook_id = ?)
       and not exists (select 1 from webhook_deliveries other
         where other.event_id = d.event_id and other.webhook_id = d.webhook_id
           and (other.status = 'success' or other.rowid > d.rowid))
     order by d.started_at, d.rowid`,
  );
  const deliveredTo = store.sql<DeliveryRow>(
    `select d.* from webhook_deliveries d join webhooks w on w.id = d.webhook_id and w.deleted_at is null
     where d.event_id = ? and (? is null or d.webhook_id = ?)
       and d.rowid = (select min(first.rowid) from webhook_deliveries first
         where first.event_id = d.event_id and first.webhook_id = d.webhook_id
           and first.status = 'success' and first.trigger <> 'test')
     order by d.rowid`,
  );

  function find(webhookId: string, id: string): DeliveryRow {
    const row = byId.get(id);
    if (!row || row.webhook_id !== webhookId) throw notFound("delivery", id);
    return row;
  }

  /** Starts another attempt for a delivery's event. */
  function repeat(row: DeliveryRow, trigger: "manual" | "resend"): BegunAttempt {
    const { id: retry_of, webhook_id, event_id, event, attempt } = row;
    return begin(webhook_id, { event_id, event, attempt, trigger, retry_of });
  }

  const resource = (row: DeliveryRow): WebhookDelivery =>
    deliveryResource(row, origin(), events.bodyOf(row.event_id, row.webhook_id));

  /** Starts unscheduled attempts concurrently, and waits for their results. */
  async function deliverAll(prepare: () => BegunAttempt[]): Promise<DeliveryRow[]> {
    const begun = store.transaction(prepare);
    const written = await scheduler.run(begun.map(({ start }) => start));
    const rows = begun.flatMap(({ id }) => byId.get(id) ?? []);
    if (written && rows.length === begun.length) return rows;
    throw new Refusal(
      "resource_not_found",
      `The world was reset, restored or undone while the delivery '${begun[0]!.id}' was in progress. Send it again.`,
    );
  }

  /** Like `deliverAll`, for one attempt. */
  const deliverNow = async (prepare: () => BegunAttempt): Promise<DeliveryRow> =>
    (await deliverAll(() => [prepare()]))[0]!;

  return {
    resource,
    firstAttempts: createFirstAttempts(world),

    byId: (id) => byId.get(id),

    retry(org, webhookId, deliveryId) {
      return deliverNow(() => {
        endpoints.find(org, webhookId);
        const row = find(webhookId, deliveryId);
        checkRetriable(row);
        const running = manualInFlight.get(row.event_id, webhookId);
        if (running) throw invalidTransition(`A retry of this event is already in flight: ${running.id}.`);
        return repeat(row, "manual");
      });
    },

    retryFailed: (since, webhookId) =>
      deliverAll(() => failedSince.all(since, webhookId, webhookId).map((row) => repeat(row, "manual"))),

    deliveredTo: (eventId, webhookId) => deliveredTo.all(eventId, webhookId, webhookId),

    resend: (rows) => deliverAll(() => rows.map((row) => repeat(row, "resend"))),

    test(org, webhookId) {
      return deliverNow(() => {
        endpoints.find(org, webhookId);
        const { type: event, data } = subscriptions.target(webhookId).sender.makeTest(world);
        const event_id = events.write(org, event, data);
        return begin(webhookId, { event_id, event, attempt: 1, trigger: "test", retry_of: null });
      });
    },

    get(org, webhookId, id) {
      endpoints.find(org, webhookId);
      return resource(find(webhookId, id));
    },
  };
}

/** @throws Refusal invalid_status_transition */
function checkRetriable({ trigger, status }: DeliveryRow): void {
  if (trigger === "test")
    throw invalidTransition("A test delivery is not retried; send another test instead.");
  if (trigger === "resend")
    throw invalidTransition("A resend is not retried; resend the event again instead.");
  if (status !== "failed")
    throw invalidTransition(`Only a failed delivery can be retried; this one is ${status}.`);
}

function createFirstAttempts({
  store,
  journal,
  scheduler,
}: EngineContext["world"]): Deliveries["firstAttempts"] {
  /**
   * First attempts that are due, or that have no response yet but may still get one. An event waiting its turn has no
   * such attempt.
   */
  const awaited = store.sql<{ attempt: string }>(
    `select p.event_id || '/' || p.webhook_id as attempt from webhook_plans p
     where p.event_id in (select value from json_each(?)) and p.state = 'active'
       and (p.next_attempt_at is not null or p.attempts > 0)
       and not exists (select 1 from webhook_deliveries d where d.event_id = p.event_id and d.webhook_id = p.webhook_id
         and (d.ended_at is not null or exists (select 1 from timers where kind = '${TIMEOUT_TIMER}' and key = d.id)))`,
  );
  const ofEvents = store.sql<DeliveryRow>(
    "select * from webhook_deliveries where event_id in (select value from json_each(?)) order by started_at, rowid",
  );

  return async (eventIds, limit) => {
    const asked = JSON.stringify(eventIds);
    const readAwaited = () => new Set(awaited.all(asked).map(({ attempt }) => attempt));
    await new Promise<void>((resolve) => {
      let open = readAwaited();
      const end = () => {
        cancel();
        unsubscribe();
        resolve();
      };
      const waitOn = (): void => {
        cancel = wallTimer(limit, () => (scheduler.busy ? waitOn() : end()));
      };
      let cancel = () => {};
      waitOn();
      const unsubscribe = journal.subscribe(({ type, data }) => {
        // A restored world no longer contains the events.
        const restored = type.startsWith("world.");
        if (!restored && !(SETTLES.test(type) && open.delete(`${data.event_id}/${data.webhook_id}`))) return;
        if (restored || open.size === 0) open = readAwaited();
        if (open.size === 0) end();
      });
      if (open.size === 0) end();
    });
    return ofEvents.all(asked);
  };
}

function deliveryResource(row: DeliveryRow, origin: string, requestBody: string): WebhookDelivery {
  const body = readable(row.response_body);
  return {
    object: "webhook_delivery",
    id: row.id,
    webhook_id: row.webhook_id,
    event: row.event,
    event_type: row.event,
    event_id: row.event_id,
    status: row.status,
    attempt: row.attempt,
    trigger: row.trigger,
    ...repeated(row),
    url: expandUrl(row.url, origin),
    response_code: row.response_code,
    status_code: row.response_code,
    error: row.error,
    error_detail: row.error_detail,
    error_message: row.error_detail,
    duration_ms: row.duration_ms,
    next_attempt_at: isoOrNull(row.next_attempt_at),
    request_headers: JSON.parse(row.request_headers),
    request_body: requestBody,
    response_headers: row.response_headers === null ? null : JSON.parse(row.response_headers),
    response_body: body.text,
    response_body_encoding: body.encoding,
    response_size: row.response_size,
    attempted_at: iso(row.started_at),
    created_at: iso(row.created_at),
    completed_at: isoOrNull(row.ended_at),
  };
}

/** Decodes bytes as UTF-8 if possible (the last character may be truncated), else as base64. */
function readable(bytes: Buffer | null): { text: string | null; encoding: "utf8" | "base64" | null } {
  if (bytes === null) return { text: null, encoding: null };
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: true });
    if (!text.includes("\0")) return { text, encoding: "utf8" };
  } catch {}
  return { text: bytes.toString("base64"), encoding: "base64" };
}
