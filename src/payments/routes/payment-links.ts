import { Type } from "typebox";
import { PaymentLinkStats } from "../schemas/analytics.ts";
import { StatsQuery } from "../schemas/catalog.ts";
import { CheckoutSessionList, LinkSessionListQuery } from "../schemas/checkout-sessions.ts";
import {
  PaymentLink,
  PaymentLinkCreate,
  PaymentLinkDeleted,
  PaymentLinkList,
  PaymentLinkListQuery,
  PaymentLinkUpdate,
  QuickPay,
} from "../schemas/payment-links.ts";
import { changes, lists, reads } from "./table.ts";

const tag = "Payment links";
const params = Type.Object({ payment_link_id: Type.String() });

export const paymentLinkRoutes = [
  lists("GET /payment-links", {
    id: "listPaymentLinks",
    tag,
    summary: "List payment links",
    query: PaymentLinkListQuery,
    answer: PaymentLinkList,
    run: ({ payments, caller, query }) => payments.links.list(caller.org, query),
  }),
  changes("POST /payment-links", {
    id: "createPaymentLink",
    tag,
    summary: "Create a payment link",
    description:
      "Missing token, chain and recipient come from the product, then from the organization's defaults.",
    body: PaymentLinkCreate,
    answer: PaymentLink,
    status: 201,
    run: ({ payments, caller, body }) => payments.links.create(caller, body),
  }),
  changes("POST /quick-pay", {
    id: "quickPay",
    tag,
    summary: "Create a payment link with nothing but a recipient",
    description:
      "With an API key the link belongs to its organization. Without one it belongs to no organization: it is paid like any other, and no webhooks are sent.",
    keyOptional: true,
    body: QuickPay,
    answer: PaymentLink,
    status: 201,
    run: ({ payments, caller, body }) => payments.links.createQuick(caller, body),
  }),
  changes("POST /payment-links/:payment_link_id/duplicate", {
    id: "duplicatePaymentLink",
    tag,
    summary: "Create a payment link like another",
    description:
      "It has a short code of its own, is active and unused; fields of the body replace the other's.",
    params,
    body: PaymentLinkUpdate,
    answer: PaymentLink,
    status: 201,
    run: ({ payments, caller, params: { payment_link_id: id }, body }) =>
      payments.links.duplicate(caller, id, body),
  }),
  reads("GET /payment-links/:payment_link_id/stats", {
    id: "getPaymentLinkStats",
    tag,
    summary: "Count what happened at a payment link",
    params,
    query: StatsQuery,
    answer: PaymentLinkStats,
    run: ({ payments, caller, params: { payment_link_id: id }, query }) =>
      payments.stats.ofLink(caller.org, id, query.days),
  }),
  reads("GET /payment-links/:payment_link_id", {
    id: "getPaymentLink",
    tag,
    summary: "Read a payment link",
    params,
    answer: PaymentLink,
    run: ({ payments, caller, params: { payment_link_id: id } }) => payments.links.get(caller.org, id),
  }),
  changes("PATCH /payment-links/:payment_link_id", {
    id: "updatePaymentLink",
    tag,
    summary: "Update a payment link",
    params,
    body: PaymentLinkUpdate,
    answer: PaymentLink,
    run: ({ payments, caller, params: { payment_link_id: id }, body }) =>
      payments.links.update(caller, id, body),
  }),
  changes("DELETE /payment-links/:payment_link_id", {
    id: "deletePaymentLink",
    tag,
    summary: "Delete a payment link",
    params,
    answer: PaymentLinkDeleted,
    run: ({ payments, caller, params: { payment_link_id: id } }) => payments.links.delete(caller, id),
  }),
  lists("GET /payment-links/:payment_link_id/sessions", {
    id: "listPaymentLinkSessions",
    tag,
    summary: "List the checkout sessions of a payment link",
    params,
    query: LinkSessionListQuery,
    answer: CheckoutSessionList,
    run({ payments, caller, params: { payment_link_id: id }, query }) {
      payments.links.find(caller.org, id);
      return payments.sessions.list(caller.org, { ...query, payment_link_id: id });
    },
  }),
];
