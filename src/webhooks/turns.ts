import type { Store } from "../world/store.ts";

interface Waiting {
  event_id: string;
  event: string;
}

/**
 * The order of events at endpoints whose sender sends each one only after all older ones have succeeded or permanently
 * failed.
 */
export interface Turns {
  mustWait(webhookId: string): boolean;
  /** The oldest event waiting at an endpoint. */
  next(webhookId: string): Waiting | undefined;
}

/** @param isOrdered whether this endpoint's events wait for each other */
export function createTurns(store: Store, isOrdered: (webhookId: string) => boolean): Turns {
  const unfinished = store.sql<{ found: 1 }>(
    "select 1 as found from webhook_plans where webhook_id = ? and state = 'active' limit 1",
  );
  /** A plan that waits for older events has neither attempts nor a timer. */
  const nextInOrder = store.sql<Waiting>(
    `select p.event_id, e.type as event from webhook_plans p
     join webhook_events e on e.id = p.event_id
     where p.webhook_id = ? and p.state = 'active' and p.next_attempt_at is null and p.attempts = 0
     order by e.rowid limit 1`,
  );
  return {
    mustWait: (webhookId) => isOrdered(webhookId) && unfinished.get(webhookId) !== undefined,
    next: (webhookId) => (isOrdered(webhookId) ? nextInOrder.get(webhookId) : undefined),
  };
}
