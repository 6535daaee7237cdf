import type { SqlValue } from "../../world/store.ts";
import type { PaymentsContext } from "../context.ts";
import { deliveryBody, type EventType } from "./payload.ts";
import type { Subscriptions } from "./subscriptions.ts";

/** The timer of an event's next automatic attempt at an endpoint; its key is `planKey`. */
export const ATTEMPT_TIMER = "webhooks.attempt";

/** What the timer carries. */
export interface AttemptPayload {
  event_id: string;
  webhook_id: string;
  event: string;
  /** Which attempt it will be, 1 to 4. */
  attempt: number;
}

/** Events kept in memory for the attempts that follow at once: this many characters of data, the oldest go first. */
const RECENT_CHARACTERS = 4 * 1024 * 1024;

/** What an event's body is made from. */
interface EventRow {
  type: string;
  data: string;
  created_at: number;
}

export const planKey = (eventId: string, webhookId: string): string => `${eventId}/${webhookId}`;

export type WebhookEvents = ReturnType<typeof createWebhookEvents>;

/** Turns what happened into events, and an event into a plan for each endpoint that subscribes to it. */
export function createWebhookEvents({ world }: PaymentsContext, subscriptions: Subscriptions) {
  const { store, ids, clock, timers, journal } = world;
  const position = store.sql<{ n: number }>("select coalesce(max(rowid), 0) as n from webhook_events");
  const newer = store.sql<{ id: string }>("select id from webhook_events where rowid > ? order by rowid");
  const read = store.sql<EventRow>("select type, data, created_at from webhook_events where id = ?");
  const insertEvent = store.sql(
    "insert into webhook_events (id, org, type, data, created_at) values (?, ?, ?, ?, ?)",
  );
  const insertPlan = store.sql(
    `insert into webhook_plans (event_id, webhook_id, state, reason, attempts, next_attempt_at, created_at, updated_at)
     values (?, ?, ?, ?, 0, ?, ?, ?)`,
  );

  const recent = new Map<string, EventRow>();
  let recentCharacters = 0;

  function forgetRecent(): void {
    recent.clear();
    recentCharacters = 0;
  }

  store.onRestore(forgetRecent);
  store.afterTransaction((committed) => {
    if (!committed) forgetRecent();
  });

  function keepRecent(id: string, row: EventRow): void {
    recent.set(id, row);
    recentCharacters += row.data.length;
    if (recentCharacters <= RECENT_CHARACTERS) return;
    for (const [oldest, { data }] of recent) {
      if (recentCharacters <= RECENT_CHARACTERS) return;
      recent.delete(oldest);
      recentCharacters -= data.length;
    }
  }

  function write(org: string, type: EventType, data: unknown): string {
    const id = ids.next("evt_");
    const row = { type, data: JSON.stringify(data), created_at: clock.now() };
    insertEvent.run(id, org, type, row.data, row.created_at);
    keepRecent(id, row);
    return id;
  }

  return {
    /** A position in the order of events, for `since`. */
    count: (): number => position.get()!.n,
    /** The ids of the events after a position. */
    since: (after: number): string[] => newer.all(after).map(({ id }) => id),

    /** The body of an event's deliveries to an endpoint: made from what is kept, so always the same bytes. */
    bodyOf(eventId: string, webhookId: string): string {
      const { type, data, created_at: at } = recent.get(eventId) ?? read.get(eventId)!;
      return deliveryBody({ type, webhookId, at, data });
    },

    /** Keeps an event that nobody subscribes to: the one of a test delivery. */
    write,

    /**
     * Sends an event to the organization's endpoints: their first attempts are due now. A disabled endpoint
     * gets none, which its timeline shows.
     * @returns the event's id; undefined when nobody subscribes to it
     */
    emit(org: string, type: EventType, makeData: () => unknown): string | undefined {
      const subscribed = subscriptions.of(org, type);
      if (subscribed.length === 0) return undefined;
      const eventId = write(org, type, makeData());
      const now = clock.now();
      for (const { id: webhookId, status } of subscribed) {
        const fate: SqlValue[] =
          status === "enabled" ? ["active", null, now] : ["skipped", "endpoint_disabled", null];
        insertPlan.run(eventId, webhookId, ...fate, now, now);
        if (status === "enabled") {
          const payload: AttemptPayload = {
            event_id: eventId,
            webhook_id: webhookId,
            event: type,
            attempt: 1,
          };
          timers.set(ATTEMPT_TIMER, planKey(eventId, webhookId), now, { ...payload });
        } else {
          journal.append("delivery.skipped", {
            webhook_id: webhookId,
            event_id: eventId,
            event: type,
            reason: "endpoint_disabled",
          });
        }
      }
      return eventId;
    },
  };
}
