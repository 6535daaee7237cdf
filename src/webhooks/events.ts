import type { EngineContext } from "./context.ts";
import type { Plans } from "./plans.ts";
import type { StoredEvent } from "./sender.ts";
import type { Subscriptions } from "./subscriptions.ts";

/** A world's events. `org` is an account: an organization of the platform, or a sender's name. */
export interface WebhookEvents {
  exists(id: string): boolean;
  /** The position after the newest event, for `since`. */
  count(): number;
  /** The ids of events after a position. */
  since(after: number): string[];
  /** The body that an endpoint receives for an event. It is derived from the stored event, so the bytes never change. */
  bodyOf(eventId: string, webhookId: string): string;
  /** Stores an event without a plan, for a test delivery. @returns its id */
  write(org: string, type: string, data: unknown): string;
  /**
   * Sends an event to an account's endpoints; their first attempts are due now.
   * @param options `past` for an event of the seeded history, which only seeded endpoints get; `id`, if it already has
   * one; `unsent`, to store it even if no endpoint gets it
   * @returns the event's id; undefined if it is not stored
   */
  emit(
    org: string,
    type: string,
    makeData: () => unknown,
    options?: { past?: boolean; id?: string; unsent?: boolean },
  ): string | undefined;
  /** An account's disabled endpoints that subscribe to `type`. */
  disabled(org: string, type: string): { webhook_id: string; url: string }[];
}

/** Creates events, with a plan for each subscribed endpoint. */
export function createWebhookEvents(
  { world }: EngineContext,
  subscriptions: Subscriptions,
  plans: Plans,
): WebhookEvents {
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
    exists: (id) => read.get(id) !== undefined,
    count: () => position.get()!.n,
    since: (after) => newer.all(after).map(({ id }) => id),
    bodyOf: (eventId, webhookId) =>
      subscriptions.target(webhookId).sender.body(read.get(eventId)!, webhookId),
    write,
    emit(org, type, makeData, { past = false, id, unsent = false } = {}) {
      const subscribed = subscriptions.of(org, type, past);
      if (subscribed.length === 0 && !unsent) return undefined;
      const eventId = write(org, type, makeData(), id);
      for (const { id, status } of subscribed) plans.open(eventId, type, id, status);
      return eventId;
    },
    disabled: (org, type) =>
      subscriptions
        .of(org, type)
        .filter(({ status }) => status !== "enabled")
        .map(({ id }) => ({ webhook_id: id, url: subscriptions.target(id).url })),
  };
}
