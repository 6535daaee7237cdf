import { inserter } from "../world/save.ts";
import type { Job } from "../world/scheduler.ts";
import type { World } from "../world/world.ts";
import { ATTEMPT_TIMER, type AttemptPayload, type Plans } from "./plans.ts";
import type { DeliveryResult, DeliveryRow } from "./rows.ts";
import type { Sending } from "./sending.ts";
import {
  type AttemptFault,
  faultAt,
  faultTarget,
  type SubscriberFault,
  writeFault,
} from "./subscriber-faults.ts";
import type { Subscriptions } from "./subscriptions.ts";

/** A new attempt. Numbers start at 1; a manual retry or resend has the number and id of the delivery it repeats. */
type NewAttempt = Pick<DeliveryRow, "event_id" | "event" | "attempt" | "trigger" | "retry_of">;

/** An attempt recorded as pending, with a function that sends it. */
export interface BegunAttempt {
  id: string;
  start: () => Job;
}

/** Records an attempt as pending, in a transaction. Call `start` to send it after the commit. */
export type BeginAttempt = (webhookId: string, next: NewAttempt) => BegunAttempt;

/** Starts attempts, both scheduled ones and those that a caller requests. */
export function createAttempts(
  world: World,
  sending: Sending,
  subscriptions: Subscriptions,
  plans: Plans,
): BeginAttempt {
  const { store, ids, clock, journal, faults, scheduler } = world;
  const insert = inserter<DeliveryRow, keyof DeliveryResult>(store, "webhook_deliveries");

  // Anything that ends a plan also cancels its timer, so the plan must still be active.
  scheduler.handle(ATTEMPT_TIMER, ({ payload }) => {
    const { event_id, webhook_id, event, attempt } = payload as unknown as AttemptPayload;
    if (attempt > 1) plans.forgetNext({ event_id, webhook_id });
    return begin(webhook_id, { event_id, event, attempt, trigger: "automatic", retry_of: null }).start;
  });

  function takeFault(webhookId: string): AttemptFault | null {
    const taken = faults.take(faultTarget(webhookId));
    return taken ? faultAt(taken.spec as SubscriberFault, taken.step) : null;
  }

  function begin(webhook_id: string, next: NewAttempt): BegunAttempt {
    const { event_id, event, attempt, trigger } = next;
    const id = ids.next("del_");
    const started_at = clock.now();
    const target = subscriptions.target(webhook_id, event);
    const request = sending.prepare(target, { ...next, id });
    const fault = takeFault(webhook_id);
    insert({
      id,
      org: target.org,
      webhook_id,
      ...next,
      status: "pending",
      url: target.url,
      request_headers: JSON.stringify(request.headers),
      fault: fault && writeFault(fault),
      started_at,
      created_at: started_at,
    });
    const about = { id, webhook_id, event_id, event };
    if (trigger === "resend") journal.append("delivery.resent", { ...about, resend_of: next.retry_of });
    journal.append("delivery.started", {
      ...about,
      attempt,
      trigger,
      ...(fault === null ? {} : { fault: fault.name, sent: fault.sent !== "no" }),
    });
    const open = { ...about, attempt, trigger, started_at, fault };
    return { id, start: () => sending.send(open, request) };
  }

  return begin;
}
