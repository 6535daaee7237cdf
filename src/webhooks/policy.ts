import {
  afterChange,
  afterFailure,
  afterSuccess,
  type DisabledReason,
  type EndpointState,
  type SkipReason,
  skipOf,
} from "../timeline/endpoint-state.ts";
import type { DeliveryTrigger } from "../timeline/shapes.ts";
import { HOUR, MINUTE, SECOND } from "../world/duration.ts";
import type { PlanState } from "./rows.ts";

/** When a delivery is retried and when an endpoint is disabled. See docs/guide/webhooks.md, "Retries". */
export interface WebhookPolicy {
  /** Delays after each failed attempt, in milliseconds. There is one more attempt than there are delays. */
  retryDelays: readonly number[];
  /** The subscriber's time limit, in milliseconds. */
  timeout: number;
  disableAfter: {
    /** How many consecutive failures disable an endpoint; null to never disable it. */
    consecutive: number | null;
    /** What counts as a failure: each failed attempt, or each event that runs out of attempts. */
    count: "attempts" | "exhausted";
    /** How long an endpoint may fail without a success before it is disabled, in milliseconds. */
    failingFor?: number | undefined;
  };
}

/** A sender's policy, including how it interprets statuses. */
export interface SenderPolicy extends WebhookPolicy {
  /** Whether a response with this status is a success. */
  succeeds(status: number): boolean;
  /** The status with which a subscriber unsubscribes. It disables the endpoint. */
  gone?: number | undefined;
  /** Event types that are never retried. */
  unretried?: readonly string[] | undefined;
  /** Whether events wait until all older events of their endpoint have succeeded or permanently failed. */
  ordered?: boolean | undefined;
  /** The maximum random variation of a delay, as a fraction from 0 to 1. */
  jitter?: number | undefined;
}

export const DEFAULT_POLICY = {
  retryDelays: [MINUTE, 10 * MINUTE, HOUR],
  timeout: 30 * SECOND,
  disableAfter: { consecutive: 10, count: "attempts" },
} as const satisfies WebhookPolicy;

/** An attempt's result, with the endpoint and the plan at the time it is recorded. */
export interface Attempt {
  trigger: DeliveryTrigger;
  ok: boolean;
  /** Whether the subscriber asked to be unsubscribed. */
  gone?: boolean;
  /** When the attempt ended, in virtual milliseconds. */
  endedAt: number;
  plan: {
    state: PlanState;
    /** How many automatic attempts have started so far. */
    attempts: number;
  };
}

export interface Effects {
  endpoint: EndpointState;
  plan: PlanState;
  planReason?: SkipReason;
  /** When the next automatic attempt is due. Absent: unchanged. Null: none is planned. */
  nextAttemptAt?: number | null;
  /** Whether to disable the endpoint now, which skips its pending retries and writes one e-mail. */
  disable: boolean;
  /** Why the endpoint is disabled, if it is. */
  disableReason?: DisabledReason;
}

/** Whether attempts of this kind never affect the failure counter or the retry schedule. */
export const countsNothing = (trigger: DeliveryTrigger): boolean =>
  trigger === "test" || trigger === "resend";

/**
 * Determines the consequences of an attempt's result. Pure.
 * Tests and resends change nothing. Any other success resets the counter to 0 and ends the event's plan. A failed manual
 * attempt counts but leaves the plan alone. The failure that reaches the limit disables the endpoint, once.
 */
export function decide(policy: WebhookPolicy, endpoint: EndpointState, attempt: Attempt): Effects {
  const { plan, trigger, endedAt } = attempt;
  if (countsNothing(trigger)) return { endpoint, plan: plan.state, disable: false };
  if (attempt.ok)
    return { endpoint: afterSuccess(endpoint), plan: "delivered", nextAttemptAt: null, disable: false };

  const { consecutive, count, failingFor } = policy.disableAfter;
  const lastOfPlan = trigger === "automatic" && plan.attempts > policy.retryDelays.length;
  const failed = count === "attempts" || lastOfPlan ? afterFailure(endpoint, endedAt) : endpoint;
  const { consecutiveFailures, firstFailedAt } = failed;
  const disableReason =
    endpoint.status !== "enabled"
      ? undefined
      : attempt.gone
        ? "gone"
        : consecutive !== null && consecutiveFailures >= consecutive
          ? "consecutive_failures"
          : failingFor !== undefined && firstFailedAt !== null && endedAt - firstFailedAt >= failingFor
            ? "failing_for"
            : undefined;
  const disable = disableReason !== undefined;
  const next = disable ? afterChange(failed, "disabled") : failed;
  const result = (state: PlanState, rest: Partial<Effects> = {}): Effects => ({
    endpoint: next,
    plan: state,
    disable,
    ...(disable && { disableReason }),
    ...rest,
  });

  if (plan.state !== "active") return result(plan.state);
  if (lastOfPlan) return result("exhausted", { nextAttemptAt: null });
  const planReason = skipOf(next.status);
  if (planReason) return result("skipped", { planReason, nextAttemptAt: null });
  if (trigger === "manual") return result("active");
  return result("active", { nextAttemptAt: endedAt + policy.retryDelays[plan.attempts - 1]! });
}

/** A planned retry: attempt number `attempt` of an event, due at a virtual instant. */
export interface PlannedAttempt {
  eventId: string;
  attempt: number;
  dueAt: number;
}

export interface Forecast {
  /** The upcoming attempts in order, if all of them fail. */
  attempts: PlannedAttempt[];
  /** The attempt that would disable the endpoint. */
  disabledAt: number | null;
}

/**
 * Predicts the attempts at an endpoint whose subscriber keeps failing. Pure.
 * @param takes virtual milliseconds from the start of an attempt until it fails
 */
export function forecast(
  policy: WebhookPolicy,
  endpoint: EndpointState,
  planned: PlannedAttempt[],
  takes = 0,
): Forecast {
  const attempts: PlannedAttempt[] = [];
  let state = endpoint;
  if (skipOf(state.status)) return { attempts, disabledAt: null };
  // Retries with the same number have the same delay, so they form a queue. The longest-waiting one comes first.
  const retries: Queue[] = policy.retryDelays.map(() => ({ attempts: [], taken: 0 }));
  const inOrder = [
    { attempts: planned.toSorted((a, b) => a.dueAt - b.dueAt), taken: 0 },
    ...retries.toReversed(),
  ];
  for (let next = takeFirst(inOrder); next; next = takeFirst(inOrder)) {
    attempts.push(next);
    const effects = decide(policy, state, {
      trigger: "automatic",
      ok: false,
      endedAt: next.dueAt + takes,
      plan: { state: "active", attempts: next.attempt },
    });
    state = effects.endpoint;
    if (effects.disable) return { attempts, disabledAt: next.dueAt };
    if (effects.nextAttemptAt) {
      const retry = { ...next, attempt: next.attempt + 1, dueAt: effects.nextAttemptAt };
      retries[next.attempt - 1]!.attempts.push(retry);
    }
  }
  return { attempts, disabledAt: null };
}

/** Attempts in the order they are due; the first `taken` are done. */
interface Queue {
  attempts: PlannedAttempt[];
  taken: number;
}

/** Takes the earliest attempt of all queues; the first queue wins a tie. */
function takeFirst(queues: readonly Queue[]): PlannedAttempt | undefined {
  let first: Queue | undefined;
  for (const queue of queues) {
    const next = queue.attempts[queue.taken];
    if (next && (!first || next.dueAt < first.attempts[first.taken]!.dueAt)) first = queue;
  }
  if (!first) return undefined;
  first.taken += 1;
  return first.attempts[first.taken - 1];
}
