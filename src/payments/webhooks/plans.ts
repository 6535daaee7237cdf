import { iso } from "../../world/duration.ts";
import type { World } from "../../world/world.ts";
import type { PlanRow } from "../rows.ts";
import type { Endpoints, WaitingPlan } from "./endpoints.ts";
import { ATTEMPT_TIMER, type AttemptPayload, planKey } from "./events.ts";
import type { Effects } from "./policy.ts";

/** A plan, as far as the result of an attempt bears on it. */
export type PlanInHand = WaitingPlan & Pick<PlanRow, "state" | "reason">;

/** What becomes of an event at an endpoint, moved by the results of its attempts. */
export function createPlans({ store, clock, timers, journal }: World, endpoints: Endpoints) {
  const read = store.sql<PlanInHand>(
    "select event_id, webhook_id, state, reason, attempts, next_attempt_at from webhook_plans where event_id = ? and webhook_id = ?",
  );
  const write = store.sql(
    `update webhook_plans set state = ?, reason = ?, attempts = ?, next_attempt_at = ?, updated_at = ?
     where event_id = ? and webhook_id = ?`,
  );
  const clearNext = store.sql(
    "update webhook_deliveries set next_attempt_at = null where event_id = ? and webhook_id = ? and next_attempt_at is not null",
  );

  function schedule({ event_id, webhook_id, attempts }: PlanInHand, event: string, due: number): void {
    const payload: AttemptPayload = { event_id, webhook_id, event, attempt: attempts + 1 };
    timers.set(ATTEMPT_TIMER, planKey(event_id, webhook_id), due, { ...payload });
  }

  /** Takes back the retry that a success made needless, if one was planned. */
  function cancelRetry({ event_id, webhook_id, attempts, next_attempt_at }: PlanInHand, event: string): void {
    if (next_attempt_at === null || !timers.cancel(ATTEMPT_TIMER, planKey(event_id, webhook_id))) return;
    clearNext.run(event_id, webhook_id);
    const due = { attempt: attempts + 1, due_at: iso(next_attempt_at) };
    journal.append("retry.cancelled", { webhook_id, event_id, event, ...due, reason: "delivered" });
  }

  return {
    /** Undefined for the event of a test delivery, which has none. */
    find: (eventId: string, webhookId: string): PlanInHand | undefined => read.get(eventId, webhookId),

    /**
     * The plan as an automatic attempt leaves it. Its row was not touched when the attempt began: the attempt's
     * own number says how far it is, and no retry is planned meanwhile. A success ends it, whatever it was.
     */
    inFlight(open: { eventId: string; webhookId: string; attempt: number }, ok: boolean): PlanInHand {
      const { eventId: event_id, webhookId: webhook_id, attempt: attempts } = open;
      const { state, reason } = (ok ? undefined : read.get(event_id, webhook_id)) ?? {
        state: "active",
        reason: null,
      };
      return { event_id, webhook_id, state, reason, attempts, next_attempt_at: null };
    },

    /** Deliveries of the event no longer say that another attempt is due: it has begun. */
    forgetNext: (eventId: string, webhookId: string): void => void clearNext.run(eventId, webhookId),

    /** Moves a plan as the policy decided: to its next attempt, or to its end. */
    apply(plan: PlanInHand, event: string, effects: Effects): void {
      const { event_id, webhook_id, attempts, state } = plan;
      if (effects.plan === "skipped" && state === "active") {
        endpoints.skip(plan, effects.planReason!);
        return;
      }
      const leavesTimer = effects.nextAttemptAt === undefined;
      const nextAt = leavesTimer ? plan.next_attempt_at : (effects.nextAttemptAt ?? null);
      const reason = effects.plan === "skipped" ? plan.reason : null;
      write.run(effects.plan, reason, attempts, nextAt, clock.now(), event_id, webhook_id);
      if (effects.plan === "active") {
        if (!leavesTimer) schedule(plan, event, nextAt!);
        return;
      }
      if (effects.plan === "exhausted" && state === "active") {
        journal.append("delivery.exhausted", { webhook_id, event_id, event, attempts });
      }
      cancelRetry(plan, event);
    },
  };
}
