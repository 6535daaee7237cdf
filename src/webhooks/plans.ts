import { type EndpointStatus, type SkipReason, skipOf } from "../timeline/endpoint-state.ts";
import { iso, isoOrNull } from "../world/duration.ts";
import type { Timers } from "../world/timers.ts";
import type { World } from "../world/world.ts";
import type { Effects } from "./policy.ts";
import type { PlanRow } from "./rows.ts";
import type { Turns } from "./turns.ts";

/** The timer of an event's next automatic attempt at an endpoint. */
export const ATTEMPT_TIMER = "webhooks.attempt";

export interface AttemptPayload {
  event_id: string;
  webhook_id: string;
  event: string;
  /** The number of the next attempt, from 1. */
  attempt: number;
}

/** The part of a plan that determines what an attempt's result causes. */
type OpenPlan = Pick<
  PlanRow,
  "event_id" | "webhook_id" | "state" | "reason" | "attempts" | "next_attempt_at"
>;

/** An event and an endpoint, which together have one plan. */
type Place = Pick<PlanRow, "event_id" | "webhook_id">;

/** How many attempts were made, and what comes next, for each event and subscribed endpoint. */
export interface Plans {
  /**
   * Plans an event's first attempt at an endpoint, due now or when its turn comes. A disabled endpoint gets none, which
   * the timeline shows.
   */
  open(eventId: string, event: string, webhookId: string, status: EndpointStatus): void;
  /** Undefined for a test delivery's event, which has no plan. */
  find(place: Place): OpenPlan | undefined;
  /**
   * The plan during an automatic attempt. Its row has not changed since the attempt started: the attempt's number
   * implies the progress, and no retry is planned in the meantime.
   */
  inFlight(attempt: Place & { attempt: number }): OpenPlan;
  /** Clears the time of the next attempt, because it has started. */
  forgetNext(place: Place): void;
  /** Updates a plan as the policy decided: schedules the next attempt or ends the plan. */
  apply(plan: OpenPlan, event: string, effects: Effects): void;
  /** Skips all planned retries of an endpoint. An attempt in progress continues. */
  skipWaiting(webhookId: string, status: EndpointStatus): void;
}

function createAttemptTimers(timers: Timers) {
  const keyOf = ({ event_id, webhook_id }: Place) => `${event_id}/${webhook_id}`;
  return {
    set: (next: AttemptPayload, due: number) => timers.set(ATTEMPT_TIMER, keyOf(next), due, { ...next }),
    cancel: (place: Place) => timers.cancel(ATTEMPT_TIMER, keyOf(place)),
    isSet: (place: Place) => timers.get(ATTEMPT_TIMER, keyOf(place)) !== undefined,
  };
}

export function createPlans({ store, clock, timers, journal }: World, turns: Turns): Plans {
  const attemptTimers = createAttemptTimers(timers);
  const insert = store.sql(
    `insert into webhook_plans (event_id, webhook_id, state, reason, attempts, next_attempt_at, created_at, updated_at)
     values (?, ?, ?, ?, 0, ?, ?, ?)`,
  );
  const read = store.sql<OpenPlan>("select * from webhook_plans where event_id = ? and webhook_id = ?");
  const write = store.sql(
    // Skipped retries retain their time and reason, even after manual retries.
    `update webhook_plans set state = ?, updated_at = iif(reason is null, ?, updated_at), reason = coalesce(reason, ?),
       attempts = ?, next_attempt_at = ? where event_id = ? and webhook_id = ?`,
  );
  const waiting = store.sql<OpenPlan>(
    `select * from webhook_plans where webhook_id = ? and state = 'active' and (next_attempt_at is not null or attempts = 0)
     order by next_attempt_at, event_id`,
  );
  const takeTurn = store.sql(
    "update webhook_plans set next_attempt_at = ? where event_id = ? and webhook_id = ?",
  );
  const eventType = store.sql<{ type: string }>("select type from webhook_events where id = ?");
  const clearNext = store.sql(
    "update webhook_deliveries set next_attempt_at = null where event_id = ? and webhook_id = ? and next_attempt_at is not null",
  );

  /** Ends a plan without making its next attempt, and records why. */
  function skip(plan: OpenPlan, reason: SkipReason): void {
    const { event_id, webhook_id, attempts, next_attempt_at } = plan;
    attemptTimers.cancel(plan);
    write.run("skipped", clock.now(), reason, attempts, null, event_id, webhook_id);
    clearNext.run(event_id, webhook_id);
    const { type: event } = eventType.get(event_id)!;
    const due = { attempt: attempts + 1, due_at: isoOrNull(next_attempt_at) };
    journal.append("retry.skipped", { webhook_id, event_id, event, ...due, reason });
  }

  /** Cancels the planned retry, if any, that a success made unnecessary. */
  function cancelRetry(plan: OpenPlan, event: string): void {
    const { event_id, webhook_id, attempts, next_attempt_at } = plan;
    if (next_attempt_at === null || !attemptTimers.cancel(plan)) return;
    clearNext.run(event_id, webhook_id);
    const due = { attempt: attempts + 1, due_at: iso(next_attempt_at) };
    journal.append("retry.cancelled", { webhook_id, event_id, event, ...due, reason: "delivered" });
  }

  return {
    open(event_id, event, webhook_id, status) {
      const now = clock.now();
      const reason = skipOf(status);
      if (reason === null) {
        const waits = turns.mustWait(webhook_id);
        insert.run(event_id, webhook_id, "active", null, waits ? null : now, now, now);
        if (!waits) attemptTimers.set({ event_id, webhook_id, event, attempt: 1 }, now);
      } else {
        insert.run(event_id, webhook_id, "skipped", reason, null, now, now);
        journal.append("delivery.skipped", { webhook_id, event_id, event, reason });
      }
    },

    find: ({ event_id, webhook_id }) => read.get(event_id, webhook_id),

    inFlight: ({ event_id, webhook_id, attempt: attempts }) => ({
      ...read.get(event_id, webhook_id)!,
      attempts,
      next_attempt_at: null,
    }),

    forgetNext: ({ event_id, webhook_id }) => void clearNext.run(event_id, webhook_id),

    apply(plan, event, effects) {
      const { event_id, webhook_id, attempts, state } = plan;
      const ends = state === "active" && effects.plan !== "active";
      const next = ends ? turns.next(webhook_id) : undefined;
      if (next) {
        takeTurn.run(clock.now(), next.event_id, webhook_id);
        attemptTimers.set({ ...next, webhook_id, attempt: 1 }, clock.now());
      }
      if (ends && effects.plan === "skipped") return skip(plan, effects.planReason!);
      const leavesTimer = effects.nextAttemptAt === undefined;
      const nextAt = leavesTimer ? plan.next_attempt_at : (effects.nextAttemptAt ?? null);
      write.run(effects.plan, clock.now(), null, attempts, nextAt, event_id, webhook_id);
      if (effects.plan === "active") {
        if (!leavesTimer) attemptTimers.set({ event_id, webhook_id, event, attempt: attempts + 1 }, nextAt!);
        return;
      }
      if (ends && effects.plan === "exhausted")
        journal.append("delivery.exhausted", { webhook_id, event_id, event, attempts });
      cancelRetry(plan, event);
    },

    skipWaiting(webhookId, status) {
      const reason = skipOf(status);
      if (!reason) return;
      for (const plan of waiting.all(webhookId))
        if (plan.next_attempt_at === null || attemptTimers.isSet(plan)) skip(plan, reason);
    },
  };
}
