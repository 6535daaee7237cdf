import type { Static } from "typebox";
import { DEFAULT_SEED } from "../config/config.ts";
import { closest } from "../errors/closest.ts";
import { invalidState, misuse, notFound } from "../errors/errors.ts";
import type { Page, PageQuery } from "../http/listing.ts";
import type { Input } from "../http/shapes.ts";
import type { Does, MethodsOf } from "../operations/index.ts";
import type * as schemas from "../operations/payments.ts";
import type { Mail } from "../operations/records.ts";
import type { Payments } from "../payments/payments.ts";
import type { SessionRow, TransactionRow } from "../payments/rows.ts";
import { OTHER_SESSIONS } from "../payments/session-endings.ts";
import { transactionResource } from "../payments/transactions.ts";
import { dashboardCaller, organizationIds } from "./dashboard.ts";

export type PayRequest = Input<typeof schemas.Pay>;

/**
 * Payment links, sessions and payments of every organization, as the dashboard uses them. Links are identified by id,
 * short code or URL; sessions also by their order's `client_reference_id`. See docs/guide/payments.md.
 * @throws SandboxError `not_found`; PlatformError
 */
export interface PaymentControls extends Omit<MethodsOf<"payments", "pay">, "createLink"> {
  /** Creates a payment link. The request's path is recorded in the audit trail. */
  createLink: Does<"payments.createLink", [request: { url: string }]>;
  /**
   * Pays the requested session, or a new session of the requested link, without waiting for deliveries. @throws
   * SandboxError `bad_request`
   */
  startPayment(request: PayRequest): TransactionRow;
  mail(): Static<typeof Mail>[];
  /**
   * The id or short code of a link with which users can try a payment: the link that the guide uses, or else the newest
   * active link.
   */
  showcaseLink(): string | undefined;
}

/** The link that the guide uses. Every seed except "empty" contains it, and it always stays open. */
const SHOWCASE_CODE = "coffee";

function linkOf({ links }: Payments, link: string) {
  const code = link.split("?")[0]!.replace(/\/+$/, "").split("/").at(-1)!;
  return links.findPublic(link) ?? links.findByCode(code);
}

/** @param command the command that lists links, for the hint */
function findLink(payments: Payments, link: string, command = "sessions") {
  const row = linkOf(payments, link);
  if (row) return row;
  const codes = payments.links.shortCodes();
  const meant = closest(link.split("/").at(-1)!, codes);
  throw notFound(`There is no payment link ${link}.`, {
    command: meant
      ? `Did you mean: npx sandglass ${command} ${meant}`
      : codes.length > 0
        ? "List them all: npx sandglass links"
        : `This world has none. Start with the demo shop: npx sandglass --seed ${DEFAULT_SEED}`,
    library: `${meant ? `Did you mean "${meant}"? ` : ""}platform.call("GET", "/payment-links") lists the payment links.`,
    http: `${meant ? `Did you mean ${meant}? ` : ""}GET /api/v1/payment-links lists the payment links.`,
  });
}

/** Combines the rows of several organizations into one list, newest or highest first. */
function listOf<Item extends { created_at: string }>(
  organizations: readonly string[],
  { limit, sort }: { limit: number; sort: keyof Item & string },
  read: (org: string, query: PageQuery) => Page<Item>,
): schemas.OwnedList<Item> {
  const pages = organizations.map((organization) => {
    const { data, total } = read(organization, { page: 1, limit, sort, order: "desc" });
    return { total, data: data.map((item) => ({ ...item, organization })) };
  });
  const data = pages
    .flatMap((page) => page.data)
    .toSorted((one, other) => Number(one[sort] < other[sort]) - Number(one[sort] > other[sort]))
    .slice(0, limit);
  return { data, total_count: pages.reduce((sum, { total }) => sum + total, 0) };
}

function findSession({ sessions }: Payments, id: string): SessionRow {
  const row = sessions.byId(id) ?? sessions.byReference(id);
  if (row) return row;
  throw notFound(`There is no checkout session ${id}.`, OTHER_SESSIONS);
}

/**
 * The session to pay: the one that the request specifies, or a new session of the specified link. A short code, a
 * link's URL or an order's id works, too.
 */
function sessionToPay(payments: Payments, { payment_link_id: link, session_id: session }: PayRequest) {
  const { sessions } = payments;
  if ((link === undefined) === (session === undefined)) {
    throw misuse(
      "Pass either payment_link_id or session_id.",
      'For example: {"payment_link_id": "pl_…"}; GET /api/v1/payment-links lists links.',
    );
  }
  if (session !== undefined) return findSession(payments, session);
  const ordered = linkOf(payments, link!) ? undefined : sessions.byReference(link!);
  if (ordered) return ordered;
  const row = findLink(payments, link!, "pay");
  return sessions.open(row.org, row.id, {});
}

function createPaying(
  payments: Payments,
  settleTimeout: number,
): Pick<PaymentControls, "startPayment" | "pay"> {
  const { sessions, transactions, webhooks, world } = payments;
  const { deliveries: attempts, endpoints, events } = webhooks;

  function startPayment(request: PayRequest): TransactionRow {
    return world.store.transaction(() => {
      const { payment_link_id: _link, session_id: _session, ...input } = request;
      return transactions.pay(sessionToPay(payments, request), input);
    });
  }

  return {
    startPayment,

    async pay(request) {
      const before = events.count();
      const transaction = startPayment(request);
      const eventIds = events.since(before);
      const deliveries = await attempts.firstAttempts(eventIds, settleTimeout);
      const paid = transactions.byId(transaction.id);
      if (!paid)
        throw invalidState(
          "The world was reset, restored or undone while the payment's deliveries were in progress.",
          "Pay again.",
        );
      return {
        transaction: transactionResource(paid),
        session: sessions.resource(findSession(payments, transaction.session_id!)),
        deliveries: deliveries
          .map((row) => ({
            ...attempts.resource(row),
            seeded: endpoints.byId(row.webhook_id)!.seeded === 1,
          }))
          .toSorted((one, other) => Number(one.seeded) - Number(other.seeded)),
      };
    },
  };
}

/** @param settleTimeout how long a first attempt of a payment's events may take, in real milliseconds */
export function createPaymentControls(payments: Payments, settleTimeout: number): PaymentControls {
  const { links, sessions, transactions } = payments;

  return {
    ...createPaying(payments, settleTimeout),

    expire({ id: name }) {
      const { org, id } = findSession(payments, name);
      return sessions.expire(org, id);
    },

    links: (query) =>
      listOf(organizationIds(payments, query.organization), query, (org, page) =>
        links.list(org, { ...query, ...page }),
      ),

    createLink: ({ organization, ...input }, request) =>
      links.create(dashboardCaller(organizationIds(payments, organization)[0]!, "POST", request.url), input),

    link: ({ link }) => links.resource(findLink(payments, link)),

    sessions({ link, ...query }) {
      const of = link === undefined ? undefined : findLink(payments, link);
      const organizations = organizationIds(payments, query.organization);
      const owners = of ? organizations.filter((id) => id === of.org) : organizations;
      return listOf(owners, { ...query, sort: "created_at" }, (org, page) =>
        sessions.list(org, { ...query, ...page, ...(of && { payment_link_id: of.id }) }),
      );
    },

    openSession({ link, ...input }) {
      const { org, id } = findLink(payments, link);
      return sessions.resource(sessions.open(org, id, input));
    },

    session: ({ id }) => sessions.resource(findSession(payments, id)),

    transaction({ id }) {
      const row = transactions.byId(id);
      if (row) return transactions.get(row.org, id);
      throw notFound(`There is no transaction ${id}.`, {
        command: "List the checkout sessions: npx sandglass sessions",
        library: 'platform.call("GET", "/transactions") lists them.',
        http: "GET /api/v1/transactions lists the transactions.",
      });
    },

    follow({ id }) {
      const followed = payments.follow(id) ?? payments.follow(sessions.byReference(id)?.id ?? id);
      if (followed) return followed;
      const what = id.startsWith("evt_") ? "event of a payment" : "transaction or checkout session";
      throw notFound(`There is no ${what} ${id}.`, {
        command: "List the checkout sessions: npx sandglass sessions. The latest payment is 'last'.",
        library: "GET /api/v1/transactions lists payments.",
        http: "GET /api/v1/transactions lists payments.",
        page: "Find it under Payments, which lists transactions and sessions.",
      });
    },

    mail: payments.mail.list,

    showcaseLink() {
      const { organizations } = payments;
      if (links.findByCode(SHOWCASE_CODE)?.active === 1) return SHOWCASE_CODE;
      const newest = { page: 1, limit: 1, sort: "created_at", order: "desc", active: true } as const;
      return links.list(organizations.main().id, newest).data[0]?.id;
    },
  };
}
