import { OWN_HEADERS } from "../runtime/own-requests.ts";
import type { DeliveryTrigger } from "../timeline/shapes.ts";
import { inserter } from "../world/save.ts";
import type { Job, Outcome } from "../world/scheduler.ts";
import type { Timer } from "../world/timers.ts";
import type { EngineContext } from "./context.ts";
import { createDispatcher } from "./dispatcher.ts";
import type { Endpoints } from "./endpoints.ts";
import type { WebhookEvents } from "./events.ts";
import type { SendResult } from "./exchange.ts";
import { notOwnAddress } from "./failures.ts";
import { createHeldRequests } from "./held-requests.ts";
import { ATTEMPT_TIMER, type AttemptPayload, type Plans } from "./plans.ts";
import { createResults, type OpenAttempt, TIMEOUT_TIMER, UNANSWERED } from "./results.ts";
import type { DeliveryRow } from "./rows.ts";
import {
  type AttemptFault,
  faultAt,
  faultTarget,
  readFault,
  type SubscriberFault,
  simulate,
  writeFault,
} from "./subscriber-faults.ts";
import type { Subscriptions, Target } from "./subscriptions.ts";

/** The timer that repeats an attempt after a crash or a restore interrupted it. */
export const RESUME_TIMER = "webhooks.resume";

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

/** The request an attempt makes. */
interface Composed {
  target: Target;
  headers: Record<string, string>;
  makeHeaders: (newSecret?: string) => Record<string, string>;
  body: string;
}

type AttemptParts = {
  endpoints: Endpoints;
  events: WebhookEvents;
  subscriptions: Subscriptions;
  plans: Plans;
};

export type Attempts = ReturnType<typeof createAttempts>;

/** Attempts: begun in a transaction, sent outside any, and recorded in another with the consequences of the result. */
export function createAttempts(
  context: EngineContext,
  { endpoints, events, subscriptions, plans }: AttemptParts,
) {
  const { world, settings } = context;
  const { store, ids, clock, timers, journal, faults, scheduler } = world;
  const dispatcher = createDispatcher(settings.inside);
  const carry = settings.courier?.(dispatcher.send) ?? dispatcher.send;
  const held = createHeldRequests(store);
  const results = createResults(world, { endpoints, subscriptions, plans, held });

  const insert = inserter<DeliveryRow>(store, "webhook_deliveries");
  const restart = store.sql(
    "update webhook_deliveries set url = ?, request_headers = ?, started_at = ? where id = ?",
  );
  const endFault = store.sql("update webhook_deliveries set fault = null where id = ?");
  const unfinished = store.sql<DeliveryRow>(
    "select * from webhook_deliveries where id = ? and ended_at is null",
  );
  const interrupted = store.sql<DeliveryRow>(
    "select * from webhook_deliveries where ended_at is null order by started_at, rowid",
  );
  const firstId = store.sql<{ id: string }>(
    "select id from webhook_deliveries where event_id = ? and webhook_id = ? order by rowid limit 1",
  );

  scheduler.handle(ATTEMPT_TIMER, fireAttempt);
  scheduler.handle(RESUME_TIMER, fireResume);
  scheduler.handle(TIMEOUT_TIMER, fireTimeout);

  /** A due automatic attempt. Anything that ends its plan cancels its timer, so the plan is active. */
  function fireAttempt({ payload }: Timer): () => Job {
    const { event_id: eventId, webhook_id: webhookId, event, attempt } = payload as unknown as AttemptPayload;
    if (attempt > 1) plans.forgetNext(eventId, webhookId);
    return begin(webhookId, { eventId, event, attempt, trigger: "automatic", retryOf: null }).start;
  }

  /** Records an attempt as pending. `start` sends it, once that is committed. */
  function begin(webhookId: string, next: NewAttempt): { id: string; start: () => Job } {
    const { eventId, event, attempt, trigger, retryOf } = next;
    const id = ids.next("del_");
    const startedAt = clock.now();
    const target = subscriptions.target(webhookId);
    const request = compose(target, id, next);
    const fault = takeFault(webhookId);
    const headers = JSON.stringify(request.headers);
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
      request_headers: headers,
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
    return { id, start: () => send(open, request) };
  }

  /** The request of an attempt that begins now: the event's body, signed with the present secret. */
  function compose(
    target: Target,
    id: string,
    { eventId, event, trigger }: Pick<NewAttempt, "eventId" | "event" | "trigger">,
  ): Composed {
    const { sender, url, secret, id: endpointId } = target;
    const body = events.bodyOf(eventId, endpointId);
    const shared = sender.deliveryId === "event" ? firstId.get(eventId, endpointId)?.id : undefined;
    const message = {
      ...{ eventId, endpointId, type: event, body, url, secret },
      deliveryId: shared ?? id,
      at: clock.now(),
      test: trigger === "test",
    };
    const headers = { ...target.headers, ...sender.headers(message) };
    const makeHeaders = (newSecret?: string) => {
      if (newSecret === undefined && !sender.signsRealTime) return { ...headers, ...OWN_HEADERS };
      const secrets = newSecret === undefined ? {} : { secret: newSecret, also: [secret] };
      return { ...target.headers, ...sender.headers({ ...message, ...secrets }), ...OWN_HEADERS };
    };
    return { target, headers, makeHeaders, body };
  }

  function takeFault(webhookId: string): AttemptFault | null {
    const taken = faults.take(faultTarget(webhookId));
    return taken ? faultAt(taken.spec as SubscriberFault, taken.step) : null;
  }

  function send(open: OpenAttempt, { target, headers, makeHeaders, body }: Composed): Job {
    const { fault } = open;
    const { policy } = target.sender;
    const end = (answer: SendResult): Outcome => {
      const result = fault ? simulate(fault.name, policy.succeeds) : answer;
      if (!result) return { commit: () => interrupt(open) };
      return { show: () => results.show(open, result), commit: () => results.record(open, result) };
    };
    const endNow = (answer: SendResult): Job => ({
      outcome: Promise.resolve(end(answer)),
      hurry: () => undefined,
    });
    if (!target.connects) return endNow(blocked(target));
    if (fault?.sent === "no") return endNow(UNANSWERED);
    const request = {
      lane: open.webhookId,
      origin: target.origin,
      path: target.path,
      headers: { ...headers, ...OWN_HEADERS },
      makeHeaders,
      body,
      onlyTo: target.confined_to ?? undefined,
      succeeds: policy.succeeds,
      timeout: () => scheduler.patience.for(open.webhookId, policy.timeout),
    };
    const go = () => carry(request, open);
    if (fault?.sent === "next") {
      held.add(open.webhookId, { id: open.id, go });
      return endNow(UNANSWERED);
    }
    held.sendAll(open.webhookId);
    const sending = go();
    return {
      outcome: sending.result.then((result) => {
        scheduler.patience.note(open.webhookId, result.error === "timeout");
        return end(result);
      }),
      hurry: (ms) => sending.hurry(ms),
    };
  }

  /** Leaves an attempt to the next start, as if the process was killed: it is sent again, under the same id. */
  function interrupt(open: OpenAttempt): void {
    endFault.run(open.id);
    timers.set(RESUME_TIMER, open.id, clock.now());
  }

  function fireTimeout({ key, payload }: Timer): undefined {
    const row = unfinished.get(key);
    if (!row) return;
    const { response_code: responseCode } = payload as { response_code: number | null };
    results.record(openAttempt(row), { ...UNANSWERED, responseCode });
  }

  function fireResume({ key }: Timer): (() => Job) | undefined {
    const row = unfinished.get(key);
    if (!row) return undefined;
    if (row.status !== "pending") {
      results.recordShown(openAttempt(row), row);
      return undefined;
    }
    const open = { ...openAttempt(row), startedAt: clock.now() };
    const request = compose(subscriptions.target(open.webhookId), open.id, open);
    restart.run(request.target.url, JSON.stringify(request.headers), open.startedAt, open.id);
    const { id, webhookId, eventId, attempt } = open;
    journal.append("delivery.resumed", { id, webhook_id: webhookId, event_id: eventId, attempt });
    return () => send(open, request);
  }

  return {
    begin,

    /** Plans to repeat, or to record, attempts that were in progress when the process, or their world, ended. */
    recover(): void {
      store.transaction(() => {
        for (const row of interrupted.all())
          if (!timers.get(TIMEOUT_TIMER, row.id)) timers.set(RESUME_TIMER, row.id, row.started_at);
      });
    },

    close: dispatcher.close,
  };
}

const openAttempt = (row: DeliveryRow): OpenAttempt => ({
  id: row.id,
  webhookId: row.webhook_id,
  eventId: row.event_id,
  event: row.event,
  attempt: row.attempt,
  trigger: row.trigger,
  fault: row.fault === null ? null : readFault(row.fault),
  startedAt: row.started_at,
});

function blocked({ url, confined_to: address }: Target): SendResult {
  const { host } = new URL(url);
  const detail =
    address === null
      ? `${host} is not on this machine, and the sandbox sends nothing anywhere else. Allow the host in webhooks.allowHttpHosts, or all with webhooks.allowExternal.`
      : notOwnAddress(host);
  return { ...UNANSWERED, error: "blocked_by_network_policy", detail };
}
