import type { Static } from "typebox";
import { equal, type ListQuery, listPage, type Page } from "../http/listing.ts";
import type { Input } from "../http/shapes.ts";
import { iso, SECOND } from "../world/duration.ts";
import { inserter } from "../world/save.ts";
import type { PaymentsContext } from "./context.ts";
import { invalidTransition, notFound } from "./errors.ts";
import type { LinkUses } from "./link-uses.ts";
import type { Organizations } from "./organizations.ts";
import { columnsOf, updateFields } from "./patch.ts";
import type { PaymentLinks } from "./payment-links.ts";
import type { OrganizationRow, PaymentLinkRow, SessionRow } from "./rows.ts";
import {
  type CheckoutSession,
  type CheckoutSessionCreate,
  type CheckoutSessionListQuery,
  CheckoutSessionUpdate,
} from "./schemas/checkout-sessions.ts";
import type { SessionEndings } from "./session-endings.ts";
import { sessionResource } from "./webhooks/payload.ts";

export const DEFAULT_SESSION_SECONDS = 1_800;

/**
 * Opening a session is not audited: the contract only audits creating, updating and deleting the resources that it
 * lists.
 */
export type NewSession = Omit<CheckoutSessionCreate, "payment_link_id">;

type Shown = Static<typeof CheckoutSession>;

/**
 * Checkout sessions. Calls for an organization throw PlatformError resource_not_found if the session belongs to another
 * organization.
 */
export interface CheckoutSessions {
  byId(id: string): SessionRow | undefined;
  /** The session with this `client_reference_id`: the active one if there is one, otherwise the newest. */
  byReference(reference: string): SessionRow | undefined;
  /** A session as the API returns it, with its page's URL while it is active. */
  resource(row: SessionRow): Shown;
  get(org: string, id: string): Shown;
  list(org: string, query: ListQuery<typeof CheckoutSessionListQuery>): Page<Shown>;
  /**
   * Opens a session for a link or, without a link, with its own terms.
   * @param widgetId the widget whose page opened the session
   * @throws PlatformError resource_not_found, or invalid_status_transition if the link can no longer be used
   */
  open(org: string, linkId: string | null, input: NewSession, widgetId?: string | null): SessionRow;
  /**
   * Handles a PATCH: changes fields of an active session, or expires it with `status: "expired"`. @throws PlatformError
   * invalid_status_transition
   */
  update(org: string, id: string, input: CheckoutSessionUpdate): Shown;
  /** @throws PlatformError invalid_status_transition unless the session is active */
  expire(org: string, id: string): Shown;
  setPayer(id: string, fields: Input<typeof CheckoutSessionUpdate> & { amount?: string }): void;
}

const WRITABLE = columnsOf(CheckoutSessionUpdate, "status");

interface Parts {
  organizations: Organizations;
  links: PaymentLinks;
  uses: LinkUses;
  endings: SessionEndings;
}

export function createCheckoutSessions(
  { world, origin }: PaymentsContext,
  { organizations, links, uses, endings }: Parts,
): CheckoutSessions {
  const { store, ids, clock, journal } = world;
  const byId = store.sql<SessionRow>("select * from checkout_sessions where id = ?");
  const byReference = store.sql<SessionRow>(
    `select * from checkout_sessions where client_reference_id = ?
     order by status = 'active' desc, created_at desc, id desc limit 1`,
  );
  const insert = inserter<SessionRow, "completed_at" | "discount_code" | "expired_at" | "transaction_id">(
    store,
    "checkout_sessions",
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

  function update(org: string, id: string, { status, ...fields }: CheckoutSessionUpdate) {
    return store.transaction(() => {
      const row = find(org, id);
      if (status !== undefined) {
        if (status !== "expired") {
          throw invalidTransition(
            `A checkout session cannot go from ${row.status} to ${status} by an update: only a confirmed payment completes it.`,
            "status",
          );
        }
        endings.requireActive(row, "expired");
      }
      endings.claim(row);
      if (WRITABLE.some((field) => fields[field] !== undefined) || status === undefined) {
        updateFields<SessionRow>(store, "checkout_sessions", id, fields, WRITABLE, clock.now());
        journal.append("checkout.updated", { id, organization: org });
      }
      if (status === "expired") endings.expire(row);
      return resource(find(org, id));
    });
  }

  return {
    byId: (id) => byId.get(id),
    byReference: (reference) => byReference.get(reference),
    resource,
    get: (org, id) => resource(find(org, id)),

    list: (org, { status, payment_link_id, ...query }) =>
      listPage(store, "checkout_sessions", equal({ org, status, payment_link_id }), query, resource),

    open(org, linkId, input, widgetId = null) {
      return store.transaction(() => {
        const link = linkId === null ? undefined : links.find(org, linkId, "payment_link_id");
        if (link) uses.checkOpen(link);
        const now = clock.now();
        const row = {
          ...draftSession(link ?? organizations.get(org), input),
          id: ids.next("cs_"),
          org,
          payment_link_id: linkId,
          widget_id: widgetId,
          expires_at: now + (input.expires_in ?? DEFAULT_SESSION_SECONDS) * SECOND,
          created_at: now,
          updated_at: now,
        };
        const { id, expires_at } = row;
        insert(row);
        endings.plan(row);
        const about = { id, organization: org, payment_link_id: linkId };
        journal.append("checkout.created", { ...about, expires_at: iso(expires_at) });
        return byId.get(id)!;
      });
    },

    update,
    expire: (org, id) => update(org, id, { status: "expired" }),

    setPayer(id, fields) {
      const now = clock.now();
      const entered = Object.values({ ...fields, amount: undefined }).some((value) => value !== undefined);
      if (entered) updateFields<SessionRow>(store, "checkout_sessions", id, fields, WRITABLE, now);
      if (fields.amount !== undefined) setAmount.run(fields.amount, now, id);
    },
  };
}

/** The terms of a new session (its own, or those of its link) and the payer's fields. */
function draftSession(terms: PaymentLinkRow | OrganizationRow, input: NewSession) {
  const ofLink = "amount" in terms;
  return {
    status: "active",
    amount: (ofLink ? terms.amount : null) ?? input.amount ?? null,
    token_address: ofLink ? terms.token_address : (input.token_address ?? terms.default_token_address),
    chain_id: ofLink ? terms.chain_id : (input.chain_id ?? terms.default_chain_id),
    recipient_address: ofLink
      ? terms.recipient_address
      : (input.recipient_address ?? terms.default_recipient_address),
    client_reference_id: input.client_reference_id ?? null,
    metadata: JSON.stringify(input.metadata ?? {}),
    customer_email: input.customer_email ?? null,
    customer_name: input.customer_name ?? null,
    success_url: input.success_url ?? null,
    cancel_url: input.cancel_url ?? null,
    seeded: 0,
  } satisfies Partial<SessionRow>;
}
