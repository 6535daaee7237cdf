import { SandboxError } from "../errors/errors.ts";
import type { App } from "../http/types.ts";
import * as shapes from "./schemas.ts";

const tags = (name: string) => ({ tags: [name] });

/** What is made to fail: subscribers, and the API itself. */
export function faultRoutes(app: App): void {
  const answers = { response: { 200: shapes.FaultState, ...shapes.controlErrors } };
  const none = (target: string) => ({ target, spec: null, asked: 0, hit: 0 });

  app.get(
    "/webhooks/:id/fault",
    {
      schema: {
        operationId: "getWebhookFault",
        summary: "The fault set on a subscriber",
        ...tags("Faults"),
        params: shapes.IdParams,
        ...answers,
      },
    },
    async ({ sandbox, params }) => sandbox.payments.webhookFault(params.id) ?? none(`webhook:${params.id}`),
  );
  app.put(
    "/webhooks/:id/fault",
    {
      schema: {
        operationId: "setWebhookFault",
        summary: "Make a subscriber fail",
        description:
          "Simulated on the sandbox's side: the real subscriber is not called unless `passThrough` is true.",
        ...tags("Faults"),
        params: shapes.IdParams,
        body: shapes.SubscriberFaultBody,
        ...answers,
      },
    },
    async ({ sandbox, params, body }) => {
      if (body.kind === undefined && body.sequence === undefined && body.status === undefined) {
        throw new SandboxError(
          "bad_request",
          "A fault needs kind, status or sequence.",
          'For example {"kind": "status", "status": 503} or {"sequence": [500, 500, 200]}.',
        );
      }
      sandbox.payments.setWebhookFault(params.id, body);
      return sandbox.payments.webhookFault(params.id)!;
    },
  );
  app.delete(
    "/webhooks/:id/fault",
    {
      schema: {
        operationId: "clearWebhookFault",
        summary: "Let a subscriber work again",
        ...tags("Faults"),
        params: shapes.IdParams,
        ...answers,
      },
    },
    async ({ sandbox, params }) => {
      sandbox.payments.clearWebhookFault(params.id);
      return none(`webhook:${params.id}`);
    },
  );

  app.put(
    "/faults/:area",
    {
      schema: {
        operationId: "setApiFault",
        summary: "Make an area's API fail or lag",
        ...tags("Faults"),
        params: shapes.AreaParams,
        body: shapes.ApiFaultBody,
        ...answers,
      },
    },
    async ({ sandbox, params, body }) => {
      if (body.status === undefined && body.latency === undefined) {
        throw new SandboxError(
          "bad_request",
          "An API fault needs status or latency.",
          'For example {"status": 500} or {"latency": 2000, "match": "GET /payment-links*"}.',
        );
      }
      return sandbox.setApiFault(params.area, body);
    },
  );
  app.delete(
    "/faults/:area",
    {
      schema: {
        operationId: "clearApiFault",
        summary: "Let an area's API work again",
        ...tags("Faults"),
        params: shapes.AreaParams,
        ...answers,
      },
    },
    async ({ sandbox, params }) => {
      sandbox.clearApiFault(params.area);
      return none(`api:${params.area}`);
    },
  );
}
