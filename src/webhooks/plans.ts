import { type EndpointStatus, type SkipReason, skipOf } from "../timeline/endpoint-state.ts";
import { iso, isoOrNull } from "../world/duration.ts";
import type { World } from "../world/world.ts";
import type { Effects } from "./policy.ts";
import type { PlanRow } from "./rows.ts";
import type { Turns } from "./turns.ts";

/** The timer of an event's next automatic attempt at an endpoint. */
export const ATTEMPT_TIMER = "webhooks.attempt";

/** The data of the timer. */
export interface AttemptPayload {
  event_id: string;
  webhook_id: string;
  event: string;
  /** The number of the next attempt, from 1. */
  attempt: number;
}

/** The part of a plan that decides the consequences of an attempt's result. */
export type OpenPlan = Pick<
  PlanRow,
  "event_id" | "webhook_id" | "state" | "reason" | "attempts" | "next_attempt_at"
>;

const keyOf = (eventId: string, webhookId: string): string => `${eventId}/${webhookId}`;

/** For each event and each endpoint that subscribes to it, how many attempts were made and what comes next. */
export interface Plans {
  /**
   * Plans an event's first attempt at an endpoint, which is due now, or in its turn. A disabled endpoint gets none, and
   * the timeline shows that.
   */
  open(eventId: string, event: string, webhookId: string, status: EndpointStatus): void;
  /** Undefined for the event of a test delivery, which has no plan. */
  find(eventId: string, webhookId: string): OpenPlan | undefined;
  /**
   * The plan as an automatic attempt leaves it. Its row is unchanged since the attempt began: the attempt's number shows the
   * progress, and no retry is planned meanwhile.
   */
  inFlight(attempt: { eventId: string; webhookId: string; attempt: number }): OpenPlan;
  /** Removes the next attempt from the event's deliveries, because it has begun. */
  forgetNext(eventId: string, webhookId: string): void;
  /** Moves a plan as the policy decided: to its next attempt, or to its end. */
  apply(plan: OpenPlan, event: string, effects: Effects): void;
  /** Skips every planned retry of an endpoint. An attempt in progress continues. */
  skipWaiting(webhookId: string, status: EndpointStatus): void;
}

export function createPlans({ store, clock, timers, journal }: World, turns: Turns): Plans {
  const insert = store.sql(
    `insert into webhook_plans (event_id, webhook_id, state, reason, attempts, next_attempt_at, created_at, updated_at)
     values (?, ?, ?, ?, 0, ?, ?, ?)`,
  );
  const read = store.sql<OpenPlan>(
    "select event_id, webhook_id, state, reason, attempts, next_attempt_at from webhook_plans where event_id = ? and webhook_id = ?",
  );
  const write = store.sql(
    // The time and reason of skipped retries stay recorded, whatever is sent by hand later.
    `update webhook_plans set state = ?, updated_at = iif(reason is null, ?, updated_at), reason = coalesce(reason, ?),
       attempts = ?, next_attempt_at = ? where event_id = ? and webhook_id = ?`,
  );
  const waiting = store.sql<OpenPlan>(
    `select event_id, webhook_id, state, reason, attempts, next_attempt_at from webhook_plans
     where webhook_id = ? and state = 'active' and (next_attempt_at is not null or attempts = 0)
     order by next_attempt_at, event_id`,
  );
  const eventType = store.sql<{ type: string }>("select type from webhook_events where id = ?");
  const clearNext = store.sql(
    "update webhook_deliveries set next_attempt_at = null where event_id = ? and webhook_id = ? and next_attempt_at is not null",
  );

  function schedule(payload: AttemptPayload, due: number): void {
    timers.set(ATTEMPT_TIMER, keyOf(payload.event_id, payload.webhook_id), due, { ...payload });
  }

  const cancelTimer = ({ event_id, webhook_id }: OpenPlan): boolean =>
    timers.cancel(ATTEMPT_TIMER, keyOf(event_id, webhook_id));

  /** Ends a plan whose next attempt will not be made, and records why. */
  function skip(plan: OpenPlan, reason: SkipReason): void {
    const { event_id, webhook_id, attempts, next_attempt_at } = plan;
    cancelTimer(plan);
    write.run("skipped", clock.now(), reason, attempts, null, event_id, webhook_id);
    clearNext.run(event_id, webhook_id);
    journal.append("retry.skipped", {
      webhook_id,
      event_id,
      event: eventType.get(event_id)!.type,
      attempt: attempts + 1,
      due_at: isoOrNull(next_attempt_at),
      reason,
    });
  }

  /** Cancels the planned retry, if there is one, that a success made unnecessary. */
  function cancelRetry(plan: OpenPlan, event: string): void {
    const { event_id, webhook_id, attempts, next_attempt_at } = plan;
    if (next_attempt_at === null || !cancelTimer(plan)) return;
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
        if (!waits) schedule({ event_id, webhook_id, event, attempt: 1 }, now);
      } else {
        insert.run(event_id, webhook_id, "skipped", reason, null, now, now);
        journal.append("delivery.skipped", { webhook_id, event_id, event, reason });
      }
    },

    find: (eventId, webhookId) => read.get(eventId, webhookId),

    inFlight: ({ eventId, webhookId, attempt: attempts }) => ({
      ...read.get(eventId, webhookId)!,
      attempts,
      next_attempt_at: null,
    }),

    forgetNext: (eventId, webhookId) => void clearNext.run(eventId, webhookId),

    apply(plan, event, effects) {
      const { event_id, webhook_id, attempts, state } = plan;
      const ends = state === "active" && effects.plan !== "active";
      const next = ends ? turns.take(webhook_id, clock.now()) : undefined;
      if (next) schedule({ ...next, webhook_id, attempt: 1 }, clock.now());
      if (ends && effects.plan === "skipped") {
        skip(plan, effects.planReason!);
        return;
      }
      const leavesTimer = effects.nextAttemptAt === undefined;
      const nextAt = leavesTimer ? plan.next_attempt_at : (effects.nextAttemptAt ?? null);
      write.run(effects.plan, clock.now(), null, attempts, nextAt, event_id, webhook_id);
      if (effects.plan === "active") {
        if (!leavesTimer) schedule({ event_id, webhook_id, event, attempt: attempts + 1 }, nextAt!);
        return;
      }
      if (ends && effects.plan === "exhausted") {
        journal.append("delivery.exhausted", { webhook_id, event_id, event, attempts });
      }
      cancelRetry(plan, event);
    },

    skipWaiting(webhookId, status) {
      const reason = skipOf(status);
      if (!reason) return;
      for (const plan of waiting.all(webhookId))
        if (plan.next_attempt_at === null || timers.get(ATTEMPT_TIMER, keyOf(plan.event_id, webhookId)))
          skip(plan, reason);
    },
  };
}
