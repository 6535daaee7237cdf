import { listenByEvents } from "./live.ts";
import type { Answer, Json, TestSandbox } from "./sandbox.ts";
import { type Received, startSubscriber } from "./subscriber.ts";

/** The clock's time in a new test sandbox. */
export const START = Date.parse("2026-01-15T09:00:00.000Z");

/** The virtual seconds since `START`. */
export const seconds = (instant: string): number => (Date.parse(instant) - START) / 1_000;

/** The virtual instant this many seconds after `START`. */
export const at = (offset: number): string => new Date(START + offset * 1_000).toISOString();

/** When an endpoint's attempts started, in virtual seconds, in the order in which they were made. */
export async function startsOf(sandbox: TestSandbox, webhookId: string): Promise<number[]> {
  const { attempts } = await sandbox.timeline(webhookId);
  return attempts.map(({ started_at: instant }: Json) => seconds(instant));
}

/**
 * Creates an endpoint that receives only `payment.completed`. Also returns a function that makes `count` payments in a
 * row.
 */
export async function startShop(sandbox: TestSandbox, url: string, fields: Record<string, unknown> = {}) {
  const webhook = await sandbox.createWebhook(url, { events: ["payment.completed"], ...fields });
  const link = await sandbox.createLink();
  return {
    webhook,
    link,
    async pay(count = 1): Promise<Json[]> {
      const paid: Json[] = [];
      while (paid.length < count) paid.push(await sandbox.pay({ payment_link_id: link.id }));
      return paid;
    },
    state: () => sandbox.webhook(webhook.id),
    timeline: () => sandbox.timeline(webhook.id),
    retry: (deliveryId: string): Promise<Answer> =>
      sandbox.api("POST", `/webhooks/${webhook.id}/deliveries/${deliveryId}/retry`),
    test: (): Promise<Answer> => sandbox.api("POST", `/webhooks/${webhook.id}/test`),
    enable: () => sandbox.control("POST", `/webhooks/${webhook.id}/enable`),
    disable: () => sandbox.control("POST", `/webhooks/${webhook.id}/disable`),
    remove: () => sandbox.api("DELETE", `/webhooks/${webhook.id}`),
    fault: (fault: Record<string, unknown>) => sandbox.control("PUT", `/webhooks/${webhook.id}/fault`, fault),
    works: () => sandbox.control("DELETE", `/webhooks/${webhook.id}/fault`),
  };
}

export interface OpenRequest {
  received: Received;
  /** Responds to the request. Only the first call has an effect. */
  answer: (status: number) => void;
}

/** A subscriber that keeps every request open until the test responds to it. */
export async function startHeldSubscriber() {
  const open: OpenRequest[] = [];
  const subscriber = await startSubscriber((received, response) => {
    open.push({ received, answer: (status) => void response.writeHead(status).end() });
  });
  return { url: subscriber.url, open, arrived: subscriber.arrived };
}

/** A subscriber that accepts requests and never responds. */
export const startHangingSubscriber = () => startSubscriber(() => undefined);

/** Follows the journal over HTTP from its start. */
export const followJournal = (sandbox: TestSandbox) => listenByEvents(sandbox.url, "?after=0");

/** A copy of a value without the fields that depend on real time, and without the given keys. */
export function withoutWallTime(value: unknown, ...more: string[]): unknown {
  const dropped = new Set(["wall", "duration_ms", ...more]);
  return JSON.parse(JSON.stringify(value, (key, inner) => (dropped.has(key) ? undefined : inner)));
}
