import { missingField } from "../errors.ts";
import * as shapes from "../schemas/checkout-sessions.ts";
import { IdParams } from "../schemas/common.ts";
import { changes, lists, reads, tagged } from "./table.ts";

export const checkoutSessionRoutes = tagged("Checkout sessions", [
  lists("GET /checkout-sessions", {
    id: "listCheckoutSessions",
    summary: "List checkout sessions",
    query: shapes.CheckoutSessionListQuery,
    answer: shapes.CheckoutSessionList,
    run: ({ payments, caller, query }) => payments.sessions.list(caller.org, query),
  }),
  changes("POST /checkout-sessions", {
    id: "createCheckoutSession",
    summary: "Open a checkout session",
    description:
      "Opens a session from a payment link (`payment_link_id`), or with its own `amount` and, optionally, token, chain and recipient.",
    body: shapes.CheckoutSessionCreate,
    answer: shapes.CheckoutSession,
    status: 201,
    run({ payments: { sessions }, caller, body: { payment_link_id: linkId, ...input } }) {
      if (linkId === undefined && input.amount === undefined)
        throw missingField("payment_link_id", ", or amount for a session without a payment link");
      return sessions.resource(sessions.open(caller.org, linkId ?? null, input));
    },
  }),
  reads("GET /checkout-sessions/:id", {
    id: "getCheckoutSession",
    summary: "Read a checkout session",
    params: IdParams,
    answer: shapes.CheckoutSession,
    run: ({ payments, caller, params }) => payments.sessions.get(caller.org, params.id),
  }),
  changes("PATCH /checkout-sessions/:id", {
    id: "updateCheckoutSession",
    summary: "Update a checkout session",
    description: "The only status that can be set is `expired`: a confirmed payment completes a session.",
    params: IdParams,
    body: shapes.CheckoutSessionUpdate,
    answer: shapes.CheckoutSession,
    run: ({ payments, caller, params, body }) => payments.sessions.update(caller.org, params.id, body),
  }),
  changes("POST /checkout-sessions/:id/expire", {
    id: "expireCheckoutSession",
    summary: "Expire a checkout session now",
    params: IdParams,
    answer: shapes.CheckoutSession,
    run: ({ payments, caller, params }) => payments.sessions.expire(caller.org, params.id),
  }),
]);
