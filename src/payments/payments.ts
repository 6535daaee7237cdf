import { expandUrl } from "../webhooks/endpoint-url.ts";
import { createWebhookEngine } from "../webhooks/engine.ts";
import { ATTEMPT_TIMER } from "../webhooks/plans.ts";
import { DamagedData } from "../world/database.ts";
import type { Timer } from "../world/timers.ts";
import { createAnalytics } from "./analytics.ts";
import { createApiKeys } from "./api-keys.ts";
import { createAudit } from "./audit.ts";
import { createCheckoutSessions, SESSION_EXPIRY, type SessionOwner } from "./checkout-sessions.ts";
import type { PaymentsContext } from "./context.ts";
import { createCustomers } from "./customers.ts";
import { createDiscountCodes } from "./discount-codes.ts";
import { createFollow } from "./follow.ts";
import { createIdempotency } from "./idempotency.ts";
import { createMail } from "./mail.ts";
import { createNotifications } from "./notifications.ts";
import { createOrganizations } from "./organizations.ts";
import { createPayers } from "./payers.ts";
import { createPaymentLinks } from "./payment-links.ts";
import { createProducts } from "./products.ts";
import { createRateLimit } from "./rate-limit.ts";
import { SEEDED_KEYS } from "./seed/organizations.ts";
import { createStats } from "./stats.ts";
import { CONFIRMATION, createTransactions } from "./transactions.ts";
import { createDeliveryList } from "./webhooks/deliveries.ts";
import { createWebhookEndpoints } from "./webhooks/endpoints.ts";
import { createOutlook } from "./webhooks/outlook.ts";
import { createPlatformSender, PLATFORM_SENDER } from "./webhooks/platform.ts";
import { createRegistrations } from "./webhooks/registrations.ts";
import { createWidgets } from "./widgets.ts";

const COUNTED = [
  "payment_links",
  "checkout_sessions",
  "transactions",
  "webhooks",
  "webhook_deliveries",
  "audit_events",
  "mail",
] as const;

export type Payments = ReturnType<typeof createPayments>;

/** Wires one world's payments platform: its resources, and the timers that move them. */
export function createPayments(context: PaymentsContext) {
  const { settings, world } = context;
  const { scheduler } = world;
  const organizations = createOrganizations(context);
  const audit = createAudit(context);
  const notifications = createNotifications(context, audit);
  const mail = createMail(context, notifications);
  const customers = createCustomers(context);
  const analytics = createAnalytics(context);
  const links = createPaymentLinks(context, organizations, audit);
  const discounts = createDiscountCodes(context, links, audit);
  const platform = createPlatformSender(settings.webhooks);
  const engine = createWebhookEngine(
    { ...context, settings: settings.webhooks, mainSender: platform },
    {
      noticesOf: mail.ofWebhook,
      notifyDisabled({ id, org, sender, url }, failures, lastError) {
        if (sender !== PLATFORM_SENDER) return;
        const { timeout } = settings.webhooks;
        const shown = expandUrl(url, context.origin());
        mail.endpointDisabled(organizations.get(org), { id, url: shown, failures, lastError, timeout });
      },
    },
  );
  const { events, attempts, deliveries, inboxes } = engine;
  const endpoints = createWebhookEndpoints(context, engine.endpoints, engine.senders.of, audit);
  const sessions = createCheckoutSessions(context, organizations, links, mail, events);
  const transactions = createTransactions(
    context,
    sessions,
    discounts,
    customers,
    analytics,
    mail,
    events,
    createPayers(context.world),
  );

  scheduler.handle(SESSION_EXPIRY, ({ key, payload }) => {
    sessions.expireByTime(key, payload as unknown as Omit<SessionOwner, "id">);
    return undefined;
  });
  scheduler.handle(CONFIRMATION, (timer) => void transactions.confirm(timer.key));

  return {
    world,
    settings,
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
    discounts,
    customers,
    analytics,
    stats: createStats(context, links, analytics),
    products: createProducts(context, links, audit),
    widgets: createWidgets(context, links, audit),
    notifications,
    endpoints: { ...engine.endpoints, ...endpoints },
    registrations: createRegistrations(context, endpoints),
    senders: engine.senders,
    events,
    attempts,
    deliveries: { ...deliveries, list: createDeliveryList(world, engine) },
    deliveryDetails: engine.deliveryDetails,
    inboxes,
    /** The effects of timers up to an instant. */
    outlook: createOutlook(world, settings, engine.outlook, transactions),
    timelines: engine.timelines,
    follow: createFollow(context, sessions, transactions, engine.plans),

    refresh(): void {
      if (organizations.list().length === 0)
        throw new DamagedData(`The world ${world.name} has no data: its making was interrupted.`);
    },

    isSeeded({ kind, key, payload }: Timer): boolean {
      if (kind === SESSION_EXPIRY) return sessions.byId(key)?.seeded === 1;
      return kind === ATTEMPT_TIMER && engine.endpoints.byId(String(payload.webhook_id))?.seeded === 1;
    },

    resume: attempts.recover,
    close: attempts.close,

    /** The organizations, the seeded keys and the secret that signs deliveries to the newest endpoint. */
    status() {
      const { id, name } = organizations.main();
      return {
        organization: { id, name },
        organizations: organizations.list().map(({ id, name }) => ({ id, name })),
        keys: { ...SEEDED_KEYS },
        webhook_secret: settings.webhooks.secret ?? engine.endpoints.newestEnabled(id)?.secret ?? null,
      };
    },

    /** The numbers of rows in all organizations. */
    counts: (): Record<string, number> =>
      Object.fromEntries(
        COUNTED.map((table) => [
          table,
          world.store.sql<{ n: number }>(`select count(*) as n from ${table}`).get()!.n,
        ]),
      ),
  };
}
