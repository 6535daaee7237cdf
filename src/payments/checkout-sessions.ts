import type { Hint } from "../errors/errors.ts";
import type { Input } from "../http/shapes.ts";
import type { WebhookEvents } from "../webhooks/events.ts";
import { iso, SECOND } from "../world/duration.ts";
import { inserter } from "../world/save.ts";
import type { Caller, PaymentsContext } from "./context.ts";
import { invalidTransition, notFound } from "./errors.ts";
import { equal, listPage, type PageQuery } from "./listing.ts";
import type { Organizations } from "./organizations.ts";
import { columnsOf, updateFields } from "./patch.ts";
import type { PaymentLinks } from "./payment-links.ts";
import type { SessionRow } from "./rows.ts";
import { type CheckoutSessionCreate, CheckoutSessionUpdate } from "./schemas/checkout-sessions.ts";
import { EVENTS } from "./webhooks/event-types.ts";
import { sessionResource } from "./webhooks/payload.ts";
import type { SessionStatus } from "./words.ts";

export const SESSION_EXPIRY = "payments.session_expiry";
export const DEFAULT_SESSION_SECONDS = 1_800;

/** The way out if a session cannot be used. */
export const OTHER_SESSIONS: Hint = {
  command: "Print those that can be paid or expired: npx sandglass sessions --status active",
  library: "Open one with payments.openSession(link), or pay a payment link.",
  http: "Open one with POST /api/v1/checkout-sessions, or pay a payment link.",
};

/** Opening a session is not audited: only created, updated and deleted resources of the contract's table are. */
export type NewSession = Omit<CheckoutSessionCreate, "payment_link_id">;

/** Fields that the expiry timer stores beside the session's id, so that ten thousand expiries read nothing. */
export type SessionOwner = Pick<SessionRow, "id" | "org" | "payment_link_id">;

export type CheckoutSessions = ReturnType<typeof createCheckoutSessions>;

const WRITABLE = columnsOf(CheckoutSessionUpdate, "status");

/** active → completed by a confirmed payment; active → expired by time or by request; no other change. */
export function createCheckoutSessions(
  { world, origin }: PaymentsContext,
  organizations: Organizations,
  links: PaymentLinks,
  webhookEvents: WebhookEvents,
) {
  const { store, ids, clock, timers, journal } = world;
  const byId = store.sql<SessionRow>("select * from checkout_sessions where id = ?");
  const byReference = store.sql<SessionRow>(
    `select * from checkout_sessions where client_reference_id = ?
     order by status = 'active' desc, created_at desc, id desc limit 1`,
  );
  const insert = inserter<SessionRow>(store, "checkout_sessions");
  const expireRow = store.sql<Pick<SessionRow, "seeded">>(
    "update checkout_sessions set status = 'expired', expired_at = ?, updated_at = ? where id = ? and status = 'active' returning seeded",
  );
  const claimRow = store.sql("update checkout_sessions set seeded = 0 where id = ?");
  const completeRow = store.sql(
    `update checkout_sessions set status = 'completed', completed_at = ?, updated_at = ?, transaction_id = ?, discount_code = ?
     where id = ? and status = 'active'`,
  );
  const setAmount = store.sql("update checkout_sessions set amount = ?, updated_at = ? where id = ?");

  function find(org: string, id: string): SessionRow {
    const row = byId.get(id);
    if (!row || row.org !== org) throw notFound("checkout session", id);
    return row;
  }

  function resource(row: SessionRow) {
    return sessionResource(row, row.status === "active" ? `${origin()}/platform/checkout/${row.id}` : null);
  }

  /** Expires an active session and notifies subscribers; any other session stays unchanged. */
  function expireActive({ id, org, payment_link_id }: SessionOwner, cause: "time" | "request"): boolean {
    const now = clock.now();
    const expired = expireRow.get(now, now, id);
    if (!expired) return false;
    if (cause === "request") timers.cancel(SESSION_EXPIRY, id);
    const past = expired.seeded === 1;
    journal.append("checkout.expired", {
      id,
      organization: org,
      payment_link_id,
      cause,
      ...(past && { seeded: true }),
    });
    const ended = () => EVENTS["checkout.expired"].data(sessionResource(byId.get(id)!, null));
    webhookEvents.emit(org, "checkout.expired", ended, { past });
    return true;
  }

  /** When a caller changes a session of the seeded history, the session becomes their own: its events reach every endpoint. */
  function claim({ id, seeded }: SessionRow): void {
    if (seeded === 1) claimRow.run(id);
  }

  function requireActive(row: SessionRow, action: string): void {
    if (row.status === "active") return;
    const at = row.status === "expired" ? row.expired_at : row.completed_at;
    const since = at === null ? "" : ` at ${iso(at)}`;
    const ended = row.status === "expired" ? `expired${since}` : `was ${row.status}${since}`;
    throw invalidTransition(
      `The checkout session ${ended} and cannot be ${action}.`,
      "status",
      OTHER_SESSIONS,
    );
  }

  return {
    find,
    resource,
    requireActive,
    claim,
    /** @throws PlatformError invalid_status_transition if other sessions, completed or being paid, use the link up */
    requireUsesLeft(row: SessionRow): void {
      const link = row.payment_link_id === null ? undefined : links.findPublic(row.payment_link_id);
      if (link?.max_uses == null) return;
      const reserved = links.reservedUses(link);
      const uses = link.current_uses + reserved;
      if (uses < link.max_uses) return;
      const part = reserved === 0 ? "" : `, ${reserved} of them reserved by payments in progress`;
      throw invalidTransition(
        `The payment link '${link.name}' is used up (${uses} of ${link.max_uses} uses${part}).`,
        "payment_link_id",
      );
    },
    byId: (id: string): SessionRow | undefined => byId.get(id),
    /** The session with a `client_reference_id`: the active one, else the newest. */
    byReference: (reference: string): SessionRow | undefined => byReference.get(reference),
    get: (org: string, id: string) => resource(find(org, id)),

    /**
     * Opens a session, for a link or with its own terms.
     * @param widgetId the widget from whose page it is opened
     * @throws PlatformError resource_not_found or invalid_status_transition for a link that opens none
     */
    open(org: string, linkId: string | null, input: NewSession, widgetId: string | null = null): SessionRow {
      return store.transaction(() => {
        const defaults = organizations.get(org);
        const link = linkId === null ? undefined : links.find(org, linkId, "payment_link_id");
        if (link) links.checkOpen(link);
        const terms = link ?? {
          amount: input.amount!,
          token_address: input.token_address ?? defaults.default_token_address,
          chain_id: input.chain_id ?? defaults.default_chain_id,
          recipient_address: input.recipient_address ?? defaults.default_recipient_address,
        };
        const id = ids.next("cs_");
        const now = clock.now();
        const expiresAt = now + (input.expires_in ?? DEFAULT_SESSION_SECONDS) * SECOND;
        insert({
          id,
          org,
          payment_link_id: linkId,
          status: "active",
          amount: terms.amount ?? input.amount ?? null,
          token_address: terms.token_address,
          chain_id: terms.chain_id,
          recipient_address: terms.recipient_address,
          client_reference_id: input.client_reference_id ?? null,
          metadata: JSON.stringify(input.metadata ?? {}),
          customer_email: input.customer_email ?? null,
          customer_name: input.customer_name ?? null,
          success_url: input.success_url ?? null,
          cancel_url: input.cancel_url ?? null,
          widget_id: widgetId,
          expires_at: expiresAt,
          created_at: now,
          updated_at: now,
          seeded: 0,
        });
        timers.set(SESSION_EXPIRY, id, expiresAt, { org, payment_link_id: linkId });
        journal.append("checkout.created", {
          id,
          organization: org,
          payment_link_id: linkId,
          expires_at: iso(expiresAt),
        });
        return byId.get(id)!;
      });
    },

    /** PATCH: fields of an active session, and `status: "expired"`. */
    update(caller: Caller, id: string, input: CheckoutSessionUpdate) {
      return store.transaction(() => {
        const row = find(caller.org, id);
        if (input.status !== undefined) {
          if (input.status !== "expired") {
            throw invalidTransition(
              `A checkout session cannot go from ${row.status} to ${input.status} by an update: only a confirmed payment completes it.`,
              "status",
            );
          }
          requireActive(row, "expired");
        }
        claim(row);
        const { status, ...fields } = input;
        if (WRITABLE.some((field) => fields[field] !== undefined) || status === undefined) {
          updateFields<SessionRow>(store, "checkout_sessions", id, fields, WRITABLE, clock.now());
          journal.append("checkout.updated", { id, organization: caller.org });
        }
        if (status === "expired") expireActive(row, "request");
        return resource(find(caller.org, id));
      });
    },

    /** @throws PlatformError invalid_status_transition unless the session is active */
    expire(org: string, id: string) {
      return store.transaction(() => {
        const row = find(org, id);
        requireActive(row, "expired");
        claim(row);
        expireActive(row, "request");
        return resource(find(org, id));
      });
    },

    /** Runs when the expiry timer fires. */
    expireByTime(id: string, owner: Omit<SessionOwner, "id">): void {
      expireActive({ id, ...owner }, "time");
    },

    /** Completes an active session; false if it is no longer active. */
    complete(id: string, transactionId: string, discountCode: string | null): boolean {
      const now = clock.now();
      if (completeRow.run(now, now, transactionId, discountCode, id).changes === 0) return false;
      timers.cancel(SESSION_EXPIRY, id);
      const row = byId.get(id)!;
      if (row.payment_link_id !== null) links.countUse(row.payment_link_id);
      journal.append("checkout.completed", {
        id,
        organization: row.org,
        payment_link_id: row.payment_link_id,
        transaction_id: transactionId,
      });
      return true;
    },

    /** Stores the payer's input with the session. */
    setPayer(id: string, fields: Input<typeof CheckoutSessionUpdate> & { amount?: string }): void {
      const now = clock.now();
      const entered = Object.values({ ...fields, amount: undefined }).some((value) => value !== undefined);
      if (entered) updateFields<SessionRow>(store, "checkout_sessions", id, fields, WRITABLE, now);
      if (fields.amount !== undefined) setAmount.run(fields.amount, now, id);
    },

    list(org: string, query: PageQuery & { status?: SessionStatus; payment_link_id?: string }) {
      return listPage(
        store,
        "checkout_sessions",
        equal({ org, status: query.status, payment_link_id: query.payment_link_id }),
        query,
        resource,
      );
    },
  };
}
