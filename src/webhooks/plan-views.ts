import type { Store } from "../world/store.ts";
import { ATTEMPT_TIMER } from "./plans.ts";
import type { PlanRow } from "./rows.ts";

/** An attempt that is due later. */
interface PlannedRow {
  event_id: string;
  event: string;
  attempt: number;
  due_at: number;
}

/** An attempt that will not be made. */
interface SkippedRow extends Pick<PlanRow, "event_id" | "reason"> {
  event: string;
  attempt: number;
  /** When it was skipped. */
  at: number;
}

/** An event's plan at an endpoint. */
export type PlanAt = PlanRow & { url: string };

/** Plans as timelines and payments show them. */
export interface PlanViews {
  /** The next planned attempts at an endpoint, in the order in which they are due. */
  planned(webhookId: string, limit: number): PlannedRow[];
  /** Attempts of an endpoint that were skipped, the latest ones, oldest first. */
  skipped(webhookId: string, limit: number): SkippedRow[];
  /** An event's plans, with the URL of each endpoint. */
  ofEvent(eventId: string): PlanAt[];
}

export function createPlanViews(store: Store): PlanViews {
  // The conditions are literals, because SQLite uses no partial index for a bound value.
  const planned = store.sql<PlannedRow>(
    `select p.event_id, e.type as event, p.attempts + 1 as attempt, t.due as due_at from webhook_plans p
     cross join timers t on t.kind = '${ATTEMPT_TIMER}' and t.key = p.event_id || '/' || p.webhook_id
     join webhook_events e on e.id = p.event_id
     where p.webhook_id = ? and p.state = 'active' order by p.next_attempt_at, t.id limit ?`,
  );
  const skipped = store.sql<SkippedRow>(
    `select * from (select p.event_id, e.type as event, p.attempts + 1 as attempt, p.reason, p.updated_at as at
       from webhook_plans p cross join webhook_events e on e.id = p.event_id
       where p.webhook_id = ? and p.reason is not null order by p.updated_at desc, p.event_id desc limit ?)
     order by at, event_id`,
  );
  const ofEvent = store.sql<PlanAt>(
    `select p.*, w.url from webhook_plans p join webhooks w on w.id = p.webhook_id
     where p.event_id = ? order by w.created_at, w.id`,
  );
  return { planned: planned.all, skipped: skipped.all, ofEvent: ofEvent.all };
}
