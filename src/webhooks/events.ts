import type { PaymentsContext } from "../payments/context.ts";
import type { EventType } from "../payments/webhooks/event-types.ts";
import { deliveryBody } from "../payments/webhooks/payload.ts";
import type { Plans } from "./plans.ts";
import type { Subscriptions } from "./subscriptions.ts";

/** What an event's body is made from. */
interface EventRow {
  type: string;
  data: string;
  created_at: number;
}

export type WebhookEvents = ReturnType<typeof createWebhookEvents>;

/** Turns what happened into events, and an event into a plan for each endpoint that subscribes to it. */
export function createWebhookEvents({ world }: PaymentsContext, subscriptions: Subscriptions, plans: Plans) {
  const { store, ids, clock } = world;
  const position = store.sql<{ n: number }>("select coalesce(max(rowid), 0) as n from webhook_events");
  const newer = store.sql<{ id: string }>("select id from webhook_events where rowid > ? order by rowid");
  const read = store.sql<EventRow>("select type, data, created_at from webhook_events where id = ?");
  const insertEvent = store.sql(
    "insert into webhook_events (id, org, type, data, created_at) values (?, ?, ?, ?, ?)",
  );

  function write(org: string, type: EventType, data: unknown): string {
    const id = ids.next("evt_");
    insertEvent.run(id, org, type, JSON.stringify(data), clock.now());
    return id;
  }

  return {
    exists: (id: string): boolean => read.get(id) !== undefined,
    /** A position in the order of events, for `since`. */
    count: (): number => position.get()!.n,
    /** The ids of the events after a position. */
    since: (after: number): string[] => newer.all(after).map(({ id }) => id),

    /** The body of an event's deliveries to an endpoint: made from the stored event, so always the same bytes. */
    bodyOf(eventId: string, webhookId: string): string {
      const { type, data, created_at: at } = read.get(eventId)!;
      return deliveryBody({ type, webhookId, at, data });
    },

    /** Stores an event without a plan: the one of a test delivery. */
    write,

    /**
     * Sends an event to the organization's endpoints: their first attempts are due now.
     * @param past whether it is about the seeded past: then only seeded endpoints get it
     * @returns the event's id; undefined if no endpoint gets it
     */
    emit(org: string, type: EventType, makeData: () => unknown, past = false): string | undefined {
      const subscribed = subscriptions.of(org, type, past);
      if (subscribed.length === 0) return undefined;
      const eventId = write(org, type, makeData());
      for (const { id, status } of subscribed) plans.open(eventId, type, id, status === "enabled");
      return eventId;
    },
  };
}
