import { type EndpointChange, stateOf } from "../timeline/endpoint-state.ts";
import type { Timeline, TimelineAttempt } from "../timeline/schemas.ts";
import { iso, isoOrNull } from "../world/duration.ts";
import type { Store } from "../world/store.ts";
import type { EngineContext } from "./context.ts";
import type { Endpoints } from "./endpoints.ts";
import { notFound } from "./errors.ts";
import { ATTEMPT_TIMER } from "./plans.ts";
import { forecast } from "./policy.ts";
import type { DeliveryRow } from "./rows.ts";
import type { Notice } from "./senders.ts";

/** An attempt's position among all attempts. It never changes, even when an interrupted attempt is resent. */
interface Position {
  created_at: number;
  position: number;
}

const END: Position = { created_at: Number.MAX_SAFE_INTEGER, position: 0 };

/** If at least this many attempts are planned, make a forecast: the endpoint is nearly always disabled earlier. */
const ENOUGH_TO_FORECAST = 1_000;

/** A timeline item whose instant is still in virtual milliseconds. */
type Dated<List extends "planned" | "skipped", Key extends string> = Omit<Timeline[List][number], Key> &
  Record<Key, number>;

/** Which attempts a timeline lists, and into how many time slices it groups the earlier ones. */
export interface TimelineRange {
  /** Lists only attempts made before this delivery. */
  before?: string | undefined;
  slices?: number;
}

/** The results of attempts within a slice of time. */
export interface EarlierSlice extends Record<DeliveryRow["status"], number> {
  from: string;
  to: string;
}

/** The attempts before those that a timeline lists. */
interface EarlierAttempts {
  attempts: number;
  /** When the first of these attempts was made; null if there are none. */
  since: string | null;
  /** The results of these attempts, in equal time slices; empty slices are left out. */
  slices: EarlierSlice[];
}

/** An endpoint's past and future, as far as they are listed. */
interface EndpointTimeline extends Timeline {
  webhook_id: string;
  retry_delays: number[];
  earlier: EarlierAttempts;
}

/**
 * Reads an endpoint's past and future, in virtual time. See docs/guide/webhooks.md, "The timeline".
 * @param limit the maximum length of each list: the latest attempts, the next planned ones, the latest skipped ones
 * @throws Refusal resource_not_found, for the webhook or the delivery in `before`
 */
export type ReadTimeline = (webhookId: string, limit: number, range?: TimelineRange) => EndpointTimeline;

export function createReadTimeline({ world, senders }: EngineContext, endpoints: Endpoints): ReadTimeline {
  const { store, clock } = world;
  const attempts = store.sql<DeliveryRow & Position>(
    `select * from (select *, rowid as position from webhook_deliveries
       where webhook_id = ? and (created_at, rowid) < (?, ?) order by created_at desc, rowid desc limit ?)
     order by created_at, position`,
  );
  const position = store.sql<Position>(
    "select created_at, rowid as position from webhook_deliveries where webhook_id = ? and id = ?",
  );
  const countEarlier = createEarlierCount(store);
  // The conditions are literals, because SQLite does not use partial indexes with bound values.
  const planned = store.sql<Dated<"planned", "due_at">>(
    `select p.event_id, e.type as event, p.attempts + 1 as attempt, t.due as due_at from webhook_plans p
     cross join timers t on t.kind = '${ATTEMPT_TIMER}' and t.key = p.event_id || '/' || p.webhook_id
     join webhook_events e on e.id = p.event_id
     where p.webhook_id = ? and p.state = 'active' order by p.next_attempt_at, t.id limit ?`,
  );
  const skipped = store.sql<Dated<"skipped", "at">>(
    `select * from (select p.event_id, e.type as event, p.attempts + 1 as attempt, p.reason, p.updated_at as at
       from webhook_plans p cross join webhook_events e on e.id = p.event_id
       where p.webhook_id = ? and p.reason is not null order by p.updated_at desc, p.event_id desc limit ?)
     order by at, event_id`,
  );
  const changes = store.sql<Change>(
    "select change, reason, at from webhook_state_changes where webhook_id = ? order by seq",
  );

  return (webhookId, limit, { before, slices = 0 } = {}) => {
    const webhook = endpoints.byId(webhookId);
    if (!webhook) throw notFound("webhook", webhookId);
    const end = before === undefined ? END : position.get(webhookId, before);
    if (!end) throw notFound("delivery", before!);
    const listed = attempts.all(webhookId, end.created_at, end.position, limit);
    const next = planned.all(webhookId, Math.max(limit, ENOUGH_TO_FORECAST));
    const state = stateOf(webhook);
    const { sender, noticesOf } = senders.joined(webhook.sender);
    const { policy } = sender;
    const future = forecast(
      policy,
      state,
      next.map(({ event_id: eventId, attempt, due_at: dueAt }) => ({ eventId, attempt, dueAt })),
    );
    return {
      webhook_id: webhookId,
      now: iso(clock.now()),
      status: state.status,
      counter: {
        consecutive_failures: webhook.consecutive_failures,
        threshold: policy.disableAfter.consecutive,
        counts: policy.disableAfter.count,
      },
      retry_delays: [...policy.retryDelays],
      attempts: listed.map(attemptMark),
      earlier: countEarlier(webhookId, listed[0] ?? end, slices),
      planned: next.slice(0, limit).map((row) => ({ ...row, due_at: iso(row.due_at) })),
      skipped: skipped.all(webhookId, limit).map(({ at, ...row }) => ({ ...row, at: iso(at) })),
      forecast: {
        attempts: future.attempts.slice(0, limit).map(({ eventId, attempt, dueAt }) => ({
          event_id: eventId,
          attempt,
          due_at: iso(dueAt),
        })),
        disabled_at: isoOrNull(future.disabledAt),
      },
      changes: withNotices(changes.all(webhookId), noticesOf?.(webhookId) ?? []),
    };
  };
}

const NO_RESULTS = { success: 0, failed: 0, pending: 0 };

/** Counts the attempts before a position, by result, in the given number of time slices. */
function createEarlierCount(store: Store) {
  const all = store.sql<{ n: number }>("select count(*) as n from webhook_deliveries where webhook_id = ?");
  // Usually, only a few attempts follow a position, while the earlier ones may be the whole history.
  const later = store.sql<{ n: number }>(
    "select count(*) as n from webhook_deliveries where webhook_id = ? and (created_at, rowid) >= (?, ?)",
  );
  const first = store.sql<{ since: number | null }>(
    "select min(created_at) as since from webhook_deliveries where webhook_id = ?",
  );
  const sliced = store.sql<{ slice: number; status: DeliveryRow["status"]; n: number }>(
    `select cast((created_at - ?) / ? as integer) as slice, status, count(*) as n from webhook_deliveries
     where webhook_id = ? and (created_at, rowid) < (?, ?) group by slice, status order by slice`,
  );

  return (webhookId: string, before: Position, slices: number): EarlierAttempts => {
    const { created_at: at, position: row } = before;
    const count = all.get(webhookId)!.n - later.get(webhookId, at, row)!.n;
    const since = count === 0 ? null : first.get(webhookId)!.since;
    const found = new Map<number, EarlierSlice>();
    if (since !== null && slices > 0) {
      const width = Math.floor((at - since) / slices) + 1;
      const rows = sliced.all(since, width, webhookId, at, row);
      for (const { slice, status, n } of rows) {
        const from = since + slice * width;
        const counts = found.get(slice) ?? { from: iso(from), to: iso(from + width), ...NO_RESULTS };
        counts[status] += n;
        found.set(slice, counts);
      }
    }
    return { attempts: count, since: isoOrNull(since), slices: [...found.values()] };
  };
}

interface Change {
  change: EndpointChange;
  reason: string | null;
  at: number;
}

/** Changes and e-mails in journal order: within an instant, an e-mail follows the change that it reports. */
function withNotices(changes: readonly Change[], notices: readonly Notice[]): Timeline["changes"] {
  const left = [...notices];
  const marks = changes.flatMap(({ change, reason, at }) => {
    const isOfPolicy = change === "disabled" && reason !== "dashboard" && reason !== "api";
    const mails = isOfPolicy && left[0]?.at === at ? left.splice(0, 1) : [];
    return [{ type: change, reason, at }, ...mails.map(mailMark)];
  });
  return [...marks, ...left.map(mailMark)]
    .sort((a, b) => a.at - b.at)
    .map((mark) => ({ ...mark, at: iso(mark.at) }));
}

const mailMark = ({ subject, at }: Notice) => ({ type: "mail" as const, reason: subject, at });

/** Which delivery a manual retry or resend repeats. */
export const repeated = ({ trigger, retry_of: id }: Pick<DeliveryRow, "trigger" | "retry_of">) => ({
  retry_of: trigger === "resend" ? null : id,
  resend_of: trigger === "resend" ? id : null,
});

/** An attempt as timelines show it, without headers and bodies. */
export function attemptMark(row: DeliveryRow): TimelineAttempt {
  return {
    delivery_id: row.id,
    event_id: row.event_id,
    event: row.event,
    attempt: row.attempt,
    trigger: row.trigger,
    ...repeated(row),
    status: row.status,
    response_code: row.response_code,
    error: row.error,
    error_detail: row.error_detail,
    started_at: iso(row.started_at),
    ended_at: isoOrNull(row.ended_at),
    duration_ms: row.duration_ms,
    consecutive_failures: row.consecutive_failures,
    next_attempt_at: isoOrNull(row.next_attempt_at),
  };
}
