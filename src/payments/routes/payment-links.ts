import { Type } from "typebox";
import type { App } from "../../http/types.ts";
import { listEnvelope } from "../listing.ts";
import { CheckoutSessionList, LinkSessionListQuery } from "../schemas/checkout-sessions.ts";
import { errorResponses, NoQuery } from "../schemas/common.ts";
import {
  PaymentLink,
  PaymentLinkCreate,
  PaymentLinkDeleted,
  PaymentLinkList,
  PaymentLinkListQuery,
  PaymentLinkUpdate,
} from "../schemas/payment-links.ts";
import { QuickPay } from "../schemas/quick-pay.ts";
import { apiPath, change } from "./support.ts";

const tags = ["Payment links"];
const params = Type.Object({ payment_link_id: Type.String() });

export function paymentLinkRoutes(app: App): void {
  app.get(
    "/payment-links",
    {
      schema: {
        operationId: "listPaymentLinks",
        summary: "List payment links",
        tags,
        querystring: PaymentLinkListQuery,
        response: { 200: PaymentLinkList, ...errorResponses },
      },
    },
    (request) => {
      const { data, total } = request.payments.links.list(request.caller.org, request.query);
      return listEnvelope(data, total, request.query, apiPath(request));
    },
  );

  app.post(
    "/payment-links",
    {
      schema: {
        operationId: "createPaymentLink",
        summary: "Create a payment link",
        description:
          "Missing token, chain and recipient come from the product, then from the organization's defaults.",
        tags,
        querystring: NoQuery,
        body: PaymentLinkCreate,
        response: { 201: PaymentLink, ...errorResponses },
      },
    },
    (request, reply) =>
      change(request, reply, 201, () => request.payments.links.create(request.caller, request.body)),
  );

  app.post(
    "/quick-pay",
    {
      config: { keyOptional: true },
      schema: {
        operationId: "quickPay",
        summary: "Create a payment link with nothing but a recipient",
        description:
          "With an API key the link belongs to its organization. Without one it belongs to no organization: it is paid like any other, and no webhooks are sent.",
        tags,
        keyOptional: true,
        querystring: NoQuery,
        body: QuickPay,
        response: { 201: PaymentLink, ...errorResponses },
      },
    },
    (request, reply) =>
      change(request, reply, 201, () => request.payments.links.createQuick(request.caller, request.body)),
  );

  app.get(
    "/payment-links/:payment_link_id",
    {
      schema: {
        operationId: "getPaymentLink",
        summary: "Read a payment link",
        tags,
        params,
        querystring: NoQuery,
        response: { 200: PaymentLink, ...errorResponses },
      },
    },
    (request) => request.payments.links.get(request.caller.org, request.params.payment_link_id),
  );

  app.patch(
    "/payment-links/:payment_link_id",
    {
      schema: {
        operationId: "updatePaymentLink",
        summary: "Update a payment link",
        tags,
        params,
        querystring: NoQuery,
        body: PaymentLinkUpdate,
        response: { 200: PaymentLink, ...errorResponses },
      },
    },
    (request, reply) =>
      change(request, reply, 200, () =>
        request.payments.links.update(request.caller, request.params.payment_link_id, request.body),
      ),
  );

  app.delete(
    "/payment-links/:payment_link_id",
    {
      schema: {
        operationId: "deletePaymentLink",
        summary: "Delete a payment link",
        tags,
        params,
        querystring: NoQuery,
        response: { 200: PaymentLinkDeleted, ...errorResponses },
      },
    },
    (request, reply) =>
      change(request, reply, 200, () =>
        request.payments.links.delete(request.caller, request.params.payment_link_id),
      ),
  );

  app.get(
    "/payment-links/:payment_link_id/sessions",
    {
      schema: {
        operationId: "listPaymentLinkSessions",
        summary: "List the checkout sessions of a payment link",
        tags,
        params,
        querystring: LinkSessionListQuery,
        response: { 200: CheckoutSessionList, ...errorResponses },
      },
    },
    (request) => {
      const { payments, caller, query, params: path } = request;
      payments.links.find(caller.org, path.payment_link_id);
      const { data, total } = payments.sessions.list(caller.org, {
        ...query,
        payment_link_id: path.payment_link_id,
      });
      return listEnvelope(data, total, query, apiPath(request));
    },
  );
}
