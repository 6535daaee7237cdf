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
  /** Delays after the end of each failed attempt, in milliseconds. There is one attempt more than there are delays. */
  retryDelays: readonly number[];
  /** How long a subscriber may take, in milliseconds. */
  timeout: number;
  disableAfter: {
    /** How many failures in a row disable an endpoint; null if no number of them does. */
    consecutive: number | null;
    /** What counts as a failure: each failed attempt, or an event whose attempts are used up. */
    count: "attempts" | "exhausted";
    /** How long an endpoint may keep failing without a success, in milliseconds. */
    failingFor?: number | undefined;
  };
}

/** The policy of a sender, with how it reads statuses. */
export interface SenderPolicy extends WebhookPolicy {
  /** Whether an answer with this status is a success. */
  succeeds(status: number): boolean;
  /** The status by which a subscriber says that it wants nothing more. It disables the endpoint. */
  gone?: number | undefined;
  /** Types of events that are sent once, whatever the answer. */
  unretried?: readonly string[] | undefined;
  /** Whether an event waits until all older events of its endpoint have succeeded or failed for good. */
  ordered?: boolean | undefined;
  /** The largest share of a delay, 0 to 1, by which chance makes it longer or shorter. */
  jitter?: number | undefined;
}

export const DEFAULT_POLICY = {
  retryDelays: [MINUTE, 10 * MINUTE, HOUR],
  timeout: 30 * SECOND,
  disableAfter: { consecutive: 10, count: "attempts" },
} as const satisfies WebhookPolicy;

/** The result of one attempt, with the endpoint and the event's plan as they are when it is written. */
export interface Attempt {
  trigger: DeliveryTrigger;
  ok: boolean;
  /** Whether the answer says that the subscriber wants nothing more. */
  gone?: boolean;
  /** When it ended, in virtual milliseconds. */
  endedAt: number;
  plan: {
    state: PlanState;
    /** How many automatic attempts have begun so far. */
    attempts: number;
  };
}

export interface Effects {
  endpoint: EndpointState;
  plan: PlanState;
  planReason?: SkipReason;
  /** When the next automatic attempt is due. Absent: the plan's timer stays. Null: no attempt is planned. */
  nextAttemptAt?: number | null;
  /** Whether the endpoint becomes disabled now: its pending retries are skipped, and one e-mail is written. */
  disable: boolean;
  /** Why the endpoint is disabled, if it is. */
  disableReason?: DisabledReason;
}

/** Whether attempts of this kind change neither the failure counter nor the retry schedule, whatever their result. */
export const countsNothing = (trigger: DeliveryTrigger): boolean =>
  trigger === "test" || trigger === "resend";

/**
 * What follows from the result of an attempt. Pure.
 * A test and a resend change nothing; any other success sets the counter to 0 and ends the event's plan; a failed manual
 * attempt counts but leaves the plan as it was; the failure that fills the counter disables once.
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

/** A retry that is planned: attempt number `attempt` of an event, due at a virtual instant. */
export interface PlannedAttempt {
  eventId: string;
  attempt: number;
  dueAt: number;
}

export interface Forecast {
  /** The attempts to come, in order, if every one of them fails. */
  attempts: PlannedAttempt[];
  /** The attempt that would disable the endpoint. */
  disabledAt: number | null;
}

/**
 * Predicts the attempts at an endpoint whose subscriber keeps failing. Pure.
 * @param takes virtual milliseconds from the start of an attempt to its failure
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
  // Retries with one number follow after one delay, so they queue up in order. The longest-waiting come first.
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

/** Attempts in the order in which they are due; the first `taken` are done. */
interface Queue {
  attempts: PlannedAttempt[];
  taken: number;
}

/** Takes the earliest attempt of all queues; among several at the same instant, the one of the first queue. */
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
