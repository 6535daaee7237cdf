import { stateOf } from "../timeline/endpoint-state.ts";
import { iso, isoOrNull } from "../world/duration.ts";
import type { SqlValue } from "../world/store.ts";
import type { World } from "../world/world.ts";
import type { Endpoints } from "./endpoints.ts";
import { NO_ANSWER, quoteBody, type SendResult } from "./exchange.ts";
import { failureSentence, unanswered } from "./failures.ts";
import type { HeldRequests } from "./held-requests.ts";
import type { Plans } from "./plans.ts";
import { countsNothing, decide, type Effects, type SenderPolicy } from "./policy.ts";
import type { DeliveryRow } from "./rows.ts";
import type { AttemptFault } from "./subscriber-faults.ts";
import type { Subscriptions } from "./subscriptions.ts";

/** The timer that times out an unanswered attempt; its key is the delivery's id. */
export const TIMEOUT_TIMER = "webhooks.timeout";

/** An attempt that has started but has no result yet. */
export interface OpenAttempt extends Pick<DeliveryRow, Begun> {
  fault: AttemptFault | null;
}
type Begun = "id" | "webhook_id" | "event_id" | "event" | "attempt" | "trigger" | "started_at";

const ANSWER_COLUMNS =
  "status = ?, error = ?, error_detail = ?, response_code = ?, response_headers = ?, response_body = ?, response_size = ?, duration_ms = ?";

/** Records the results of attempts, and their consequences for the plan and the endpoint. */
export interface Results {
  /** Shows an attempt's response while its consequences wait for the other attempts at the same instant. */
  show(open: OpenAttempt, result: SendResult): void;
  /** Records an attempt's result. A timeout is recorded when the subscriber's time is up on the virtual clock. */
  record(open: OpenAttempt, result: SendResult): void;
  /** Records the consequences of a response that was shown before the process or its world ended. */
  recordShown(open: OpenAttempt, row: DeliveryRow): void;
}

interface Parts {
  endpoints: Endpoints;
  subscriptions: Subscriptions;
  plans: Plans;
  held: HeldRequests;
}

export function createResults(
  { store, clock, timers, journal, random }: World,
  { endpoints, subscriptions, plans, held }: Parts,
): Results {
  const writeAnswer = store.sql(`update webhook_deliveries set ${ANSWER_COLUMNS} where id = ?`);
  const finish = store.sql(
    `update webhook_deliveries set ${ANSWER_COLUMNS}, consecutive_failures = ?, next_attempt_at = ?, ended_at = ? where id = ?`,
  );
  const touch = store.sql(
    "update webhooks set consecutive_failures = ?, first_failed_at = ?, last_delivery_at = ? where id = ?",
  );

  /** Leaves an unanswered attempt open until it times out on the virtual clock. */
  function awaitTimeout(
    { id, webhook_id, event_id, event }: OpenAttempt,
    at: number,
    code: number | null,
  ): void {
    timers.set(TIMEOUT_TIMER, id, at, { response_code: code });
    journal.append("delivery.unanswered", { id, webhook_id, event_id, event, times_out_at: iso(at) });
  }

  const policyOf = ({ webhook_id: id }: OpenAttempt): SenderPolicy => subscriptions.target(id).sender.policy;

  const toStore = (open: OpenAttempt, result: SendResult): SendResult => ({
    ...result,
    detail: describe(result, open.fault, policyOf(open).timeout),
  });

  function finishAttempt(open: OpenAttempt, result: SendResult, endedAt: number): void {
    const { id, webhook_id: webhookId, event, trigger } = open;
    const policy = policyOf(open);
    const endpoint = endpoints.byId(webhookId)!;
    const plan = trigger === "automatic" ? plans.inFlight(open) : plans.find(open);
    const isRetried = !policy.unretried?.includes(event);
    const effects = decide(isRetried ? policy : { ...policy, retryDelays: [] }, stateOf(endpoint), {
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
    const { consecutiveFailures: failures, firstFailedAt } = effects.endpoint;
    finish.run(
      ...columnsOf(result),
      countsNothing(trigger) ? null : failures,
      effects.nextAttemptAt ?? null,
      endedAt,
      id,
    );
    const data = describeResult(open, result, effects);
    journal.append(result.error === null ? "delivery.succeeded" : "delivery.failed", data);
    touch.run(failures, firstFailedAt, endedAt, webhookId);
    // No retry follows, so no request overlaps with the held one.
    if (effects.plan !== "active") held.release(webhookId, id);
    if (countsNothing(trigger)) return;
    if (effects.disable)
      endpoints.turn(
        { ...endpoint, consecutive_failures: failures, first_failed_at: firstFailedAt },
        "disabled",
        effects.disableReason!,
        result.detail,
      );
    // Disabling an endpoint skips all its pending retries, possibly including this plan's.
    const skippedAlready = effects.disable && plan?.next_attempt_at != null;
    if (plan && !skippedAlready) plans.apply(plan, event, effects);
  }

  return {
    show(open, result) {
      if (result.error !== "timeout") writeAnswer.run(...columnsOf(toStore(open, result)), open.id);
    },

    record(open, result) {
      const { timeout } = policyOf(open);
      const timeoutAt = open.started_at + timeout;
      const stored = toStore(open, result);
      if (result.error !== "timeout") finishAttempt(open, stored, clock.now());
      else if (timeoutAt > clock.now()) awaitTimeout(open, timeoutAt, result.responseCode);
      else finishAttempt(open, { ...stored, durationMs: timeout }, timeoutAt);
    },

    recordShown: (open, row) => finishAttempt(open, resultOf(row), clock.now()),
  };
}

/** The data of a result's journal entry. */
function describeResult(
  { id, webhook_id, event_id, event, attempt, trigger, started_at }: OpenAttempt,
  { error, responseCode, responseBody }: SendResult,
  { endpoint, nextAttemptAt }: Effects,
) {
  const quoted = quoteBody(responseBody);
  return {
    ...{ id, webhook_id, event_id, event, attempt, trigger },
    started_at: iso(started_at),
    response_code: responseCode,
    ...(quoted === undefined ? {} : { response_body: quoted }),
    ...(error === null ? {} : { error, next_attempt_at: isoOrNull(nextAttemptAt) }),
    ...(countsNothing(trigger) ? {} : { consecutive_failures: endpoint.consecutiveFailures }),
  };
}

export const UNANSWERED: SendResult = { ...NO_ANSWER, error: "timeout" };

const columnsOf = (result: SendResult): SqlValue[] => [
  result.error === null ? "success" : "failed",
  result.error,
  result.detail,
  result.responseCode,
  result.responseHeaders && JSON.stringify(result.responseHeaders),
  result.responseBody,
  result.responseSize,
  result.durationMs,
];

const resultOf = (row: DeliveryRow): SendResult => ({
  error: row.error,
  detail: row.error_detail,
  responseCode: row.response_code,
  responseHeaders: row.response_headers === null ? null : JSON.parse(row.response_headers),
  responseBody: row.response_body,
  responseSize: row.response_size,
  durationMs: row.duration_ms!,
});

/** Explains why an attempt failed, in a sentence; null for a success. */
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
