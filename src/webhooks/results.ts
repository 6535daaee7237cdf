import { stateOf } from "../timeline/endpoint-state.ts";
import { iso, isoOrNull } from "../world/duration.ts";
import type { World } from "../world/world.ts";
import type { CourierAttempt } from "./courier.ts";
import type { Endpoints } from "./endpoints.ts";
import { NO_ANSWER, quoteBody, type SendResult } from "./exchange.ts";
import { failureSentence, unanswered } from "./failures.ts";
import type { HeldRequests } from "./held-requests.ts";
import type { Plans } from "./plans.ts";
import { countsNothing, decide, type Effects } from "./policy.ts";
import type { AttemptFault } from "./subscriber-faults.ts";
import type { Subscriptions } from "./subscriptions.ts";

/** The timer at which an unanswered attempt counts as timed out; its key is the delivery's id. */
export const TIMEOUT_TIMER = "webhooks.timeout";

/** An attempt that was begun and whose result is open. */
export interface OpenAttempt extends CourierAttempt {
  startedAt: number;
  fault: AttemptFault | null;
}

/** How an attempt ended. */
interface Outcome {
  result: SendResult;
  /** Why it failed, in a sentence; null for a success. */
  detail: string | null;
  /** Virtual milliseconds. */
  endedAt: number;
  durationMs: number;
  effects: Effects;
}

/** Writes what attempts found, and what follows for their plan and their endpoint. */
export function createResults(
  { store, clock, timers, journal, random }: World,
  endpoints: Endpoints,
  subscriptions: Subscriptions,
  plans: Plans,
  held: HeldRequests,
) {
  const finish = store.sql(
    `update webhook_deliveries set status = ?, error = ?, error_detail = ?, response_code = ?, response_headers = ?, response_body = ?,
       response_size = ?, duration_ms = ?, consecutive_failures = ?, next_attempt_at = ?, ended_at = ? where id = ?`,
  );
  const touch = store.sql(
    "update webhooks set consecutive_failures = ?, first_failed_at = ?, last_delivery_at = ? where id = ?",
  );

  /** Lets an attempt without an answer wait until it times out on virtual time. */
  function awaitTimeout(
    { id, webhookId, eventId, event }: OpenAttempt,
    at: number,
    code: number | null,
  ): void {
    timers.set(TIMEOUT_TIMER, id, at, { response_code: code });
    const about = { id, webhook_id: webhookId, event_id: eventId, event };
    journal.append("delivery.unanswered", { ...about, times_out_at: iso(at) });
  }

  function writeDelivery({ id, trigger }: OpenAttempt, outcome: Outcome): void {
    const { result, detail, endedAt, durationMs, effects } = outcome;
    finish.run(
      result.error === null ? "success" : "failed",
      result.error,
      detail,
      result.responseCode,
      result.responseHeaders && JSON.stringify(result.responseHeaders),
      result.responseBody,
      result.responseSize,
      durationMs,
      countsNothing(trigger) ? null : effects.endpoint.consecutiveFailures,
      effects.nextAttemptAt ?? null,
      endedAt,
      id,
    );
  }

  function writeJournal(open: OpenAttempt, { result, effects }: Outcome): void {
    const { id, webhookId, eventId, event, attempt, trigger, startedAt } = open;
    const ok = result.error === null;
    const quoted = quoteBody(result.responseBody);
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
      ...(countsNothing(trigger) ? {} : { consecutive_failures: effects.endpoint.consecutiveFailures }),
    });
  }

  return {
    /** Writes an attempt's result. A time-out is written when the subscriber's time is over on the virtual clock. */
    record(open: OpenAttempt, result: SendResult): void {
      const { id, webhookId, eventId, event, trigger, startedAt, fault } = open;
      const { policy } = subscriptions.target(webhookId).sender;
      const timedOut = result.error === "timeout";
      const timeoutAt = startedAt + policy.timeout;
      if (timedOut && timeoutAt > clock.now()) {
        awaitTimeout(open, timeoutAt, result.responseCode);
        return;
      }

      const endedAt = timedOut ? timeoutAt : clock.now();
      const endpoint = endpoints.byId(webhookId)!;
      const plan = trigger === "automatic" ? plans.inFlight(open) : plans.find(eventId, webhookId);
      const effects = decide(policy, stateOf(endpoint), {
        trigger,
        ok: result.error === null,
        gone: policy.gone !== undefined && result.responseCode === policy.gone,
        endedAt,
        plan: { state: plan?.state ?? "delivered", attempts: plan?.attempts ?? 0 },
      });
      if (policy.jitter && effects.nextAttemptAt) {
        const share = policy.jitter * (2 * random.fraction("webhook_jitter") - 1);
        effects.nextAttemptAt += Math.round((effects.nextAttemptAt - endedAt) * share);
      }
      const detail = describe(result, fault, policy.timeout);
      const durationMs = timedOut ? policy.timeout : result.durationMs;
      const outcome = { result, detail, endedAt, durationMs, effects };
      writeDelivery(open, outcome);
      writeJournal(open, outcome);
      const { consecutiveFailures: failures, firstFailedAt } = effects.endpoint;
      touch.run(failures, firstFailedAt, endedAt, webhookId);
      // No retry follows that its request could overlap with.
      if (effects.plan !== "active") held.release(webhookId, id);
      if (countsNothing(trigger)) return;
      if (effects.disable)
        endpoints.disable(
          { ...endpoint, consecutive_failures: failures, first_failed_at: firstFailedAt },
          effects.disableReason!,
          detail,
        );
      // A disable skips every pending retry of the endpoint: perhaps this plan's, too.
      const skippedAlready = effects.disable && plan?.next_attempt_at != null;
      if (plan && !skippedAlready) plans.apply(plan, event, effects);
    },
  };
}

/** The result of an attempt without any answer. */
export const UNANSWERED: SendResult = { ...NO_ANSWER, error: "timeout" };

/** Why an attempt failed, in a sentence; null for a success. */
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
