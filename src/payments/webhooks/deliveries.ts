import { wallTimer } from "../../world/clock.ts";
import { iso, isoOrNull } from "../../world/duration.ts";
import type { Job } from "../../world/scheduler.ts";
import type { PaymentsContext } from "../context.ts";
import { invalidTransition, notFound, PlatformError } from "../errors.ts";
import { listPage, type PageQuery } from "../listing.ts";
import { resolveAliases } from "../patch.ts";
import type { DeliveryRow } from "../rows.ts";
import { type Attempts, TIMEOUT_TIMER } from "./attempts.ts";
import { expandUrl } from "./endpoint-url.ts";
import type { Endpoints } from "./endpoints.ts";
import type { WebhookEvents } from "./events.ts";
import type { Plans } from "./plans.ts";
import { testEventData } from "./test-event.ts";

export interface DeliveryQuery extends PageQuery {
  status?: string;
  event?: string;
  event_type?: string;
}

export type Deliveries = ReturnType<typeof createDeliveries>;

/** The history of deliveries, and those that a person asks for: manual retries and tests. */
export function createDeliveries(
  { world, origin }: PaymentsContext,
  endpoints: Endpoints,
  attempts: Attempts,
  events: WebhookEvents,
  plans: Plans,
) {
  const { store, journal, scheduler } = world;
  const byId = store.sql<DeliveryRow>("select * from webhook_deliveries where id = ?");
  const manualInFlight = store.sql<{ id: string }>(
    "select id from webhook_deliveries where event_id = ? and webhook_id = ? and status = 'pending' and trigger = 'manual'",
  );

  function find(webhookId: string, id: string): DeliveryRow {
    const row = byId.get(id);
    if (!row || row.webhook_id !== webhookId) throw notFound("delivery", id);
    return row;
  }

  const resource = (row: DeliveryRow) =>
    deliveryResource(row, origin(), events.bodyOf(row.event_id, row.webhook_id));

  return {
    resource,

    /**
     * Begins an attempt outside the plan and waits for its result.
     * @throws PlatformError resource_not_found where the world was taken back meanwhile
     */
    async deliverNow(prepare: () => { id: string; start: () => Job }): Promise<DeliveryRow> {
      const { id, start } = store.transaction(prepare);
      const written = await scheduler.run(start);
      const row = byId.get(id);
      if (written && row) return row;
      throw new PlatformError(
        "resource_not_found",
        `The world was taken back to another time while the delivery '${id}' was under way. Send it again.`,
      );
    },

    /**
     * Retries a failed delivery by hand, at once.
     * @throws PlatformError resource_not_found; invalid_status_transition unless it failed, or while one is in flight
     */
    retry(org: string, webhookId: string, deliveryId: string): Promise<DeliveryRow> {
      return this.deliverNow(() => {
        endpoints.find(org, webhookId);
        const row = find(webhookId, deliveryId);
        if (row.trigger === "test")
          throw invalidTransition("A test delivery is not retried; send another test instead.");
        if (row.status !== "failed")
          throw invalidTransition(`Only a failed delivery can be retried; this one is ${row.status}.`);
        const running = manualInFlight.get(row.event_id, webhookId);
        if (running) throw invalidTransition(`A retry of this event is already in flight: ${running.id}.`);
        return attempts.begin(webhookId, {
          eventId: row.event_id,
          event: row.event,
          attempt: row.attempt,
          trigger: "manual",
          retryOf: row.id,
        });
      });
    },

    /** Sends a payment.completed with mock data and the test header. It changes no counter and is never retried. */
    test(org: string, webhookId: string): Promise<DeliveryRow> {
      return this.deliverNow(() => {
        endpoints.find(org, webhookId);
        const event = "payment.completed";
        const eventId = events.write(org, event, testEventData(world));
        return attempts.begin(webhookId, {
          eventId,
          event,
          attempt: 1,
          trigger: "test",
          retryOf: null,
        });
      });
    },

    get: (org: string, webhookId: string, id: string) => {
      endpoints.find(org, webhookId);
      return resource(find(webhookId, id));
    },

    list(org: string, webhookId: string, asked: DeliveryQuery) {
      const query = resolveAliases(asked, { event_type: "event" });
      endpoints.find(org, webhookId);
      const { rows, total } = listPage<DeliveryRow>(
        store,
        "webhook_deliveries",
        [
          ["webhook_id = ?", webhookId],
          query.status === undefined ? undefined : ["status = ?", query.status],
          query.event === undefined ? undefined : ["event = ?", query.event],
        ],
        query,
      );
      return { data: rows.map(resource), total };
    },

    /**
     * Waits until the first attempts of these events were made (or are known to time out), at most `limit`
     * real milliseconds.
     */
    async firstAttempts(eventIds: string[], limit: number): Promise<DeliveryRow[]> {
      const marks = eventIds.map(() => "?").join(", ");
      const pending = store.sql<{ n: number }>(
        `select count(*) as n from webhook_deliveries d where event_id in (${marks}) and status = 'pending'
         and not exists (select 1 from timers where kind = '${TIMEOUT_TIMER}' and key = d.id)`,
      );
      await new Promise<void>((resolve) => {
        const check = () => {
          if (plans.countUnstarted(eventIds) + pending.get(...eventIds)!.n > 0) return;
          cancel();
          unsubscribe();
          resolve();
        };
        const unsubscribe = journal.subscribe((entry) => {
          // A world that was restored has none of the events any more.
          if (/^(?:delivery|world)\./.test(entry.type)) check();
        });
        const cancel = wallTimer(limit, () => {
          unsubscribe();
          resolve();
        });
        check();
      });
      return store
        .sql<DeliveryRow>(
          `select * from webhook_deliveries where event_id in (${marks}) order by started_at, rowid`,
        )
        .all(...eventIds);
    },
  };
}

/** A delivery as the API shows it. */
function deliveryResource(row: DeliveryRow, origin: string, requestBody: string) {
  const body = readable(row.response_body);
  return {
    object: "webhook_delivery" as const,
    id: row.id,
    webhook_id: row.webhook_id,
    event: row.event,
    event_type: row.event,
    event_id: row.event_id,
    status: row.status,
    attempt: row.attempt,
    trigger: row.trigger,
    retry_of: row.retry_of,
    url: expandUrl(row.url, origin),
    response_code: row.response_code,
    status_code: row.response_code,
    error: row.error,
    error_detail: row.error_detail,
    error_message: row.error_detail,
    duration_ms: row.duration_ms,
    next_attempt_at: isoOrNull(row.next_attempt_at),
    request_headers: JSON.parse(row.request_headers) as Record<string, string>,
    request_body: requestBody,
    response_headers:
      row.response_headers === null ? null : (JSON.parse(row.response_headers) as Record<string, string>),
    response_body: body.text,
    response_body_encoding: body.encoding,
    response_size: row.response_size,
    attempted_at: iso(row.started_at),
    created_at: iso(row.created_at),
    completed_at: isoOrNull(row.ended_at),
  };
}

/** Bytes as text where they are UTF-8 (a last character may be cut off), else as base64. */
function readable(bytes: Buffer | null): { text: string | null; encoding: "utf8" | "base64" | null } {
  if (bytes === null) return { text: null, encoding: null };
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: true });
    if (!text.includes("\0")) return { text, encoding: "utf8" };
  } catch {
    // Not UTF-8: shown as base64.
  }
  return { text: bytes.toString("base64"), encoding: "base64" };
}
