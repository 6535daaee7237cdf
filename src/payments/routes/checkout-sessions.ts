import { PlatformError } from "../errors.ts";
import {
  CheckoutSession,
  CheckoutSessionCreate,
  CheckoutSessionList,
  CheckoutSessionListQuery,
  CheckoutSessionUpdate,
} from "../schemas/checkout-sessions.ts";
import { IdParams } from "../schemas/common.ts";
import { changes, lists, reads } from "./table.ts";

const tag = "Checkout sessions";

export const checkoutSessionRoutes = [
  lists("GET /checkout-sessions", {
    id: "listCheckoutSessions",
    tag,
    summary: "List checkout sessions",
    query: CheckoutSessionListQuery,
    answer: CheckoutSessionList,
    run: ({ payments, caller, query }) => payments.sessions.list(caller.org, query),
  }),
  changes("POST /checkout-sessions", {
    id: "createCheckoutSession",
    tag,
    summary: "Open a checkout session",
    description:
      "Of a payment link (`payment_link_id`), or with its own `amount` and, if need be, token, chain and recipient.",
    body: CheckoutSessionCreate,
    answer: CheckoutSession,
    status: 201,
    run({ payments: { sessions }, caller, body: { payment_link_id: linkId, ...input } }) {
      if (linkId === undefined && input.amount === undefined)
        throw new PlatformError(
          "missing_required_field",
          "Missing required field: payment_link_id, or amount for a session without a payment link.",
          "payment_link_id",
        );
      return sessions.resource(sessions.open(caller.org, linkId ?? null, input));
    },
  }),
  reads("GET /checkout-sessions/:id", {
    id: "getCheckoutSession",
    tag,
    summary: "Read a checkout session",
    params: IdParams,
    answer: CheckoutSession,
    run: ({ payments, caller, params }) => payments.sessions.get(caller.org, params.id),
  }),
  changes("PATCH /checkout-sessions/:id", {
    id: "updateCheckoutSession",
    tag,
    summary: "Update a checkout session",
    description: "Of the statuses only `expired` can be asked for: a confirmed payment completes a session.",
    params: IdParams,
    body: CheckoutSessionUpdate,
    answer: CheckoutSession,
    run: ({ payments, caller, params, body }) => payments.sessions.update(caller, params.id, body),
  }),
  changes("POST /checkout-sessions/:id/expire", {
    id: "expireCheckoutSession",
    tag,
    summary: "Expire a checkout session now",
    params: IdParams,
    answer: CheckoutSession,
    run: ({ payments, caller, params }) => payments.sessions.expire(caller.org, params.id),
  }),
];
