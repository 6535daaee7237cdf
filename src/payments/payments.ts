import type { AreaPart } from "../http/area.ts";
import { expandUrl } from "../webhooks/endpoint-url.ts";
import type { WebhookEngine } from "../webhooks/engine.ts";
import { DamagedData } from "../world/database.ts";
import { countRows } from "../world/save.ts";
import type { Timer } from "../world/timers.ts";
import { type Analytics, createAnalytics } from "./analytics.ts";
import { type ApiKeys, createApiKeys } from "./api-keys.ts";
import { type Audit, createAudit } from "./audit.ts";
import { type CheckoutSessions, createCheckoutSessions } from "./checkout-sessions.ts";
import { createConfirmations } from "./confirmations.ts";
import type { PaymentsContext } from "./context.ts";
import { type Customers, createCustomers } from "./customers.ts";
import { createDiscountCodes, type DiscountCodes } from "./discount-codes.ts";
import { createDiscounts } from "./discounts.ts";
import { createFollow, type Follow } from "./follow.ts";
import { createIdempotency, type Idempotency } from "./idempotency.ts";
import { createLinkUses } from "./link-uses.ts";
import { createMail, type Mail } from "./mail.ts";
import { createNotifications, type Notifications } from "./notifications.ts";
import { createOrganizations, type Organizations } from "./organizations.ts";
import { createPaymentLinks, type PaymentLinks } from "./payment-links.ts";
import { createProducts, type Products } from "./products.ts";
import { createRateLimit, type RateLimit } from "./rate-limit.ts";
import { SEEDED_KEYS } from "./seed/organizations.ts";
import { createSessionEndings } from "./session-endings.ts";
import { createStats, type Stats } from "./stats.ts";
import { createTransactions, type Transactions } from "./transactions.ts";
import { createWebhookEndpoints, type WebhookEndpoints } from "./webhooks/endpoints.ts";
import { createOutlook } from "./webhooks/outlook.ts";
import { createPlatformSender } from "./webhooks/platform.ts";
import { createWidgets, type Widgets } from "./widgets.ts";
import { SESSION_EXPIRY } from "./words.ts";

const COUNTED = ["payment_links", "checkout_sessions", "transactions", "audit_events", "mail"];

/**
 * One world's payments platform. Amounts are strings in smallest units, and times are virtual milliseconds. All calls
 * throw PlatformError.
 */
export interface Payments extends AreaPart {
  origin: () => string;
  /** The world's webhook engine, with the platform as one of its senders. */
  webhooks: WebhookEngine;
  organizations: Organizations;
  audit: Audit;
  mail: Mail;
  apiKeys: ApiKeys;
  rateLimit: RateLimit;
  idempotency: Idempotency;
  links: PaymentLinks;
  sessions: CheckoutSessions;
  transactions: Transactions;
  discounts: DiscountCodes;
  customers: Customers;
  analytics: Analytics;
  stats: Stats;
  products: Products;
  widgets: Widgets;
  notifications: Notifications;
  endpoints: WebhookEndpoints;
  follow: Follow;
  /** The organizations, the seeded keys and the newest endpoint's signing secret. */
  status(): {
    organization: { id: string; name: string };
    organizations: { id: string; name: string }[];
    keys: Record<keyof typeof SEEDED_KEYS, string>;
    webhook_secret: string | null;
  };
}

/** Wires one world's payments platform: its resources and the timers that drive them. */
export function createPayments(context: PaymentsContext): Payments {
  const { settings, webhooks, world } = context;
  const organizations = createOrganizations(context);
  const audit = createAudit(context);
  const notifications = createNotifications(context, audit);
  const mail = createMail(context, notifications);
  const customers = createCustomers(context);
  const analytics = createAnalytics(context);
  const links = createPaymentLinks(context, organizations, audit);
  const discounts = createDiscounts(world);
  const uses = createLinkUses(world);
  const widgets = createWidgets(context, links, audit);
  webhooks.senders.join({
    sender: createPlatformSender(settings.webhooks),
    secret: settings.webhooks.secret,
    noteAction: audit.note,
    noticesOf: mail.ofWebhook,
    notifyDisabled({ id, org, url }, failures, lastError) {
      const { timeout } = settings.webhooks;
      const shown = expandUrl(url, context.origin());
      mail.endpointDisabled(organizations.get(org), { id, url: shown, failures, lastError, timeout });
    },
  });
  const { events } = webhooks;
  const endings = createSessionEndings(world, uses, events);
  const sessions = createCheckoutSessions(context, { organizations, links, uses, endings });
  const confirm = createConfirmations(context, endings, discounts, events);
  const parts = { sessions, endings, uses, discounts, customers, confirm };
  const transactions = createTransactions(context, parts);

  return {
    world,
    origin: context.origin,
    organizations,
    audit,
    mail,
    apiKeys: createApiKeys(context, audit),
    rateLimit: createRateLimit(context),
    idempotency: createIdempotency(context),
    links,
    sessions,
    transactions,
    discounts: createDiscountCodes(context, discounts, links, audit),
    customers,
    analytics,
    stats: createStats(context, links, widgets, analytics),
    products: createProducts(context, links, audit),
    widgets,
    notifications,
    webhooks,
    endpoints: createWebhookEndpoints(context),
    outlook: createOutlook(world, settings, transactions),
    follow: createFollow(context, sessions, transactions),

    refresh(): void {
      if (organizations.list().length === 0)
        throw new DamagedData(`The world ${world.name} has no data: its creation was interrupted.`);
    },

    isSeeded: ({ kind, key }: Timer) => kind === SESSION_EXPIRY && sessions.byId(key)?.seeded === 1,

    status() {
      const { id, name } = organizations.main();
      return {
        organization: { id, name },
        organizations: organizations.list().map(({ id, name }) => ({ id, name })),
        keys: { ...SEEDED_KEYS },
        webhook_secret: settings.webhooks.secret ?? webhooks.endpoints.newestEnabled(id)?.secret ?? null,
      };
    },

    counts: () => countRows(world.store, COUNTED),
  };
}
