import type { PaymentsContext } from "../context.ts";
import type { WebhookRow } from "../rows.ts";
import { deliveryBody, type EventType } from "./payload.ts";

/** The timer of an event's next automatic attempt at an endpoint; its key is `planKey`. */
export const ATTEMPT_TIMER = "webhooks.attempt";

export const planKey = (eventId: string, webhookId: string): string => `${eventId}/${webhookId}`;

export type WebhookEvents = ReturnType<typeof createWebhookEvents>;

/** Turns what happened into events, and an event into a plan for each endpoint that subscribes to it. */
export function createWebhookEvents({ world }: PaymentsContext) {
  const { store, ids, clock, timers, journal } = world;
  const endpoints = store.sql<WebhookRow>(
    "select * from webhooks where org = ? and deleted_at is null order by created_at, id",
  );
  const position = store.sql<{ n: number }>("select coalesce(max(rowid), 0) as n from webhook_events");
  const newer = store.sql<{ id: string }>("select id from webhook_events where rowid > ? order by rowid");
  const insertEvent = store.sql(
    "insert into webhook_events (id, org, type, data, created_at) values (?, ?, ?, ?, ?)",
  );
  const insertPlan = store.sql(
    `insert into webhook_plans (event_id, webhook_id, state, reason, body, attempts, next_attempt_at, created_at, updated_at)
     values (?, ?, ?, ?, ?, 0, ?, ?, ?)`,
  );

  return {
    /** A position in the order of events, for `since`. */
    count: (): number => position.get()!.n,
    /** The ids of the events after a position. */
    since: (after: number): string[] => newer.all(after).map(({ id }) => id),

    /**
     * Sends an event to the organization's endpoints: their first attempts are due now. A disabled endpoint
     * gets none, which its timeline shows.
     * @returns the event's id; undefined when nobody subscribes to it
     */
    emit(org: string, type: EventType, makeData: () => unknown): string | undefined {
      const subscribed = endpoints.all(org).filter((row) => subscribes(row, type));
      if (subscribed.length === 0) return undefined;
      const now = clock.now();
      const eventId = ids.next("evt_");
      const data = makeData();
      insertEvent.run(eventId, org, type, JSON.stringify(data), now);
      for (const { id: webhookId, status } of subscribed) {
        const body = deliveryBody({ type, webhookId, at: now, data });
        const enabled = status === "enabled";
        insertPlan.run(
          eventId,
          webhookId,
          enabled ? "active" : "skipped",
          enabled ? null : "endpoint_disabled",
          body,
          enabled ? now : null,
          now,
          now,
        );
        if (enabled)
          timers.set(ATTEMPT_TIMER, planKey(eventId, webhookId), now, {
            event_id: eventId,
            webhook_id: webhookId,
          });
        else
          journal.append("delivery.skipped", {
            webhook_id: webhookId,
            event_id: eventId,
            event: type,
            reason: "endpoint_disabled",
          });
      }
      return eventId;
    },
  };
}

export function subscribes(row: WebhookRow, type: string): boolean {
  const events = JSON.parse(row.events) as string[];
  return events.includes("*") || events.includes(type);
}
