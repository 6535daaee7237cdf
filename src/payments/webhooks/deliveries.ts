import { wallTimer } from "../../world/clock.ts";
import { iso, isoOrNull } from "../../world/duration.ts";
import type { Job } from "../../world/scheduler.ts";
import type { Timer } from "../../world/timers.ts";
import type { PaymentsContext } from "../context.ts";
import { invalidTransition, notFound } from "../errors.ts";
import { listPage, type PageQuery } from "../listing.ts";
import type { DeliveryRow, DeliveryTrigger, PlanRow, WebhookRow } from "../rows.ts";
import { createDispatcher, type SendResult } from "./dispatcher.ts";
import { expandUrl, mayConnect } from "./endpoint-url.ts";
import type { Endpoints } from "./endpoints.ts";
import { ATTEMPT_TIMER, planKey } from "./events.ts";
import { deliveryBody, deliveryHeaders } from "./payload.ts";
import { decide } from "./policy.ts";
import { sign } from "./signature.ts";
import { faultName, faultTarget, type SubscriberFault, simulate } from "./subscriber-faults.ts";
import { testEventData } from "./test-event.ts";

/** The timer at which an unanswered attempt counts as timed out; its key is the delivery's id. */
export const TIMEOUT_TIMER = "webhooks.timeout";
/** The timer that sends an attempt again that a crash or a restore interrupted. */
export const RESUME_TIMER = "webhooks.resume";

export type Deliveries = ReturnType<typeof createDeliveries>;

interface NewAttempt {
  eventId: string;
  event: string;
  body: string;
  attempt: number;
  trigger: DeliveryTrigger;
  retryOf: string | null;
}

/** Attempts: begun in a transaction, sent outside any, recorded in another with what follows from the result. */
export function createDeliveries({ world, settings, origin }: PaymentsContext, endpoints: Endpoints) {
  const { store, ids, clock, timers, journal, faults, scheduler } = world;
  const options = settings.webhooks;
  const dispatcher = createDispatcher();

  const byId = store.sql<DeliveryRow>("select * from webhook_deliveries where id = ?");
  const insert = store.sql(
    `insert into webhook_deliveries (id, org, webhook_id, event_id, event, status, attempt, trigger, retry_of, url, request_headers, request_body, fault, started_at, created_at)
     values (?, ?, ?, ?, ?, 'pending', ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const resend = store.sql(
    "update webhook_deliveries set url = ?, request_headers = ?, started_at = ? where id = ?",
  );
  const finish = store.sql(
    `update webhook_deliveries set status = ?, error = ?, error_detail = ?, response_code = ?, response_headers = ?, response_body = ?,
       response_size = ?, duration_ms = ?, next_attempt_at = ?, ended_at = ? where id = ?`,
  );
  const plan = store.sql<PlanRow>("select * from webhook_plans where event_id = ? and webhook_id = ?");
  const beginPlan = store.sql(
    "update webhook_plans set attempts = attempts + 1, next_attempt_at = null, updated_at = ? where event_id = ? and webhook_id = ?",
  );
  const setPlan = store.sql(
    "update webhook_plans set state = ?, reason = ?, next_attempt_at = ?, updated_at = ? where event_id = ? and webhook_id = ?",
  );
  const clearNext = store.sql(
    "update webhook_deliveries set next_attempt_at = null where event_id = ? and webhook_id = ? and next_attempt_at is not null",
  );
  const touch = store.sql(
    "update webhooks set consecutive_failures = ?, last_delivery_at = ?, updated_at = updated_at where id = ?",
  );
  const touchTest = store.sql("update webhooks set last_delivery_at = ? where id = ?");
  const interrupted = store.sql<DeliveryRow>(
    "select * from webhook_deliveries where status = 'pending' order by started_at, rowid",
  );
  const manualInFlight = store.sql<{ id: string }>(
    "select id from webhook_deliveries where event_id = ? and webhook_id = ? and status = 'pending' and trigger = 'manual'",
  );
  const firstId = store.sql<{ id: string }>(
    "select id from webhook_deliveries where event_id = ? and webhook_id = ? order by rowid limit 1",
  );

  scheduler.handle(ATTEMPT_TIMER, fireAttempt);
  scheduler.handle(RESUME_TIMER, fireResume);
  scheduler.handle(TIMEOUT_TIMER, fireTimeout);

  /** Due automatic attempt: begins it, unless its plan or endpoint came to an end meanwhile. */
  function fireAttempt(timer: Timer): (() => Job) | undefined {
    const { event_id: eventId, webhook_id: webhookId } = timer.payload as {
      event_id: string;
      webhook_id: string;
    };
    const row = endpoints.byId(webhookId)!;
    const current = plan.get(eventId, webhookId)!;
    if (current.state !== "active") return undefined;
    beginPlan.run(clock.now(), eventId, webhookId);
    clearNext.run(eventId, webhookId);
    const event = (JSON.parse(current.body) as { event: string }).event;
    const attempt = current.attempts + 1;
    return begin(row, { eventId, event, body: current.body, attempt, trigger: "automatic", retryOf: null })
      .start;
  }

  function begin(webhook: WebhookRow, next: NewAttempt): { id: string; start: () => Job } {
    const id = ids.next("del_");
    const now = clock.now();
    const taken = faults.take(faultTarget(webhook.id));
    const spec = taken?.spec as SubscriberFault | undefined;
    const fault = spec && taken ? faultName(spec, taken.step) + (spec.passThrough ? "+pass" : "") : null;
    const url = expandUrl(webhook.url, origin());
    const headers = headersFor(webhook, id, next.eventId, next.event, next.body, next.trigger === "test");
    insert.run(
      id,
      webhook.org,
      webhook.id,
      next.eventId,
      next.event,
      next.attempt,
      next.trigger,
      next.retryOf,
      url,
      JSON.stringify(headers),
      next.body,
      fault,
      now,
      now,
    );
    journal.append("delivery.started", {
      id,
      webhook_id: webhook.id,
      event_id: next.eventId,
      event: next.event,
      attempt: next.attempt,
      trigger: next.trigger,
    });
    return { id, start: () => send({ id, webhookId: webhook.id, url, headers, body: next.body, fault }) };
  }

  function headersFor(
    webhook: WebhookRow,
    id: string,
    eventId: string,
    event: string,
    body: string,
    test: boolean,
  ) {
    const shared = options.deliveryId === "event" ? firstId.get(eventId, webhook.id)?.id : undefined;
    return deliveryHeaders({
      prefix: options.headerPrefix,
      signature: sign(body, webhook.secret),
      webhookId: webhook.id,
      deliveryId: shared ?? id,
      event,
      at: clock.now(),
      test,
    });
  }

  function send(request: {
    id: string;
    webhookId: string;
    url: string;
    headers: Record<string, string>;
    body: string;
    fault: string | null;
  }): Job {
    const { id, url, headers, body } = request;
    const [faultKind, pass] = request.fault?.split("+") ?? [];
    const settled = (result: SendResult) => () => record(id, result);
    if (!mayConnect(url, options) && (faultKind === undefined || pass)) {
      return atOnce(settled(faultKind === undefined ? blocked(url) : simulate(faultKind)));
    }
    if (faultKind !== undefined && !pass) return atOnce(settled(simulate(faultKind)));
    const sending = dispatcher.send({
      lane: request.webhookId,
      url,
      headers: { ...headers, "User-Agent": "Sandglass/1" },
      body,
      timeout: () => scheduler.patience(options.timeout),
    });
    return {
      outcome: sending.result.then((result) =>
        settled(faultKind === undefined ? result : simulate(faultKind)),
      ),
      hurry: sending.hurry,
    };
  }

  /** Writes an attempt's result and what follows from it. A time-out is written 30 s of virtual time after its start. */
  function record(id: string, result: SendResult): void {
    const row = byId.get(id);
    if (row?.status !== "pending") return;
    const now = clock.now();
    const timedOut = result.error === "timeout";
    const timeoutAt = row.started_at + options.timeout;
    if (timedOut && timeoutAt > now) {
      const { responseCode, detail } = result;
      timers.set(TIMEOUT_TIMER, id, timeoutAt, { response_code: responseCode, detail });
      journal.append("delivery.unanswered", {
        id,
        webhook_id: row.webhook_id,
        event_id: row.event_id,
        times_out_at: iso(timeoutAt),
      });
      return;
    }
    const endedAt = timedOut ? timeoutAt : now;
    const webhook = endpoints.byId(row.webhook_id)!;
    const current = plan.get(row.event_id, row.webhook_id);
    const ok = result.error === null;
    const effects = decide(
      options,
      {
        status: webhook.deleted_at === null ? webhook.status : "deleted",
        consecutiveFailures: webhook.consecutive_failures,
      },
      {
        trigger: row.trigger,
        ok,
        endedAt,
        plan: { state: current?.state ?? "delivered", attempts: current?.attempts ?? 0 },
      },
    );

    finish.run(
      ok ? "success" : "failed",
      result.error,
      result.detail,
      result.responseCode,
      result.responseHeaders && JSON.stringify(result.responseHeaders),
      result.responseBody,
      result.responseSize,
      timedOut ? options.timeout : result.durationMs,
      effects.nextAttemptAt ?? null,
      endedAt,
      id,
    );
    journal.append(ok ? "delivery.succeeded" : "delivery.failed", {
      id,
      webhook_id: row.webhook_id,
      event_id: row.event_id,
      event: row.event,
      attempt: row.attempt,
      trigger: row.trigger,
      started_at: iso(row.started_at),
      response_code: result.responseCode,
      ...(ok ? {} : { error: result.error, next_attempt_at: isoOrNull(effects.nextAttemptAt) }),
      ...(row.trigger === "test" ? {} : { consecutive_failures: effects.endpoint.consecutiveFailures }),
    });
    if (row.trigger === "test") return void touchTest.run(endedAt, webhook.id);

    touch.run(effects.endpoint.consecutiveFailures, endedAt, webhook.id);
    if (effects.disable)
      endpoints.disable(webhook, "consecutive_failures", effects.endpoint.consecutiveFailures, result.detail);
    if (current) applyToPlan(current, effects);
  }

  function applyToPlan(current: PlanRow, effects: ReturnType<typeof decide>): void {
    const { event_id: eventId, webhook_id: webhookId } = current;
    const waitsAnyway = effects.nextAttemptAt === undefined;
    const nextAt = waitsAnyway ? current.next_attempt_at : (effects.nextAttemptAt ?? null);
    if (effects.plan === "skipped" && current.state === "active") {
      endpoints.skip(current, effects.planReason!);
      return;
    }
    setPlan.run(
      effects.plan,
      effects.plan === "skipped" ? current.reason : null,
      nextAt,
      clock.now(),
      eventId,
      webhookId,
    );
    if (effects.plan === "active") {
      if (!waitsAnyway)
        timers.set(ATTEMPT_TIMER, planKey(eventId, webhookId), nextAt!, {
          event_id: eventId,
          webhook_id: webhookId,
        });
      return;
    }
    if (effects.plan === "exhausted" && current.state === "active") {
      journal.append("delivery.exhausted", {
        webhook_id: webhookId,
        event_id: eventId,
        attempts: current.attempts,
      });
    }
    if (timers.cancel(ATTEMPT_TIMER, planKey(eventId, webhookId))) {
      clearNext.run(eventId, webhookId);
      journal.append("retry.cancelled", {
        webhook_id: webhookId,
        event_id: eventId,
        attempt: current.attempts + 1,
        due_at: isoOrNull(current.next_attempt_at),
        reason: "delivered",
      });
    }
  }

  function fireTimeout(timer: Timer): undefined {
    const { response_code: responseCode, detail } = timer.payload as {
      response_code: number | null;
      detail: string;
    };
    record(timer.key, {
      error: "timeout",
      detail,
      responseCode,
      responseHeaders: null,
      responseBody: null,
      responseSize: null,
      durationMs: options.timeout,
    });
    return undefined;
  }

  function fireResume(timer: Timer): (() => Job) | undefined {
    const row = byId.get(timer.key)!;
    const webhook = endpoints.byId(row.webhook_id)!;
    const url = expandUrl(webhook.url, origin());
    const headers = headersFor(
      webhook,
      row.id,
      row.event_id,
      row.event,
      row.request_body,
      row.trigger === "test",
    );
    resend.run(url, JSON.stringify(headers), clock.now(), row.id);
    journal.append("delivery.resumed", {
      id: row.id,
      webhook_id: webhook.id,
      event_id: row.event_id,
      attempt: row.attempt,
    });
    return () =>
      send({ id: row.id, webhookId: webhook.id, url, headers, body: row.request_body, fault: row.fault });
  }

  function find(webhookId: string, id: string): DeliveryRow {
    const row = byId.get(id);
    if (!row || row.webhook_id !== webhookId) throw notFound("delivery", id);
    return row;
  }

  return {
    /** Begins an attempt outside the plan and waits for its result. */
    async deliverNow(prepare: () => { id: string; start: () => Job }): Promise<DeliveryRow> {
      const { id, start } = store.transaction(prepare);
      await scheduler.run(start);
      return byId.get(id)!;
    },

    /**
     * Retries a failed delivery by hand, at once. Contract: interface.md, "States and transitions".
     * @throws PlatformError resource_not_found; invalid_status_transition unless it failed, or while one is in flight
     */
    retry(org: string, webhookId: string, deliveryId: string): Promise<DeliveryRow> {
      return this.deliverNow(() => {
        const webhook = endpoints.find(org, webhookId);
        const row = find(webhookId, deliveryId);
        if (row.trigger === "test")
          throw invalidTransition("A test delivery is not retried; send another test instead.");
        if (row.status !== "failed")
          throw invalidTransition(`Only a failed delivery can be retried; this one is ${row.status}.`);
        const running = manualInFlight.get(row.event_id, webhookId);
        if (running) throw invalidTransition(`A retry of this event is already in flight: ${running.id}.`);
        return begin(webhook, {
          eventId: row.event_id,
          event: row.event,
          body: row.request_body,
          attempt: row.attempt,
          trigger: "manual",
          retryOf: row.id,
        });
      });
    },

    /** Sends a payment.completed with mock data and the test header. It changes no counter and is never retried. */
    test(org: string, webhookId: string): Promise<DeliveryRow> {
      return this.deliverNow(() => {
        const webhook = endpoints.find(org, webhookId);
        const event = "payment.completed";
        const body = deliveryBody({ type: event, webhookId, at: clock.now(), data: testEventData(world) });
        return begin(webhook, {
          eventId: ids.next("evt_"),
          event,
          body,
          attempt: 1,
          trigger: "test",
          retryOf: null,
        });
      });
    },

    get: (org: string, webhookId: string, id: string) => {
      endpoints.find(org, webhookId);
      return deliveryResource(find(webhookId, id));
    },

    list(org: string, webhookId: string, query: PageQuery & { status?: string; event?: string }) {
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
      return { data: rows.map(deliveryResource), total };
    },

    /**
     * Waits until the first attempts of these events were made (or are known to time out), at most `limit`
     * real milliseconds.
     */
    async firstAttempts(eventIds: string[], limit: number): Promise<DeliveryRow[]> {
      const marks = eventIds.map(() => "?").join(", ");
      const open = store.sql<{ n: number }>(
        `select (select count(*) from webhook_plans where event_id in (${marks}) and state = 'active' and attempts = 0)
           + (select count(*) from webhook_deliveries d where event_id in (${marks}) and status = 'pending'
              and not exists (select 1 from timers where kind = '${TIMEOUT_TIMER}' and key = d.id)) as n`,
      );
      await new Promise<void>((resolve) => {
        const check = () => {
          if (open.get(...eventIds, ...eventIds)!.n > 0) return;
          cancel();
          unsubscribe();
          resolve();
        };
        const unsubscribe = journal.subscribe((entry) => {
          if (entry.type.startsWith("delivery.")) check();
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

    /** Plans to send again what was under way when the process or the world it was in ended. */
    recover(): void {
      store.transaction(() => {
        for (const row of interrupted.all()) {
          if (!timers.get(TIMEOUT_TIMER, row.id)) timers.set(RESUME_TIMER, row.id, row.started_at);
        }
      });
    },

    close: dispatcher.close,
  };
}

function atOnce(commit: () => void): Job {
  return { outcome: Promise.resolve(commit), hurry: () => undefined };
}

function blocked(url: string): SendResult {
  return {
    error: "blocked_by_network_policy",
    detail: `${new URL(url).host} is not on this machine, and the sandbox sends nothing anywhere else. Allow the host in webhooks.allowHttpHosts, or all with webhooks.allowExternal.`,
    responseCode: null,
    responseHeaders: null,
    responseBody: null,
    responseSize: null,
    durationMs: 0,
  };
}

/** A delivery as the API shows it. Contract: interface.md, "Webhook delivery record". */
export function deliveryResource(row: DeliveryRow) {
  const body = readable(row.response_body);
  return {
    object: "webhook_delivery" as const,
    id: row.id,
    webhook_id: row.webhook_id,
    event: row.event,
    event_id: row.event_id,
    status: row.status,
    attempt: row.attempt,
    trigger: row.trigger,
    retry_of: row.retry_of,
    url: row.url,
    response_code: row.response_code,
    error: row.error,
    error_detail: row.error_detail,
    duration_ms: row.duration_ms,
    next_attempt_at: isoOrNull(row.next_attempt_at),
    request_headers: JSON.parse(row.request_headers) as Record<string, string>,
    request_body: row.request_body,
    response_headers:
      row.response_headers === null ? null : (JSON.parse(row.response_headers) as Record<string, string>),
    response_body: body.text,
    response_body_encoding: body.encoding,
    response_size: row.response_size,
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
