import { OWN_HEADERS } from "../runtime/own-requests.ts";
import type { Job, Outcome } from "../world/scheduler.ts";
import type { EngineContext } from "./context.ts";
import type { Courier, WrapCourier } from "./courier.ts";
import { createDispatcher } from "./dispatcher.ts";
import type { WebhookEvents } from "./events.ts";
import type { SendRequest, SendResult } from "./exchange.ts";
import { notOwnAddress } from "./failures.ts";
import type { HeldRequests } from "./held-requests.ts";
import { type OpenAttempt, type Results, UNANSWERED } from "./results.ts";
import type { DeliveryRow } from "./rows.ts";
import { simulate } from "./subscriber-faults.ts";
import type { Target } from "./subscriptions.ts";

/** The timer that repeats an attempt after a crash or restore interrupted it. */
export const RESUME_TIMER = "webhooks.resume";

interface AttemptRequest {
  target: Target;
  /** The recorded headers: the endpoint's own and the sender's. */
  headers: Record<string, string>;
  /** Builds the headers at the time of sending, signed with an additional secret if one is given. */
  makeHeaders: (newSecret?: string) => Record<string, string>;
  body: string;
}

/** The requests of attempts: built in the transaction that begins the attempt, and sent afterwards. */
export interface Sending {
  /** Builds the request of an attempt that starts now: the event's body, signed with the current secret. */
  prepare(
    target: Target,
    attempt: Pick<DeliveryRow, "id" | "event_id" | "event" | "trigger">,
  ): AttemptRequest;
  /** Sends a request, unless its target or a fault prevents that. The job's outcome records the result. */
  send(open: OpenAttempt, request: AttemptRequest): Job;
  /** Sends a request that is not an attempt, if its target is allowed. Nothing is recorded. */
  probe(target: Target, request: Pick<SendRequest, "headers"> & { body: string }): Promise<SendResult>;
  /** Inserts a courier between attempts and their subscribers. @returns a function that removes it */
  carriedBy(courier: WrapCourier): () => void;
  close(): void;
}

export function createSending(
  { world, settings }: EngineContext,
  events: WebhookEvents,
  held: HeldRequests,
  results: Results,
): Sending {
  const { store, clock, timers, scheduler } = world;
  const dispatcher = createDispatcher(settings.inside);
  let carry: Courier = dispatcher.send;
  const firstId = store.sql<{ id: string }>(
    "select id from webhook_deliveries where event_id = ? and webhook_id = ? order by rowid limit 1",
  );
  const endFault = store.sql("update webhook_deliveries set fault = null where id = ?");

  /** Leaves an attempt to the next start, as if the process had been killed: it is resent under the same id. */
  function interrupt(open: OpenAttempt): void {
    endFault.run(open.id);
    timers.set(RESUME_TIMER, open.id, clock.now());
  }

  return {
    prepare(target, { id, event_id: eventId, event, trigger }) {
      const { sender, url, secret, id: endpointId } = target;
      const written = events.bodyOf(eventId, endpointId);
      const body = sender.signBody?.(written, secret) ?? written;
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
    },

    send(open, { target, headers, makeHeaders, body }) {
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
        ...requestTo(target, { headers: { ...headers, ...OWN_HEADERS }, body }),
        makeHeaders,
        timeout: () => scheduler.patience.for(open.webhook_id, policy.timeout),
      };
      const { webhook_id: webhookId, event_id: eventId, ...attempt } = open;
      const go = () => carry(request, { ...attempt, webhookId, eventId });
      if (fault?.sent === "next") {
        held.add(open.webhook_id, { id: open.id, go });
        return endNow(UNANSWERED);
      }
      held.sendAll(open.webhook_id);
      const sending = go();
      return {
        outcome: sending.result.then((result) => {
          scheduler.patience.note(open.webhook_id, result.error === "timeout");
          return end(result);
        }),
        hurry: (ms) => sending.hurry(ms),
      };
    },

    async probe(target, request) {
      if (!target.connects) return blocked(target);
      const { timeout } = target.sender.policy;
      return dispatcher.send({ ...requestTo(target, request), timeout: () => timeout }).result;
    },

    carriedBy(courier) {
      carry = courier(dispatcher.send);
      return () => {
        carry = dispatcher.send;
      };
    },

    close: dispatcher.close,
  };
}

const requestTo = (
  { id, origin, path, confined_to: address, sender }: Target,
  request: Pick<SendRequest, "headers" | "body">,
): Omit<SendRequest, "timeout"> => ({
  ...{ ...request, lane: id, origin, path, onlyTo: address ?? undefined },
  succeeds: sender.policy.succeeds,
});

function blocked({ url, confined_to: address }: Target): SendResult {
  const { host } = new URL(url);
  const detail =
    address === null
      ? `${host} is not on this machine, and the sandbox only sends to this machine. Allow the host in webhooks.allowHttpHosts, or all with webhooks.allowExternal.`
      : notOwnAddress(host);
  return { ...UNANSWERED, error: "blocked_by_network_policy", detail };
}
