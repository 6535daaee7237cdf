import type { App } from "../../http/types.ts";
import { PlatformError } from "../errors.ts";
import { listEnvelope } from "../listing.ts";
import {
  CheckoutSession,
  CheckoutSessionCreate,
  CheckoutSessionList,
  CheckoutSessionListQuery,
  CheckoutSessionUpdate,
} from "../schemas/checkout-sessions.ts";
import { errorResponses, IdParams, NoQuery } from "../schemas/common.ts";
import { apiPath, change } from "./support.ts";

const tags = ["Checkout sessions"];

export function checkoutSessionRoutes(app: App): void {
  app.get(
    "/checkout-sessions",
    {
      schema: {
        operationId: "listCheckoutSessions",
        summary: "List checkout sessions",
        tags,
        querystring: CheckoutSessionListQuery,
        response: { 200: CheckoutSessionList, ...errorResponses },
      },
    },
    (request) => {
      const { data, total } = request.payments.sessions.list(request.caller.org, request.query);
      return listEnvelope(data, total, request.query, apiPath(request));
    },
  );

  app.post(
    "/checkout-sessions",
    {
      schema: {
        operationId: "createCheckoutSession",
        summary: "Open a checkout session",
        description:
          "Of a payment link (`payment_link_id`), or with its own `amount` and, if need be, token, chain and recipient.",
        tags,
        querystring: NoQuery,
        body: CheckoutSessionCreate,
        response: { 201: CheckoutSession, ...errorResponses },
      },
    },
    (request, reply) => {
      const { payment_link_id: linkId, ...input } = request.body;
      if (linkId === undefined && input.amount === undefined) {
        throw new PlatformError(
          "missing_required_field",
          "Missing required field: payment_link_id, or amount for a session without a payment link.",
          "payment_link_id",
        );
      }
      const { sessions } = request.payments;
      return change(request, reply, 201, () =>
        sessions.resource(sessions.open(request.caller.org, linkId ?? null, input)),
      );
    },
  );

  app.get(
    "/checkout-sessions/:id",
    {
      schema: {
        operationId: "getCheckoutSession",
        summary: "Read a checkout session",
        tags,
        params: IdParams,
        querystring: NoQuery,
        response: { 200: CheckoutSession, ...errorResponses },
      },
    },
    (request) => request.payments.sessions.get(request.caller.org, request.params.id),
  );

  app.patch(
    "/checkout-sessions/:id",
    {
      schema: {
        operationId: "updateCheckoutSession",
        summary: "Update a checkout session",
        description:
          "Of the statuses only `expired` can be asked for: a confirmed payment completes a session.",
        tags,
        params: IdParams,
        querystring: NoQuery,
        body: CheckoutSessionUpdate,
        response: { 200: CheckoutSession, ...errorResponses },
      },
    },
    (request, reply) =>
      change(request, reply, 200, () =>
        request.payments.sessions.update(request.caller, request.params.id, request.body),
      ),
  );

  app.post(
    "/checkout-sessions/:id/expire",
    {
      schema: {
        operationId: "expireCheckoutSession",
        summary: "Expire a checkout session now",
        tags,
        params: IdParams,
        querystring: NoQuery,
        response: { 200: CheckoutSession, ...errorResponses },
      },
    },
    (request, reply) =>
      change(request, reply, 200, () =>
        request.payments.sessions.expire(request.caller.org, request.params.id),
      ),
  );
}
