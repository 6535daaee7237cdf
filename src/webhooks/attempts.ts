import type { DeliveryTrigger } from "../timeline/shapes.ts";
import { inserter } from "../world/save.ts";
import type { Job } from "../world/scheduler.ts";
import type { World } from "../world/world.ts";
import type { ComposeRequest } from "./attempt-requests.ts";
import { ATTEMPT_TIMER, type AttemptPayload, type Plans } from "./plans.ts";
import type { DeliveryRow } from "./rows.ts";
import type { Sending } from "./sending.ts";
import {
  type AttemptFault,
  faultAt,
  faultTarget,
  type SubscriberFault,
  writeFault,
} from "./subscriber-faults.ts";
import type { Subscriptions } from "./subscriptions.ts";

/** An attempt to make. */
export interface NewAttempt {
  eventId: string;
  event: string;
  /** Counts from 1. A manual retry and a resend have the number of the attempt that they repeat. */
  attempt: number;
  trigger: DeliveryTrigger;
  /** The delivery that a manual retry or a resend repeats. */
  retryOf: string | null;
}

/** An attempt that is recorded as pending, and a function that sends it. */
export interface BegunAttempt {
  id: string;
  start: () => Job;
}

/** Records an attempt as pending, in a transaction. `start` sends it, once that is committed. */
export type BeginAttempt = (webhookId: string, next: NewAttempt) => BegunAttempt;

interface Parts {
  compose: ComposeRequest;
  sending: Sending;
  subscriptions: Subscriptions;
  plans: Plans;
}

/** Begins attempts: those that are due by their plans, and those that a caller asks for. */
export function createAttempts(
  world: World,
  { compose, sending, subscriptions, plans }: Parts,
): BeginAttempt {
  const { store, ids, clock, journal, faults, scheduler } = world;
  const insert = inserter<DeliveryRow>(store, "webhook_deliveries");

  // Anything that ends a plan cancels its timer, so the plan is active.
  scheduler.handle(ATTEMPT_TIMER, ({ payload }) => {
    const { event_id: eventId, webhook_id: webhookId, event, attempt } = payload as unknown as AttemptPayload;
    if (attempt > 1) plans.forgetNext(eventId, webhookId);
    return begin(webhookId, { eventId, event, attempt, trigger: "automatic", retryOf: null }).start;
  });

  function takeFault(webhookId: string): AttemptFault | null {
    const taken = faults.take(faultTarget(webhookId));
    return taken ? faultAt(taken.spec as SubscriberFault, taken.step) : null;
  }

  function begin(webhookId: string, next: NewAttempt): BegunAttempt {
    const { eventId, event, attempt, trigger, retryOf } = next;
    const id = ids.next("del_");
    const startedAt = clock.now();
    const target = subscriptions.target(webhookId);
    const request = compose(target, id, next);
    const fault = takeFault(webhookId);
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
      request_headers: JSON.stringify(request.headers),
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
    return { id, start: () => sending.send(open, request) };
  }

  return begin;
}
