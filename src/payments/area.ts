import type { Area } from "../http/area.ts";
import { refusalText } from "../http/refusals.ts";
import { HINT_DESCRIPTION } from "../http/unknown-input.ts";
import type { WebhookEntry } from "../webhooks/part.ts";
import type { PaymentsContext, PaymentsSettings, PlatformWebhookSettings } from "./context.ts";
import { asSandboxError, PlatformError, type PlatformErrorCode } from "./errors.ts";
import { API_PREFIX, PLATFORM } from "./name.ts";
import type { Payments } from "./payments.ts";
import { PAYMENT_ROW_RULES } from "./row-rules.ts";
import { SEEDED_KEYS, seedOrganizations } from "./seed/organizations.ts";
import { PAYMENT_TABLES } from "./tables.ts";
import { addConfiguredEndpoints } from "./webhooks/configured.ts";
import { EVENT_TYPES } from "./webhooks/event-types.ts";
import { AUDIT_EVENT_TYPES, type AuditEventType, CONFIRMATION, SESSION_EXPIRY } from "./words.ts";

/** The journal entries that the platform writes. */
export const PAYMENTS_ENTRIES = [
  "payment.pending",
  "payment.confirming",
  "checkout.created",
  "checkout.updated",
  ...EVENT_TYPES,
  "mail.sent",
  "customer.created",
  "customer.updated",
  "customer.deleted",
  "organization.updated",
  ...AUDIT_EVENT_TYPES.filter(
    (type): type is Exclude<AuditEventType, WebhookEntry> => !type.startsWith("webhook."),
  ),
] as const;

type Context = Omit<PaymentsContext, "settings"> & {
  settings: { payments: PaymentsSettings; webhooks: PlatformWebhookSettings };
};

/** Error codes for requests that are rejected before routing, unless an invalid field has its own code. */
const REFUSED: Record<number, PlatformErrorCode> = {
  403: "insufficient_permissions",
  404: "resource_not_found",
};

export const paymentsArea: Area<Payments, Context> = {
  name: PLATFORM,
  tables: PAYMENT_TABLES,
  timerKinds: [SESSION_EXPIRY, CONFIRMATION],
  rowRules: PAYMENT_ROW_RULES,
  entries: PAYMENTS_ENTRIES,
  async seed(world, days) {
    if (days === 0) return seedOrganizations(world);
    (await import("./seed/index.ts")).seedPayments(world, days);
  },
  fixtures: async () => (await import("./fixtures/index.ts")).paymentFixtures,
  additions: ({ webhooks }) =>
    webhooks.endpoints.length === 0 ? undefined : (world) => addConfiguredEndpoints(world, webhooks),
  isIn: ({ store }) =>
    ["organizations", "api_keys"].some((table) => store.sql(`select 1 from ${table} limit 1`).get()),
  open: async ({ settings: { payments, webhooks }, ...context }) =>
    (await import("./payments.ts")).createPayments({ ...context, settings: { ...payments, webhooks } }),
  routes: async (app, door) => (await import("./index.ts")).platformRoutes(app, door),
  dashboard: API_PREFIX,
  forServers: true,
  refusals: {
    body: (refusal) =>
      new PlatformError(REFUSED[refusal.status] ?? "invalid_field_value", refusalText(refusal)).body(),
    // If an id cannot be decoded, no resource can have it.
    unreadablePath: { status: 404 },
  },
  translate: asSandboxError,
  document: {
    title: "Payments platform",
    description:
      "Payment links, checkout sessions, transactions and signed webhooks, as Sandglass emulates them.",
    exampleKey: SEEDED_KEYS.write,
    answerHeaders: {
      "X-Sandbox-Hint": `${HINT_DESCRIPTION}, or how to lift the rate limit.`,
    },
  },
};
