import { Type } from "typebox";
import { PaymentLinkStats } from "../schemas/analytics.ts";
import { StatsQuery } from "../schemas/catalog.ts";
import { CheckoutSessionList, LinkSessionListQuery } from "../schemas/checkout-sessions.ts";
import * as shapes from "../schemas/payment-links.ts";
import { resourceRoutes } from "./resource.ts";
import { changes, lists, reads, tagged } from "./table.ts";

const params = Type.Object({ payment_link_id: Type.String() });

export const paymentLinkRoutes = tagged("Payment links", [
  ...resourceRoutes({
    path: "/payment-links",
    id: "payment_link_id",
    label: "payment link",
    resource: ({ links }) => links,
    schemas: shapes.PAYMENT_LINKS,
    notes: {
      create:
        "Missing token, chain and recipient come from the product, then from the organization's defaults.",
    },
  }),
  changes("POST /quick-pay", {
    id: "quickPay",
    summary: "Create a payment link with nothing but a recipient",
    description:
      "With an API key, the link belongs to the key's organization. Without one, it belongs to no organization: it can be paid like any other link, but no webhooks are sent.",
    keyOptional: true,
    body: shapes.QuickPay,
    answer: shapes.PaymentLink,
    status: 201,
    run: ({ payments, caller, body }) => payments.links.createQuick(caller, body),
  }),
  changes("POST /payment-links/:payment_link_id/duplicate", {
    id: "duplicatePaymentLink",
    summary: "Create a copy of a payment link",
    description:
      "The copy has its own short code and is active and unused. Fields in the body override those of the original.",
    params,
    body: shapes.PaymentLinkUpdate,
    answer: shapes.PaymentLink,
    status: 201,
    run: ({ payments, caller, params: { payment_link_id: id }, body }) =>
      payments.links.duplicate(caller, id, body),
  }),
  reads("GET /payment-links/:payment_link_id/stats", {
    id: "getPaymentLinkStats",
    summary: "Read a payment link's statistics",
    params,
    query: StatsQuery,
    answer: PaymentLinkStats,
    run: ({ payments, caller, params: { payment_link_id: id }, query }) =>
      payments.stats.ofLink(caller.org, id, query.days),
  }),
  lists("GET /payment-links/:payment_link_id/sessions", {
    id: "listPaymentLinkSessions",
    summary: "List the checkout sessions of a payment link",
    params,
    query: LinkSessionListQuery,
    answer: CheckoutSessionList,
    run({ payments, caller, params: { payment_link_id: id }, query }) {
      payments.links.find(caller.org, id);
      return payments.sessions.list(caller.org, { ...query, payment_link_id: id });
    },
  }),
]);
