import { inSlices } from "../../world/slices.ts";
import { SESSION_EXPIRY } from "../checkout-sessions.ts";
import type { PaymentsContext } from "../context.ts";
import type { DeliveryRow } from "../rows.ts";
import { CONFIRMATION, type Transactions } from "../transactions.ts";
import { TIMEOUT_TIMER } from "./attempts.ts";
import type { Endpoints } from "./endpoints.ts";
import type { EventType } from "./event-types.ts";
import type { Inboxes } from "./inbox.ts";
import { ATTEMPT_TIMER, type AttemptPayload } from "./plans.ts";
import { forecast, type PlannedAttempt, type WebhookPolicy } from "./policy.ts";
import { faultAt, faultTarget, type SubscriberFault, simulate } from "./subscriber-faults.ts";
import type { Subscriptions } from "./subscriptions.ts";

/** What an advance would bring: where answers decide how many attempts follow, the fewest and the most. */
export interface Outlook {
  attempts: { least: number; most: number };
  /** How many sessions expire and how many payments are settled, by the journal's names. */
  events: Record<string, number>;
}

interface AttemptsAhead {
  planned: PlannedAttempt[];
  timedOut: PlannedAttempt[];
}

/** How every attempt at an endpoint ends, and how long it takes; undefined where only its answers tell. */
type CertainEnd = { ok: boolean; takes: number } | undefined;

/** Counts what timers would cause, with what follows from it, before they fire. Changes nothing. */
export function createOutlook(
  { world, settings, origin }: PaymentsContext,
  endpoints: Endpoints,
  subscriptions: Subscriptions,
  inboxes: Inboxes,
  transactions: Transactions,
) {
  const policy = settings.webhooks;
  const underWay = world.store.sql<Pick<DeliveryRow, "webhook_id" | "event_id" | "attempt" | "trigger">>(
    "select webhook_id, event_id, attempt, trigger from webhook_deliveries where id = ? and status = 'pending'",
  );

  const isPast = world.store.sql<{ seeded: number }>("select seeded from checkout_sessions where id = ?");

  function certainEnd(webhookId: string): CertainEnd {
    const fault = world.faults.get(faultTarget(webhookId))?.spec as SubscriberFault | undefined;
    if (fault) {
      if (fault.sequence || fault.times !== undefined || (fault.rate ?? 1) < 1) return undefined;
      const simulated = simulate(faultAt(fault, 0)!.name);
      if (simulated === null) return undefined;
      const { error } = simulated;
      return { ok: error === null, takes: error === "timeout" ? policy.timeout : 0 };
    }
    const { url, connects } = subscriptions.target(webhookId);
    if (!connects) return { ok: false, takes: 0 };
    const inbox = `${origin()}/_sandbox/inbox/`;
    if (!url.startsWith(inbox)) return undefined;
    const { status = 200, sequence, delay } = inboxes.behaviour(url.slice(inbox.length));
    return sequence || delay ? undefined : { ok: status < 300, takes: 0 };
  }

  /**
   * How many attempts at an endpoint end by an instant.
   * @param timedOut attempts under way, due when they will time out
   */
  function countAttempts(
    webhookId: string,
    { planned, timedOut }: AttemptsAhead,
    until: number,
  ): Outlook["attempts"] {
    const row = endpoints.byId(webhookId)!;
    const state = { status: row.status, consecutiveFailures: row.consecutive_failures };
    const end = certainEnd(webhookId);
    const takes = end?.takes ?? 0;
    const ended = (attempts: PlannedAttempt[]) =>
      attempts.filter(({ dueAt }) => dueAt + takes <= until).length;
    const retries = timedOut.flatMap(({ attempt, dueAt, ...rest }) => {
      const delay = policy.retryDelays[attempt - 1];
      return delay === undefined ? [] : { ...rest, attempt: attempt + 1, dueAt: dueAt + delay };
    });
    const ifAllSucceed = timedOut.length + ended([...planned, ...retries]);
    if (end?.ok) return { least: ifAllSucceed, most: ifAllSucceed };

    const neverDisabled: WebhookPolicy = {
      ...policy,
      disableAfter: { ...policy.disableAfter, consecutive: Number.POSITIVE_INFINITY },
    };
    const all = [...timedOut.map((one) => ({ ...one, dueAt: one.dueAt - takes })), ...planned];
    const ifAllFail = forecast(neverDisabled, state, all, takes).attempts;
    const { disabledAt } = forecast(policy, state, all, takes);
    // What is under way when the endpoint is disabled ends as well.
    const failing = ended(
      disabledAt === null ? ifAllFail : ifAllFail.filter(({ dueAt }) => dueAt <= disabledAt + takes),
    );
    if (end) return { least: failing, most: failing };
    // A success in between keeps the endpoint enabled, so that more is sent than if all fail.
    return { least: Math.min(ifAllSucceed, failing), most: ended(ifAllFail) };
  }

  return async (until: number): Promise<Outlook> => {
    const ahead = new Map<string, AttemptsAhead>();
    const events: Record<string, number> = {};
    const completed = new Map<string, number>();
    /** Attempts by hand that time out: nothing follows from them. */
    let byHand = 0;

    const aheadOf = (webhookId: string): AttemptsAhead => {
      if (!ahead.has(webhookId)) ahead.set(webhookId, { planned: [], timedOut: [] });
      return ahead.get(webhookId)!;
    };
    function announce(org: string, type: EventType, about: string, at: number, past = false): void {
      for (const { id, status } of subscriptions.of(org, type, past))
        if (status === "enabled")
          aheadOf(id).planned.push({ eventId: `${type} ${about}`, attempt: 1, dueAt: at });
    }
    const count = (type: EventType) => {
      events[type] = (events[type] ?? 0) + 1;
    };

    for await (const { kind, key, due: at } of inSlices(world.timers.walk(until))) {
      if (kind !== CONFIRMATION) continue;
      const row = transactions.byId(key);
      const settled = row?.status === "pending" ? row.created_at + settings.confirmationDelay : at;
      if (!row || settled > until) continue;
      const type = row.failure_reason === null ? "payment.completed" : "payment.failed";
      count(type);
      announce(row.org, type, key, settled);
      if (row.failure_reason !== null || row.session_id === null) continue;
      completed.set(row.session_id, settled);
      announce(row.org, "checkout.completed", key, settled);
    }
    for await (const { kind, key, payload, due: at } of inSlices(world.timers.walk(until))) {
      if (kind === ATTEMPT_TIMER) {
        const { webhook_id: webhookId, event_id: eventId, attempt } = payload as unknown as AttemptPayload;
        aheadOf(webhookId).planned.push({ eventId, attempt, dueAt: at });
      } else if (kind === TIMEOUT_TIMER) {
        const row = underWay.get(key);
        if (row?.trigger === "automatic")
          aheadOf(row.webhook_id).timedOut.push({ eventId: row.event_id, attempt: row.attempt, dueAt: at });
        else if (row) byHand += 1;
      } else if (kind === SESSION_EXPIRY && (completed.get(key) ?? Number.POSITIVE_INFINITY) > at) {
        count("checkout.expired");
        announce(payload.org as string, "checkout.expired", key, at, isPast.get(key)?.seeded === 1);
      }
    }

    const attempts = { least: byHand, most: byHand };
    for (const [webhookId, one] of ahead) {
      const { least, most } = countAttempts(webhookId, one, until);
      attempts.least += least;
      attempts.most += most;
    }
    return { attempts, events };
  };
}
