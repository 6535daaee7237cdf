import type { Announce } from "../http/area.ts";
import { type EndpointState, skipOf, stateOf } from "../timeline/endpoint-state.ts";
import { inSlices } from "../world/slices.ts";
import type { EngineContext } from "./context.ts";
import type { Endpoints } from "./endpoints.ts";
import type { Inboxes } from "./inbox.ts";
import { ATTEMPT_TIMER, type AttemptPayload } from "./plans.ts";
import { forecast, type PlannedAttempt, type WebhookPolicy } from "./policy.ts";
import { TIMEOUT_TIMER } from "./results.ts";
import type { DeliveryRow } from "./rows.ts";
import { faultAt, faultTarget, type SubscriberFault, simulate } from "./subscriber-faults.ts";
import type { Subscriptions } from "./subscriptions.ts";

/** How many attempts an advance would make. If the number depends on responses, the minimum and the maximum. */
export interface AttemptCount {
  least: number;
  most: number;
}

interface AttemptsAhead {
  planned: PlannedAttempt[];
  timedOut: PlannedAttempt[];
}

/** How every attempt at an endpoint ends and how long it takes; undefined if that depends on its responses. */
type CertainEnd = { ok: boolean; takes: number } | undefined;

/** What determines how attempts at an endpoint end. */
interface Prospect {
  policy: WebhookPolicy;
  state: EndpointState;
  end: CertainEnd;
}

/** Predicts the attempts that timers will make up to an instant, in virtual milliseconds. */
export type AttemptOutlook = (until: number) => Promise<{
  announce: Announce;
  count(): AttemptCount;
}>;

/** Counts the attempts that timers would make, including later ones, without firing a timer or changing anything. */
export function createAttemptOutlook(
  { world, origin }: EngineContext,
  endpoints: Endpoints,
  subscriptions: Subscriptions,
  inboxes: Inboxes,
): AttemptOutlook {
  const underWay = world.store.sql<Pick<DeliveryRow, "webhook_id" | "event_id" | "attempt" | "trigger">>(
    "select webhook_id, event_id, attempt, trigger from webhook_deliveries where id = ? and status = 'pending'",
  );

  function certainEnd(webhookId: string): CertainEnd {
    const { url, connects, sender } = subscriptions.target(webhookId);
    const { timeout, succeeds } = sender.policy;
    const fault = world.faults.get(faultTarget(webhookId))?.spec as SubscriberFault | undefined;
    if (fault) {
      if (fault.sequence || fault.times !== undefined || (fault.rate ?? 1) < 1) return undefined;
      const simulated = simulate(faultAt(fault, 0)!.name, succeeds);
      if (simulated === null) return undefined;
      const { error } = simulated;
      return { ok: error === null, takes: error === "timeout" ? timeout : 0 };
    }
    if (!connects) return { ok: false, takes: 0 };
    const inbox = `${origin()}/_sandbox/inbox/`;
    if (!url.startsWith(inbox)) return undefined;
    const { status = 200, sequence, delay } = inboxes.behaviour({ name: url.slice(inbox.length) });
    return sequence || delay ? undefined : { ok: succeeds(status), takes: 0 };
  }

  return async (until) => {
    const ahead = new Map<string, AttemptsAhead>();
    /** Manual attempts have no further consequences when they time out. */
    let byHand = 0;

    const aheadOf = (webhookId: string): AttemptsAhead => {
      if (!ahead.has(webhookId)) ahead.set(webhookId, { planned: [], timedOut: [] });
      return ahead.get(webhookId)!;
    };
    for await (const { kind, key, payload, due: at } of inSlices(world.timers.walk(until))) {
      if (kind === ATTEMPT_TIMER) {
        const { webhook_id: webhookId, event_id: eventId, attempt } = payload as unknown as AttemptPayload;
        aheadOf(webhookId).planned.push({ eventId, attempt, dueAt: at });
      } else if (kind === TIMEOUT_TIMER) {
        const row = underWay.get(key);
        if (row?.trigger === "automatic")
          aheadOf(row.webhook_id).timedOut.push({ eventId: row.event_id, attempt: row.attempt, dueAt: at });
        else if (row) byHand += 1;
      }
    }

    return {
      announce(org, type, about, at, past = false) {
        for (const { id, status } of subscriptions.of(org, type, past))
          if (skipOf(status) === null)
            aheadOf(id).planned.push({ eventId: `${type} ${about}`, attempt: 1, dueAt: at });
      },

      count() {
        const counted = { least: byHand, most: byHand };
        for (const [webhookId, one] of ahead) {
          const { policy } = subscriptions.target(webhookId).sender;
          const state = stateOf(endpoints.byId(webhookId)!);
          const { least, most } = countAttempts({ policy, state, end: certainEnd(webhookId) }, one, until);
          counted.least += least;
          counted.most += most;
        }
        return counted;
      },
    };
  };
}

/**
 * Counts the attempts at an endpoint that end before an instant. Pure.
 * @param timedOut attempts in progress, and when each will time out
 */
function countAttempts(
  { policy, state, end }: Prospect,
  { planned, timedOut }: AttemptsAhead,
  until: number,
): AttemptCount {
  const takes = end?.takes ?? 0;
  const ended = (attempts: PlannedAttempt[]) => attempts.filter(({ dueAt }) => dueAt + takes <= until).length;
  const retries = timedOut.flatMap(({ attempt, dueAt, ...rest }) => {
    const delay = policy.retryDelays[attempt - 1];
    return delay === undefined ? [] : { ...rest, attempt: attempt + 1, dueAt: dueAt + delay };
  });
  const ifAllSucceed = timedOut.length + ended([...planned, ...retries]);
  if (end?.ok) return { least: ifAllSucceed, most: ifAllSucceed };

  const neverDisabled: WebhookPolicy = {
    ...policy,
    disableAfter: { consecutive: null, count: policy.disableAfter.count },
  };
  const all = [...timedOut.map((one) => ({ ...one, dueAt: one.dueAt - takes })), ...planned];
  const ifAllFail = forecast(neverDisabled, state, all, takes).attempts;
  const { disabledAt } = forecast(policy, state, all, takes);
  // Attempts in progress finish even if the endpoint is disabled.
  const failing = ended(
    disabledAt === null ? ifAllFail : ifAllFail.filter(({ dueAt }) => dueAt <= disabledAt + takes),
  );
  if (end) return { least: failing, most: failing };
  // Success keeps the endpoint enabled, so more attempts follow than if everything fails.
  return { least: Math.min(ifAllSucceed, failing), most: ended(ifAllFail) };
}
