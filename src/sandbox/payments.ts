import { DEFAULT_SEED } from "../config/config.ts";
import { closest } from "../errors/closest.ts";
import { invalidState, misuse, notFound, SandboxError } from "../errors/errors.ts";
import { PAYMENT_REQUESTED, type PaymentRequest, REFUSED, RULE_PAYMENT } from "../game/rules/actions.ts";
import type { Input } from "../http/shapes.ts";
import type { Pay } from "../operations/schemas/payments.ts";
import type { Caller } from "../payments/context.ts";
import { PlatformError } from "../payments/errors.ts";
import type { Payments } from "../payments/payments.ts";
import type { TransactionRow } from "../payments/rows.ts";
import type { PaymentInput } from "../payments/schemas/transactions.ts";
import { transactionResource } from "../payments/transactions.ts";
import type { DeliveryQuery } from "../payments/webhooks/deliveries.ts";
import type { RowStatus } from "../timeline/endpoint-state.ts";
import { expandUrl } from "../webhooks/endpoint-url.ts";
import { checkFault, faultTarget, type SubscriberFault } from "../webhooks/subscriber-faults.ts";
import type { TimelineRange } from "../webhooks/timeline.ts";
import type { World } from "../world/world.ts";
import { createCheckoutControls } from "./checkouts.ts";
import { createDeliveryControls } from "./deliveries.ts";
import { createRegistration } from "./registration.ts";

export type PayRequest = Input<typeof Pay>;

const ownFirst = <Item extends { seeded: boolean }>(items: Item[]): Item[] =>
  items.toSorted((one, other) => Number(one.seeded) - Number(other.seeded));

/** The link in the guide: every seed but "empty" has it, and it stays open. */
const SHOWCASE_CODE = "coffee";

/**
 * The operations on a world's payments platform, in addition to its API.
 * @param settleTimeout how long a first attempt of a payment's events may take to get its answer, in real milliseconds
 */
export function createPaymentControls(payments: Payments, settleTimeout: number) {
  const { origin, world } = payments;
  const { faults, store } = world;

  /** The caller of a dashboard action, for the audit trail. */
  const dashboard = (org: string, method: string, path: string): Caller => ({
    org,
    ip: "127.0.0.1",
    method,
    path,
  });

  const noWebhook = (id: string) =>
    notFound(`There is no webhook ${id}.`, {
      command: "Print them all: npx sandglass webhooks",
      library: "webhooks.list() lists them.",
      http: "GET /_sandbox/webhooks lists them.",
    });

  function findWebhook(id: string) {
    const row = payments.endpoints.byId(id);
    if (!row || row.deleted_at !== null) throw noWebhook(id);
    return row;
  }

  /** Enables or disables an endpoint as its owner does in the dashboard. */
  function switchWebhook(id: string, status: RowStatus, path: string) {
    return store.transaction(() => {
      const row = findWebhook(id);
      const caller = dashboard(row.org, "POST", path);
      if (row.status === status)
        throw invalidState(`The webhook ${id} is ${status} already.`, "There is nothing to do.");
      payments.endpoints.turn(caller, row, status);
      return payments.endpoints.get(row.org, id);
    });
  }

  function noLink(link: string, command: string): SandboxError {
    const codes = payments.links.shortCodes();
    const meant = closest(link.split("/").at(-1)!, codes);
    return notFound(`There is no payment link ${link}.`, {
      command: meant
        ? `Did you mean: npx sandglass ${command} ${meant}`
        : codes.length > 0
          ? "Print them all: npx sandglass links"
          : `This world has none. Start with the demo shop's: npx sandglass --seed ${DEFAULT_SEED}`,
      library: `${meant ? `Did you mean "${meant}"? ` : ""}platform.call("GET", "/payment-links") lists them.`,
      http: `${meant ? `Did you mean ${meant}? ` : ""}GET /api/v1/payment-links lists them.`,
    });
  }

  function linkOf(link: string) {
    const code = link.split("?")[0]!.replace(/\/+$/, "").split("/").at(-1)!;
    return payments.links.findPublic(link) ?? payments.links.findByCode(code);
  }

  /** @param command the command that lists links, for the way out */
  function findLink(link: string, command: string) {
    const row = linkOf(link);
    if (!row) throw noLink(link, command);
    return row;
  }

  const checkouts = createCheckoutControls(payments, (link) => findLink(link, "sessions"), dashboard);
  const { findSession, organizationIds, ...checkoutControls } = checkouts;

  /** The session to pay: the named one, or a new one of the link. A short code, a link's URL and an order's id work, too. */
  function sessionToPay({ payment_link_id: link, session_id: session }: PayRequest) {
    if ((link === undefined) === (session === undefined)) {
      throw misuse(
        "Name either payment_link_id or session_id.",
        'For example {"payment_link_id": "pl_…"}; GET /api/v1/payment-links lists links.',
      );
    }
    if (session !== undefined) return findSession(session);
    const ordered = linkOf(link!) ? undefined : payments.sessions.byReference(link!);
    if (ordered) return ordered;
    const row = findLink(link!, "pay");
    return payments.sessions.open(row.org, row.id, {});
  }

  function startPayment(request: PayRequest): TransactionRow {
    return store.transaction(() => {
      const { payment_link_id: _link, session_id: _session, ...input } = request;
      return payments.transactions.pay(sessionToPay(request), input);
    });
  }

  return {
    /** Pays the session of a request, or a new one of its link, without waiting for deliveries. */
    startPayment,

    /**
     * Makes a payment and waits until each first attempt of its events has a result or has run out of time.
     * @throws PlatformError, SandboxError `not_found`, `bad_request`
     */
    async pay(request: PayRequest) {
      const before = payments.events.count();
      const transaction = startPayment(request);
      const eventIds = payments.events.since(before);
      const deliveries = await payments.deliveries.firstAttempts(eventIds, settleTimeout);
      const paid = payments.transactions.byId(transaction.id);
      if (!paid)
        throw invalidState(
          "The world was taken back to an earlier time while the payment's deliveries were awaited.",
          "Pay again.",
        );
      return {
        transaction: transactionResource(paid),
        session: payments.sessions.resource(findSession(transaction.session_id!)),
        deliveries: ownFirst(
          deliveries.map((row) => ({
            ...payments.deliveries.resource(row),
            seeded: payments.endpoints.byId(row.webhook_id)!.seeded === 1,
          })),
        ),
      };
    },

    expireSession(id: string) {
      const { org, id: session } = findSession(id);
      return payments.sessions.expire(org, session);
    },

    registerWebhook: createRegistration(payments, dashboard, organizationIds),

    async testWebhook(id: string) {
      const row = await payments.deliveries.test(findWebhook(id).org, id);
      return { delivery_id: row.id, response_code: row.response_code, success: row.status === "success" };
    },

    deleteWebhook: (id: string, path: string) =>
      payments.endpoints.delete(dashboard(findWebhook(id).org, "DELETE", path), id),

    webhookDeliveries: (id: string, query: DeliveryQuery) => ({
      data: payments.deliveries.list(findWebhook(id).org, id, query).data,
    }),

    enableWebhook: (id: string, path: string) => switchWebhook(id, "enabled", path),
    disableWebhook: (id: string, path: string) => switchWebhook(id, "disabled", path),

    ...createDeliveryControls(payments, findWebhook),

    /** The address of an endpoint's deliveries; undefined for an unknown endpoint. */
    webhookUrl: (id: string): string | undefined => {
      const row = payments.endpoints.byId(id);
      return row && expandUrl(row.url, origin());
    },

    /** Endpoints of every organization or of one, by its id or name, with their secrets. */
    webhooks(organization?: string) {
      const all = payments.endpoints.listAll();
      if (organization === undefined) return all;
      const ids = organizationIds(organization);
      return all.filter((endpoint) => ids.includes(endpoint.organization));
    },

    ...checkoutControls,

    /** Deleted endpoints have a timeline, too. */
    timeline(id: string, limit: number, range: TimelineRange = {}) {
      if (!payments.endpoints.byId(id)) throw noWebhook(id);
      const { before } = range;
      if (before !== undefined && payments.deliveries.byId(before)?.webhook_id !== id)
        throw notFound(`The webhook ${id} has no delivery ${before}.`, {
          command:
            "Print an endpoint's deliveries with their ids: npx sandglass webhooks timeline <endpoint>",
          library: "webhooks.timeline(id) has the ids of an endpoint's deliveries.",
          http: `GET /_sandbox/webhooks/${id}/timeline without \`before\` lists the latest ones.`,
        });
      return payments.timelines.of(id, limit, range);
    },

    webhookFault: (id: string) => faults.get(faultTarget(findWebhook(id).id)),
    /** @throws SandboxError `not_found`, `bad_request` */
    setWebhookFault(id: string, fault: SubscriberFault): void {
      checkFault(fault);
      faults.set(faultTarget(findWebhook(id).id), fault);
    },
    clearWebhookFault: (id: string): boolean => faults.clear(faultTarget(findWebhook(id).id)),

    /** The payments, events and attempts of a transaction, of a checkout session or its order, or of an event of either. */
    follow(id: string) {
      const followed = payments.follow(id) ?? payments.follow(payments.sessions.byReference(id)?.id ?? id);
      if (followed) return followed;
      const what = id.startsWith("evt_") ? "event of a payment" : "transaction or checkout session";
      throw notFound(`There is no ${what} ${id}.`, {
        command: "Print the checkout sessions: npx sandglass sessions. The latest payment is 'last'.",
        library: "GET /api/v1/transactions lists payments.",
        http: "GET /api/v1/transactions lists payments.",
        page: "Find it under Payments: Transactions and Sessions list them.",
      });
    },

    /** A link to try a payment with, by short code or id: the link in the guide, or the newest active link. */
    showcaseLink(): string | undefined {
      const { links, organizations } = payments;
      if (links.findByCode(SHOWCASE_CODE)?.active === 1) return SHOWCASE_CODE;
      const newest = { page: 1, limit: 1, sort: "created_at", order: "desc", active: true } as const;
      return links.list(organizations.main().id, newest).data[0]?.id;
    },

    mail: payments.mail.list,
    inboxes: payments.inboxes,
  };
}

/** Makes a payment of a link. */
type PayLink = (link: string, input: PaymentInput) => TransactionRow;

/**
 * Makes the payments that rules of the game launcher request in the journal, and records each result there: areas never import
 * each other.
 */
export function makeRulePayments({ journal, store }: World, pay: PayLink): void {
  journal.on(PAYMENT_REQUESTED, ({ data }) => {
    const { rule, link, amount, outcome, sender_address, metadata } = data as unknown as PaymentRequest;
    try {
      const { id, session_id, status } = store.transaction(() =>
        pay(link, {
          sender_address,
          metadata,
          ...(amount === null ? {} : { amount }),
          ...(outcome === null ? {} : { outcome }),
        }),
      );
      journal.append(RULE_PAYMENT, { rule, transaction_id: id, session_id, status });
    } catch (error) {
      if (!(error instanceof PlatformError || error instanceof SandboxError)) throw error;
      journal.append(RULE_PAYMENT, { rule, link, status: REFUSED, reason: error.message });
    }
  });
}
