import { type EndpointState, NEW_ENDPOINT, SKIPS, type SkipReason } from "../../timeline/endpoint-state.ts";
import { DEFAULT_POLICY, decide } from "../../webhooks/policy.ts";
import type { PlanState } from "../../webhooks/rows.ts";
import type { EventType } from "../webhooks/event-types.ts";
import { EVENT_DATA } from "../webhooks/payload.ts";
import type { Answer } from "./answers.ts";
import type { Seeding } from "./seeding.ts";
import type { History } from "./shop.ts";

/** A webhook event of the past. */
export interface SeededEvent {
  id: string;
  org: string;
  type: EventType;
  at: number;
  data: unknown;
}

/** The events of a history between two instants, in order; a payment before its checkout. */
export function eventsBetween(
  { world }: Seeding,
  { sessions, transactions }: History,
  from: number,
  to: number,
  wanted: readonly string[],
): SeededEvent[] {
  const found: { at: number; org: string; type: EventType; makeData: () => unknown }[] = [];
  const add = (at: number | null, org: string, type: EventType, makeData: () => unknown) => {
    if (at !== null && at >= from && at < to && (wanted.includes("*") || wanted.includes(type)))
      found.push({ at, org, type, makeData });
  };
  const byId = new Map(sessions.map((row) => [row.id, row]));
  for (const row of transactions) {
    const session = byId.get(row.session_id ?? "");
    for (const [type, at] of [
      ["payment.completed", row.completed_at],
      ["payment.failed", row.failed_at],
    ] as const)
      add(at, row.org, type, () => EVENT_DATA[type](row, session));
  }
  for (const row of sessions) {
    for (const [type, at] of [
      ["checkout.completed", row.completed_at],
      ["checkout.expired", row.expired_at],
    ] as const)
      add(at, row.org, type, () => EVENT_DATA[type](row));
  }
  return found
    .sort((a, b) => a.at - b.at)
    .map(({ makeData, ...event }) => ({ id: world.ids.next("evt_"), ...event, data: makeData() }));
}

/** One attempt of the past. */
export interface PastAttempt {
  event: SeededEvent;
  attempt: number;
  startedAt: number;
  endedAt: number;
  answer: Answer;
  /** The endpoint's failures in a row after it. */
  consecutiveFailures: number;
}

/** The attempts of one event. */
export interface PastPlan {
  event: SeededEvent;
  state: PlanState;
  reason: SkipReason | null;
  attempts: number;
  updatedAt: number;
}

/** What an endpoint went through. */
export interface Past {
  /** In the order in which they began. */
  attempts: PastAttempt[];
  plans: PastPlan[];
  endpoint: EndpointState;
  /** The attempt that disabled the endpoint, if one did. */
  last: PastAttempt | undefined;
}

interface Running {
  plan: PastPlan;
  attempt: PastAttempt;
}

interface Due {
  plan: PastPlan;
  at: number;
}

/**
 * Plays events to an endpoint under the platform's own policy: attempts begin when they are due, end after
 * their answer's duration, and are decided in the order in which they end. Once the endpoint is disabled,
 * what is under way ends, retries are skipped and later events are dropped.
 * @param reply how the subscriber answers an attempt; asked when the attempt begins
 */
export function playDeliveries(
  events: readonly SeededEvent[],
  reply: (event: SeededEvent, attempt: number) => Answer,
): Past {
  const past: Past = {
    attempts: [],
    plans: [],
    endpoint: NEW_ENDPOINT,
    last: undefined,
  };
  const running: Running[] = [];
  let retries: Due[] = [];
  let next = 0;

  function begin(plan: PastPlan, at: number): void {
    plan.attempts += 1;
    const answer = reply(plan.event, plan.attempts);
    const attempt = {
      event: plan.event,
      attempt: plan.attempts,
      startedAt: at,
      endedAt: at + answer.duration,
      answer,
      consecutiveFailures: 0,
    };
    past.attempts.push(attempt);
    running.push({ attempt, plan });
    running.sort((a, b) => a.attempt.endedAt - b.attempt.endedAt);
  }

  function end({ plan, attempt }: Running): void {
    const { answer, endedAt } = attempt;
    const effects = decide(DEFAULT_POLICY, past.endpoint, {
      trigger: "automatic",
      ok: answer.ok,
      endedAt,
      plan: { state: plan.state, attempts: plan.attempts },
    });
    past.endpoint = effects.endpoint;
    attempt.consecutiveFailures = effects.endpoint.consecutiveFailures;
    Object.assign(plan, { state: effects.plan, reason: effects.planReason ?? null, updatedAt: endedAt });
    if (effects.nextAttemptAt) retries.push({ plan, at: effects.nextAttemptAt });
    if (!effects.disable) return;
    past.last = attempt;
    for (const retry of retries)
      Object.assign(retry.plan, {
        state: "skipped",
        reason: SKIPS[past.endpoint.status],
        updatedAt: endedAt,
      });
    retries = [];
  }

  for (;;) {
    const event = SKIPS[past.endpoint.status] ? undefined : events[next];
    const retry = retries.sort((a, b) => a.at - b.at)[0];
    const start = Math.min(event?.at ?? Number.POSITIVE_INFINITY, retry?.at ?? Number.POSITIVE_INFINITY);
    if (running.length > 0 && running[0]!.attempt.endedAt <= start) end(running.shift()!);
    else if (retry && retry.at === start) begin(retries.shift()!.plan, start);
    else if (event) {
      next += 1;
      const plan: PastPlan = { event, state: "active", reason: null, attempts: 0, updatedAt: event.at };
      past.plans.push(plan);
      begin(plan, event.at);
    } else return past;
  }
}
