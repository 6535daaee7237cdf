import type { Hint } from "../errors/errors.ts";
import type { WebhookEvents } from "../webhooks/events.ts";
import { iso } from "../world/duration.ts";
import type { World } from "../world/world.ts";
import { invalidTransition } from "./errors.ts";
import type { LinkUses } from "./link-uses.ts";
import type { SessionRow } from "./rows.ts";
import { EVENTS } from "./webhooks/event-types.ts";
import { sessionResource } from "./webhooks/payload.ts";
import { SESSION_EXPIRY } from "./words.ts";

/** The hint for a session that cannot be used. */
export const OTHER_SESSIONS: Hint = {
  command: "List the sessions that can be paid or expired: npx sandglass sessions --status active",
  library: "Open one with payments.openSession(link), or pay a payment link.",
  http: "Open one with POST /api/v1/checkout-sessions, or pay a payment link.",
};

/** The fields that an expiry timer stores along with the session's id, so that ten thousand expiries need no reads. */
type SessionOwner = Pick<SessionRow, "id" | "org" | "payment_link_id">;

/**
 * How checkout sessions end: from active to completed when a payment is confirmed, or from active to expired on
 * timeout or on request. There are no other transitions. Handles the expiry timers. See docs/guide/payments.md,
 * "Sessions".
 */
export interface SessionEndings {
  /**
   * @param action a participle for the message, such as "expired"
   * @throws PlatformError invalid_status_transition unless it is active
   */
  requireActive(row: SessionRow, action: string): void;
  /** Claims a seeded session for a caller who changes it: from then on, its events reach every endpoint. */
  claim(row: SessionRow): void;
  /** Schedules the expiry of a new session. */
  plan(session: SessionOwner & Pick<SessionRow, "expires_at">): void;
  /** Expires an active session on request, and notifies subscribers. */
  expire(session: SessionOwner): void;
  /** Completes an active session; false if it is no longer active. */
  complete(id: string, transactionId: string, discountCode: string | null): boolean;
}

export function createSessionEndings(world: World, uses: LinkUses, events: WebhookEvents): SessionEndings {
  const { store, clock, timers, journal, scheduler } = world;
  const byId = store.sql<SessionRow>("select * from checkout_sessions where id = ?");
  const expireRow = store.sql<Pick<SessionRow, "seeded">>(
    "update checkout_sessions set status = 'expired', expired_at = ?, updated_at = ? where id = ? and status = 'active' returning seeded",
  );
  const claimRow = store.sql("update checkout_sessions set seeded = 0 where id = ?");
  const completeRow = store.sql(
    `update checkout_sessions set status = 'completed', completed_at = ?, updated_at = ?, transaction_id = ?, discount_code = ?
     where id = ? and status = 'active'`,
  );
  scheduler.handle(SESSION_EXPIRY, ({ key: id, payload }) => {
    expireActive({ ...(payload as unknown as SessionOwner), id }, "time");
    return undefined;
  });

  /** Expires an active session; any other session stays unchanged. */
  function expireActive({ id, org, payment_link_id }: SessionOwner, cause: "time" | "request"): void {
    const now = clock.now();
    const expired = expireRow.get(now, now, id);
    if (!expired) return;
    if (cause === "request") timers.cancel(SESSION_EXPIRY, id);
    const past = expired.seeded === 1;
    const seeded = past && { seeded: true };
    journal.append("checkout.expired", { id, organization: org, payment_link_id, cause, ...seeded });
    const ended = () => EVENTS["checkout.expired"].data(sessionResource(byId.get(id)!, null));
    events.emit(org, "checkout.expired", ended, { past });
  }

  return {
    requireActive(row, action) {
      if (row.status === "active") return;
      const at = row.status === "expired" ? row.expired_at : row.completed_at;
      const since = at === null ? "" : ` at ${iso(at)}`;
      const ended = row.status === "expired" ? `expired${since}` : `was ${row.status}${since}`;
      throw invalidTransition(
        `The checkout session ${ended} and cannot be ${action}.`,
        "status",
        OTHER_SESSIONS,
      );
    },

    claim({ id, seeded }) {
      if (seeded === 1) claimRow.run(id);
    },

    plan: ({ id, org, payment_link_id, expires_at }) =>
      timers.set(SESSION_EXPIRY, id, expires_at, { org, payment_link_id }),
    expire: (session) => expireActive(session, "request"),

    complete(id, transactionId, discountCode) {
      const now = clock.now();
      if (completeRow.run(now, now, transactionId, discountCode, id).changes === 0) return false;
      timers.cancel(SESSION_EXPIRY, id);
      const { org, payment_link_id: linkId } = byId.get(id)!;
      if (linkId !== null) uses.count(linkId);
      journal.append("checkout.completed", {
        id,
        organization: org,
        payment_link_id: linkId,
        transaction_id: transactionId,
      });
      return true;
    },
  };
}
