import { CheckoutSession } from "../payments/schemas/checkout-sessions.ts";
import { PaymentLink } from "../payments/schemas/payment-links.ts";
import { Transaction } from "../payments/schemas/transactions.ts";
import { operationsOf } from "./operation.ts";
import { idOf } from "./schemas/common.ts";
import * as payments from "./schemas/payments.ts";

const operation = operationsOf("Payments");

/** Payments by a payer or the dashboard, and links and sessions: each operation acts for the organization of its object. */
export const paymentOperations = [
  operation("payments.pay", "POST /payments", {
    id: "pay",
    reachesOut: true,
    summary: "Trigger a payment",
    description:
      "Of a payment link (a session is opened) or of a session. Answers once each first delivery has its result or has had `settleTimeout` to get one.",
    body: payments.Pay,
    answer: payments.PayResult,
    library: { takes: ["*"] },
  }),
  operation("payments.follow", "GET /payments/:id", {
    id: "followPayment",
    summary: "Follow a payment through its events and deliveries",
    description:
      "Takes a transaction, a checkout session, or an event of either. Returns the session's payments, the events they caused, and each attempt to deliver those events.",
    params: idOf("a transaction, a checkout session or its `client_reference_id`, or an event of either"),
    answer: payments.FollowedPayment,
  }),
  operation("payments.links", "GET /links", {
    id: "listLinks",
    summary: "List payment links, newest first",
    query: payments.LinksQuery,
    answer: payments.Links,
  }),
  operation("payments.createLink", "POST /links", {
    id: "createLink",
    summary: "Create a payment link",
    description: "The money goes to the organization's default address unless the link names another.",
    body: payments.NewLink,
    answer: PaymentLink,
    status: 201,
    library: { takes: ["*"] },
  }),
  operation("payments.link", "GET /links/:link", {
    id: "readLink",
    summary: "Read a payment link",
    params: payments.LinkParams,
    answer: PaymentLink,
    library: { takes: ["link"] },
  }),
  operation("payments.sessions", "GET /sessions", {
    id: "listSessions",
    summary: "List checkout sessions, newest first",
    query: payments.SessionsQuery,
    answer: payments.Sessions,
  }),
  operation("payments.openSession", "POST /links/:link/sessions", {
    id: "openSession",
    summary: "Open a checkout session of a link",
    params: payments.LinkParams,
    body: payments.NewSession,
    answer: CheckoutSession,
    status: 201,
    library: { takes: ["link", "*"] },
  }),
  operation("payments.session", "GET /sessions/:id", {
    id: "readSession",
    summary: "Read a checkout session",
    params: idOf("a checkout session"),
    answer: CheckoutSession,
    library: { takes: ["id"] },
  }),
  operation("payments.expire", "POST /sessions/:id/expire", {
    id: "expireSession",
    reachesOut: true,
    summary: "Expire a checkout session now",
    params: idOf("a checkout session, or its `client_reference_id`"),
    answer: CheckoutSession,
    library: { takes: ["id"] },
  }),
  operation("payments.transaction", "GET /transactions/:id", {
    id: "readTransaction",
    summary: "Read a payment",
    params: idOf("a transaction"),
    answer: Transaction,
    library: { takes: ["id"] },
  }),
];
