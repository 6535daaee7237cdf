import { wallTimer } from "../world/clock.ts";
import { iso, isoOrNull } from "../world/duration.ts";
import type { Job } from "../world/scheduler.ts";
import type { Attempts } from "./attempts.ts";
import type { EngineContext } from "./context.ts";
import { expandUrl } from "./endpoint-url.ts";
import type { Endpoints } from "./endpoints.ts";
import { invalidTransition, notFound, Refusal } from "./errors.ts";
import type { WebhookEvents } from "./events.ts";
import { TIMEOUT_TIMER } from "./results.ts";
import type { DeliveryRow } from "./rows.ts";
import type { Subscriptions } from "./subscriptions.ts";
import { repeated } from "./timeline.ts";

/** An attempt that is recorded as pending, and a function that sends it. */
export interface BegunAttempt {
  id: string;
  start: () => Job;
}

/** Journal entries after which a first attempt is no longer awaited. */
const SETTLES = /^(?:delivery\.(?:succeeded|failed|unanswered)|retry\.skipped)$/;

type DeliveryParts = {
  endpoints: Endpoints;
  attempts: Attempts;
  events: WebhookEvents;
  subscriptions: Subscriptions;
};

export type Deliveries = ReturnType<typeof createDeliveries>;

/** The deliveries of a world, and those that a person requests: manual retries, resends and tests. */
export function createDeliveries(
  { world, origin }: EngineContext,
  { endpoints, attempts, events, subscriptions }: DeliveryParts,
) {
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

  /** Begins another attempt with the event of a delivery. */
  function repeat(row: DeliveryRow, trigger: "manual" | "resend"): BegunAttempt {
    const { id: retryOf, event_id: eventId, event, attempt } = row;
    return attempts.begin(row.webhook_id, { eventId, event, attempt, trigger, retryOf });
  }

  const resource = (row: DeliveryRow) =>
    deliveryResource(row, origin(), events.bodyOf(row.event_id, row.webhook_id));

  /**
   * Begins attempts outside their plans, at the same time, and waits for their results.
   * @throws Refusal resource_not_found if the world was replaced meanwhile
   */
  async function deliverAll(prepare: () => BegunAttempt[]): Promise<DeliveryRow[]> {
    const begun = store.transaction(prepare);
    const written = await scheduler.run(begun.map(({ start }) => start));
    const rows = begun.flatMap(({ id }) => byId.get(id) ?? []);
    if (written && rows.length === begun.length) return rows;
    throw new Refusal(
      "resource_not_found",
      `The world was taken back to another time while the delivery '${begun[0]!.id}' was under way. Send it again.`,
    );
  }

  /** Like `deliverAll`, with one attempt. */
  const deliverNow = async (prepare: () => BegunAttempt): Promise<DeliveryRow> =>
    (await deliverAll(() => [prepare()]))[0]!;

  return {
    resource,
    firstAttempts: createFirstAttempts(world),

    byId: (id: string): DeliveryRow | undefined => byId.get(id),

    /**
     * Retries a failed delivery by hand, at once.
     * @throws Refusal resource_not_found; invalid_status_transition unless it failed, or while one is in flight
     */
    retry(org: string, webhookId: string, deliveryId: string): Promise<DeliveryRow> {
      return deliverNow(() => {
        endpoints.find(org, webhookId);
        const row = find(webhookId, deliveryId);
        if (row.trigger === "test")
          throw invalidTransition("A test delivery is not retried; send another test instead.");
        if (row.trigger === "resend")
          throw invalidTransition("A resend is not retried; resend the event once more instead.");
        if (row.status !== "failed")
          throw invalidTransition(`Only a failed delivery can be retried; this one is ${row.status}.`);
        const running = manualInFlight.get(row.event_id, webhookId);
        if (running) throw invalidTransition(`A retry of this event is already in flight: ${running.id}.`);
        return repeat(row, "manual");
      });
    },

    /**
     * Retries the failed deliveries since an instant whose event did not arrive later: one attempt for each event and endpoint,
     * oldest first. Events that are already being sent again are skipped.
     * @param webhookId only those to this endpoint
     */
    retryFailed: (since: number, webhookId: string | null): Promise<DeliveryRow[]> =>
      deliverAll(() => failedSince.all(since, webhookId, webhookId).map((row) => repeat(row, "manual"))),

    /** The first successful delivery of an event to each endpoint that received it. @param webhookId only to this endpoint */
    deliveredTo: (eventId: string, webhookId: string | null): DeliveryRow[] =>
      deliveredTo.all(eventId, webhookId, webhookId),

    /** Sends these deliveries once more, as new deliveries that change no counter and are not retried. */
    resend: (rows: readonly DeliveryRow[]): Promise<DeliveryRow[]> =>
      deliverAll(() => rows.map((row) => repeat(row, "resend"))),

    /** Sends the sender's test event. It changes no counter and is never retried. */
    test(org: string, webhookId: string): Promise<DeliveryRow> {
      return deliverNow(() => {
        endpoints.find(org, webhookId);
        const { type: event, data } = subscriptions.target(webhookId).sender.makeTest(world);
        const eventId = events.write(org, event, data);
        return attempts.begin(webhookId, { eventId, event, attempt: 1, trigger: "test", retryOf: null });
      });
    },

    get: (org: string, webhookId: string, id: string) => {
      endpoints.find(org, webhookId);
      return resource(find(webhookId, id));
    },
  };
}

/**
 * Waits until the first attempts of these events have their results, or are known to time out. While the clock runs, at
 * most `limit` real milliseconds; otherwise each request has its own limit, and all are recorded together.
 */
function createFirstAttempts({ store, journal, scheduler }: EngineContext["world"]) {
  /** First attempts that are due, or are neither answered nor known to time out. An event that waits its turn has none. */
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

  return async (eventIds: string[], limit: number): Promise<DeliveryRow[]> => {
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
        // A restored world has none of the events any more.
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

/** A delivery in the API's form. */
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
    ...repeated(row),
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

/** Bytes as text if they are UTF-8 (a last character may be cut off), else as base64. */
function readable(bytes: Buffer | null): { text: string | null; encoding: "utf8" | "base64" | null } {
  if (bytes === null) return { text: null, encoding: null };
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: true });
    if (!text.includes("\0")) return { text, encoding: "utf8" };
  } catch {
    // Other bytes are shown as base64.
  }
  return { text: bytes.toString("base64"), encoding: "base64" };
}
