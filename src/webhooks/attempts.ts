import type { PaymentsContext } from "../payments/context.ts";
import type { DeliveryRow, DeliveryTrigger, WebhookRow } from "../payments/rows.ts";
import type { EventType } from "../payments/webhooks/event-types.ts";
import { deliveryHeaders } from "../payments/webhooks/payload.ts";
import { sign } from "../payments/webhooks/signature.ts";
import { OWN_HEADERS } from "../runtime/own-requests.ts";
import { iso, isoOrNull } from "../world/duration.ts";
import { inserter } from "../world/save.ts";
import type { Job } from "../world/scheduler.ts";
import type { Timer } from "../world/timers.ts";
import { createDispatcher } from "./dispatcher.ts";
import type { Endpoints } from "./endpoints.ts";
import type { WebhookEvents } from "./events.ts";
import { quoteBody, type SendResult } from "./exchange.ts";
import { failureSentence, notOwnAddress, unanswered } from "./failures.ts";
import { ATTEMPT_TIMER, type AttemptPayload, type Plans } from "./plans.ts";
import { countsNothing, decide } from "./policy.ts";
import {
  type AttemptFault,
  faultAt,
  faultTarget,
  readFault,
  type SubscriberFault,
  simulate,
  writeFault,
} from "./subscriber-faults.ts";
import type { Subscriptions, Target } from "./subscriptions.ts";

/** The life of an attempt, from its timer to its result: one file, however long, as its parts share one state. */

/** The timer at which an unanswered attempt counts as timed out; its key is the delivery's id. */
export const TIMEOUT_TIMER = "webhooks.timeout";
/** The timer that sends an attempt again that a crash or a restore interrupted. */
export const RESUME_TIMER = "webhooks.resume";

/** An attempt to be made. */
export interface NewAttempt {
  eventId: string;
  event: EventType;
  /** 1 to 4; a manual retry and a resend have the number of the attempt that they repeat. */
  attempt: number;
  trigger: DeliveryTrigger;
  /** The delivery that a manual retry or a resend repeats. */
  retryOf: string | null;
}

/** An attempt that was begun and whose result is open. */
interface OpenAttempt extends Omit<NewAttempt, "retryOf"> {
  id: string;
  webhookId: string;
  startedAt: number;
  fault: AttemptFault | null;
}

/** The request an attempt makes. */
interface Composed {
  target: Target;
  headers: Record<string, string>;
  body: string;
}

export type Attempts = ReturnType<typeof createAttempts>;

/** Attempts: begun in a transaction, sent outside any, recorded in another with what follows from the result. */
export function createAttempts(
  { world, settings }: PaymentsContext,
  endpoints: Endpoints,
  events: WebhookEvents,
  subscriptions: Subscriptions,
  plans: Plans,
) {
  const { store, ids, clock, timers, journal, faults, scheduler } = world;
  const options = settings.webhooks;
  const dispatcher = createDispatcher(options.inside);
  const carry = options.courier?.(dispatcher.send) ?? dispatcher.send;
  const makeHeaders = deliveryHeaders(options.headerPrefix);

  const insert = inserter<DeliveryRow>(store, "webhook_deliveries");
  const restart = store.sql(
    "update webhook_deliveries set url = ?, request_headers = ?, started_at = ? where id = ?",
  );
  const endFault = store.sql("update webhook_deliveries set fault = null where id = ?");
  const finish = store.sql(
    `update webhook_deliveries set status = ?, error = ?, error_detail = ?, response_code = ?, response_headers = ?, response_body = ?,
       response_size = ?, duration_ms = ?, consecutive_failures = ?, next_attempt_at = ?, ended_at = ? where id = ?`,
  );
  const pending = store.sql<DeliveryRow>(
    "select * from webhook_deliveries where id = ? and status = 'pending'",
  );
  const interrupted = store.sql<DeliveryRow>(
    "select * from webhook_deliveries where status = 'pending' order by started_at, rowid",
  );
  const firstId = store.sql<{ id: string }>(
    "select id from webhook_deliveries where event_id = ? and webhook_id = ? order by rowid limit 1",
  );
  const endpointState = store.sql<Pick<WebhookRow, "status" | "consecutive_failures" | "deleted_at">>(
    "select status, consecutive_failures, deleted_at from webhooks where id = ?",
  );
  const touch = store.sql("update webhooks set consecutive_failures = ?, last_delivery_at = ? where id = ?");
  const touchOnly = store.sql("update webhooks set last_delivery_at = ? where id = ?");

  /** Endpoints whose held requests are sent after the commit. */
  const toSend = store.memo(() => new Set<string>());
  store.onCommitted(() => {
    for (const webhookId of toSend.get()) sendHeld(webhookId);
    toSend.get().clear();
  });

  /** Requests that are to arrive with the endpoint's next one. */
  const heldRequests = store.untilRestore(() => new Map<string, { id: string; go: () => unknown }[]>());

  scheduler.handle(ATTEMPT_TIMER, fireAttempt);
  scheduler.handle(RESUME_TIMER, fireResume);
  scheduler.handle(TIMEOUT_TIMER, fireTimeout);

  /** A due automatic attempt. Whatever ends its plan cancels its timer, so the plan is active. */
  function fireAttempt({ payload }: Timer): () => Job {
    const { event_id: eventId, webhook_id: webhookId, event, attempt } = payload as unknown as AttemptPayload;
    if (attempt > 1) plans.forgetNext(eventId, webhookId);
    return begin(webhookId, { eventId, event, attempt, trigger: "automatic", retryOf: null }).start;
  }

  /** Writes an attempt down as pending. `start` sends it, once that is committed. */
  function begin(webhookId: string, next: NewAttempt): { id: string; start: () => Job } {
    const { eventId, event, attempt, trigger, retryOf } = next;
    const id = ids.next("del_");
    const startedAt = clock.now();
    const target = subscriptions.target(webhookId);
    const request = compose(target, id, next);
    const fault = takeFault(webhookId);
    const headers = JSON.stringify(request.headers);
    insert({
      id,
      org: target.org,
      webhook_id: webhookId,
      event_id: eventId,
      event,
      status: "pending",
      attempt,
      trigger,
      retry_of: retryOf,
      url: target.url,
      request_headers: headers,
      fault: fault && writeFault(fault),
      started_at: startedAt,
      created_at: startedAt,
    });
    const about = { id, webhook_id: webhookId, event_id: eventId, event };
    if (trigger === "resend") journal.append("delivery.resent", { ...about, resend_of: retryOf });
    journal.append("delivery.started", {
      ...about,
      attempt,
      trigger,
      ...(fault === null ? {} : { fault: fault.name, sent: fault.sent !== "no" }),
    });
    const open = { id, webhookId, eventId, event, attempt, trigger, startedAt, fault };
    return { id, start: () => send(open, request) };
  }

  /** The request of an attempt that begins now: the event's body, signed with the secret of now. */
  function compose(
    target: Target,
    id: string,
    { eventId, event, trigger }: Pick<NewAttempt, "eventId" | "event" | "trigger">,
  ): Composed {
    const body = events.bodyOf(eventId, target.id);
    const shared = options.deliveryId === "event" ? firstId.get(eventId, target.id)?.id : undefined;
    const headers = makeHeaders({
      signature: sign(body, target.secret),
      webhookId: target.id,
      deliveryId: shared ?? id,
      event,
      at: clock.now(),
      test: trigger === "test",
    });
    return { target, headers, body };
  }

  function takeFault(webhookId: string): AttemptFault | null {
    const taken = faults.take(faultTarget(webhookId));
    return taken ? faultAt(taken.spec as SubscriberFault, taken.step) : null;
  }

  function send(open: OpenAttempt, { target, headers, body }: Composed): Job {
    const { fault } = open;
    const end = (answer: SendResult) => {
      const result = fault ? simulate(fault.name) : answer;
      if (result) record(open, result);
      else interrupt(open);
    };
    const endNow = (answer: SendResult): Job => ({
      outcome: Promise.resolve(() => end(answer)),
      hurry: () => undefined,
    });
    if (!target.connects) return endNow(blocked(target));
    if (fault?.sent === "no") return endNow(UNANSWERED);
    const request = {
      lane: open.webhookId,
      origin: target.origin,
      path: target.path,
      headers: { ...headers, ...OWN_HEADERS },
      body,
      onlyTo: target.confined_to ?? undefined,
      timeout: () => scheduler.patience.for(open.webhookId, options.timeout),
    };
    const go = () => carry(request, open);
    if (fault?.sent === "next") {
      const others = heldRequests().get(open.webhookId) ?? [];
      heldRequests().set(open.webhookId, [...others, { id: open.id, go }]);
      return endNow(UNANSWERED);
    }
    sendHeld(open.webhookId);
    const sending = go();
    return {
      outcome: sending.result.then((result) => {
        scheduler.patience.note(open.webhookId, result.error === "timeout");
        return () => end(result);
      }),
      hurry: (ms) => sending.hurry(ms),
    };
  }

  /** Sends the requests of an endpoint that were to overlap with the next one. Their answers count for nothing. */
  function sendHeld(webhookId: string): void {
    const requests = heldRequests().get(webhookId) ?? [];
    heldRequests().delete(webhookId);
    for (const { go } of requests) go();
  }

  /** Does what a killed process leaves to its next start: the attempt is sent again, under the same id. */
  function interrupt(open: OpenAttempt): void {
    endFault.run(open.id);
    timers.set(RESUME_TIMER, open.id, clock.now());
  }

  /** Writes an attempt's result and what follows from it. A time-out is written 30 s of virtual time after its start. */
  function record(open: OpenAttempt, result: SendResult): void {
    const { id, webhookId, eventId, event, attempt, trigger, startedAt } = open;
    const timedOut = result.error === "timeout";
    const detail = describe(result, open.fault, options.timeout);
    const timeoutAt = startedAt + options.timeout;
    if (timedOut && timeoutAt > clock.now()) {
      timers.set(TIMEOUT_TIMER, id, timeoutAt, { response_code: result.responseCode });
      journal.append("delivery.unanswered", {
        id,
        webhook_id: webhookId,
        event_id: eventId,
        event,
        times_out_at: iso(timeoutAt),
      });
      return;
    }

    const endedAt = timedOut ? timeoutAt : clock.now();
    const ok = result.error === null;
    // A success needs no look at the endpoint: it sets the counter to 0, whatever it was.
    const endpoint = ok ? undefined : endpointState.get(webhookId);
    const plan = trigger === "automatic" ? plans.inFlight(open, ok) : plans.find(eventId, webhookId);
    const effects = decide(
      options,
      {
        status: endpoint?.deleted_at != null ? "deleted" : (endpoint?.status ?? "enabled"),
        consecutiveFailures: endpoint?.consecutive_failures ?? 0,
      },
      { trigger, ok, endedAt, plan: { state: plan?.state ?? "delivered", attempts: plan?.attempts ?? 0 } },
    );
    const failures = effects.endpoint.consecutiveFailures;
    const isHeld = heldRequests()
      .get(webhookId)
      ?.some((one) => one.id === id);
    // No retry follows that it could overlap with. Nothing is sent within a transaction.
    if (isHeld && effects.plan !== "active") toSend.get().add(webhookId);
    const quoted = quoteBody(result.responseBody);
    finish.run(
      ok ? "success" : "failed",
      result.error,
      detail,
      result.responseCode,
      result.responseHeaders && JSON.stringify(result.responseHeaders),
      result.responseBody,
      result.responseSize,
      timedOut ? options.timeout : result.durationMs,
      countsNothing(trigger) ? null : failures,
      effects.nextAttemptAt ?? null,
      endedAt,
      id,
    );
    journal.append(ok ? "delivery.succeeded" : "delivery.failed", {
      id,
      webhook_id: webhookId,
      event_id: eventId,
      event,
      attempt,
      trigger,
      started_at: iso(startedAt),
      response_code: result.responseCode,
      ...(quoted === undefined ? {} : { response_body: quoted }),
      ...(ok ? {} : { error: result.error, next_attempt_at: isoOrNull(effects.nextAttemptAt) }),
      ...(countsNothing(trigger) ? {} : { consecutive_failures: failures }),
    });
    if (countsNothing(trigger)) {
      touchOnly.run(endedAt, webhookId);
      return;
    }
    touch.run(failures, endedAt, webhookId);
    if (effects.disable)
      endpoints.disable(endpoints.byId(webhookId)!, "consecutive_failures", failures, detail);
    // A disable skips every pending retry of the endpoint: perhaps this plan's, too.
    const skippedAlready = effects.disable && plan?.next_attempt_at != null;
    if (plan && !skippedAlready) plans.apply(plan, event, effects);
  }

  function fireTimeout({ key, payload }: Timer): undefined {
    const row = pending.get(key);
    if (!row) return;
    const { response_code: responseCode } = payload as { response_code: number | null };
    record(openAttempt(row), { ...UNANSWERED, responseCode });
  }

  function fireResume({ key }: Timer): (() => Job) | undefined {
    const row = pending.get(key);
    if (!row) return undefined;
    const open = { ...openAttempt(row), startedAt: clock.now() };
    const request = compose(subscriptions.target(open.webhookId), open.id, open);
    restart.run(request.target.url, JSON.stringify(request.headers), open.startedAt, open.id);
    journal.append("delivery.resumed", {
      id: open.id,
      webhook_id: open.webhookId,
      event_id: open.eventId,
      attempt: open.attempt,
    });
    return () => send(open, request);
  }

  return {
    begin,

    /** Plans to send again what was under way when the process, or the world it was in, ended. */
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

function openAttempt(row: DeliveryRow): OpenAttempt {
  return {
    id: row.id,
    webhookId: row.webhook_id,
    eventId: row.event_id,
    event: row.event,
    attempt: row.attempt,
    trigger: row.trigger,
    fault: row.fault === null ? null : readFault(row.fault),
    startedAt: row.started_at,
  };
}

const NO_ANSWER = {
  responseCode: null,
  responseHeaders: null,
  responseBody: null,
  responseSize: null,
  durationMs: 0,
};
const UNANSWERED: SendResult = { ...NO_ANSWER, error: "timeout", detail: null };

/** Why an attempt failed, in a sentence; null for one that did not. */
function describe(
  { error, detail, responseCode }: SendResult,
  fault: AttemptFault | null,
  timeout: number,
): string | null {
  if (error === null || error === "blocked_by_network_policy") return detail;
  const what = error === "timeout" ? unanswered(responseCode, timeout) : detail!;
  const simulated = fault !== null && !fault.name.startsWith("status:");
  return failureSentence(error, what) + (simulated ? " (simulated)" : "");
}

function blocked({ url, confined_to: address }: Target): SendResult {
  const { host } = new URL(url);
  const detail =
    address === null
      ? `${host} is not on this machine, and the sandbox sends nothing anywhere else. Allow the host in webhooks.allowHttpHosts, or all with webhooks.allowExternal.`
      : notOwnAddress(host);
  return { ...NO_ANSWER, error: "blocked_by_network_policy", detail };
}
