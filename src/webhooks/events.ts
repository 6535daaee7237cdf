import type { EngineContext } from "./context.ts";
import type { Plans } from "./plans.ts";
import type { StoredEvent } from "./sender.ts";
import type { Subscriptions } from "./subscriptions.ts";

export type WebhookEvents = ReturnType<typeof createWebhookEvents>;

/** Turns happenings into events, and an event into a plan for each subscribed endpoint. */
export function createWebhookEvents({ world }: EngineContext, subscriptions: Subscriptions, plans: Plans) {
  const { store, ids, clock } = world;
  const position = store.sql<{ n: number }>("select coalesce(max(rowid), 0) as n from webhook_events");
  const newer = store.sql<{ id: string }>("select id from webhook_events where rowid > ? order by rowid");
  const read = store.sql<StoredEvent>("select type, data, created_at from webhook_events where id = ?");
  const insertEvent = store.sql(
    "insert into webhook_events (id, org, type, data, created_at) values (?, ?, ?, ?, ?)",
  );

  function write(org: string, type: string, data: unknown, id = ids.next("evt_")): string {
    insertEvent.run(id, org, type, JSON.stringify(data), clock.now());
    return id;
  }

  return {
    exists: (id: string): boolean => read.get(id) !== undefined,
    /** A position in the order of events, for `since`. */
    count: (): number => position.get()!.n,
    /** The ids of the events after a position. */
    since: (after: number): string[] => newer.all(after).map(({ id }) => id),

    /** The body of an event's deliveries to an endpoint, made from the stored event, so its bytes never change. */
    bodyOf(eventId: string, webhookId: string): string {
      return subscriptions.target(webhookId).sender.body(read.get(eventId)!, webhookId);
    },

    /** Stores an event without a plan, for a test delivery. */
    write,

    /**
     * Sends an event to an account's endpoints: their first attempts are due now.
     * @param options `past`, if it is about the seeded past: then only seeded endpoints get it; `id`, if it has one already;
     * `unsent`, to store it although no endpoint gets it
     * @returns the event's id; undefined if it is not stored
     */
    emit(
      org: string,
      type: string,
      makeData: () => unknown,
      { past = false, id, unsent = false }: { past?: boolean; id?: string; unsent?: boolean } = {},
    ): string | undefined {
      const subscribed = subscriptions.of(org, type, past);
      if (subscribed.length === 0 && !unsent) return undefined;
      const eventId = write(org, type, makeData(), id);
      for (const { id, status } of subscribed) plans.open(eventId, type, id, status);
      return eventId;
    },

    /** The endpoints of an account that subscribe to `type` and are disabled now. */
    disabled: (org: string, type: string) =>
      subscriptions
        .of(org, type)
        .filter(({ status }) => status === "disabled")
        .map(({ id }) => ({ webhook_id: id, url: subscriptions.target(id).url })),
  };
}
