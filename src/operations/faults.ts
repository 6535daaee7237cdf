import { misuse } from "../errors/errors.ts";
import { operationsOf } from "./operation.ts";
import { dataOf, idOf, readDelay } from "./schemas/common.ts";
import * as faults from "./schemas/faults.ts";

const operation = operationsOf("Faults");
const none = (target: string) => ({ target, spec: null, asked: 0, hit: 0 });

/** Faults of subscribers, and of the API itself. */
export const faultOperations = [
  operation("faults.list", "GET /faults", {
    id: "listFaults",
    summary: "Every fault in force",
    description:
      "Of subscribers (`webhook:wh_…`), of the APIs (`api:platform`) and of providers (`provider:indexer`).",
    answer: dataOf(faults.FaultState, "Faults"),
    run: ({ sandbox }) => ({ data: sandbox.faults() }),
  }),
  operation("webhooks.fault", "GET /webhooks/:id/fault", {
    id: "getWebhookFault",
    summary: "The fault set on a subscriber",
    params: idOf("a webhook endpoint"),
    answer: faults.FaultState,
    run: ({ sandbox, params }) => sandbox.payments.webhookFault(params.id) ?? none(`webhook:${params.id}`),
  }),
  operation("webhooks.fail", "PUT /webhooks/:id/fault", {
    id: "setWebhookFault",
    summary: "Make a subscriber fail",
    description:
      "Simulated on the sandbox's side: the real subscriber is not called unless `passThrough` is true. Without `kind`, `status` and `sequence` it answers 500.",
    params: idOf("a webhook endpoint"),
    body: faults.SubscriberFaultBody,
    answer: faults.FaultState,
    library: { takes: ["id", "*"], gives: null },
    run({ sandbox, params, body }) {
      sandbox.payments.setWebhookFault(params.id, body);
      return sandbox.payments.webhookFault(params.id);
    },
  }),
  operation("webhooks.work", "DELETE /webhooks/:id/fault", {
    id: "clearWebhookFault",
    summary: "Let a subscriber work again",
    params: idOf("a webhook endpoint"),
    answer: faults.FaultState,
    library: { takes: ["id"], gives: null },
    run({ sandbox, params }) {
      sandbox.payments.clearWebhookFault(params.id);
      return none(`webhook:${params.id}`);
    },
  }),
  operation("faults.get", "GET /faults/:area", {
    id: "getApiFault",
    summary: "The fault set on an area's API",
    params: faults.AreaParams,
    answer: faults.FaultState,
    run: ({ sandbox, params }) => sandbox.apiFault(params.area) ?? none(`api:${params.area}`),
  }),
  operation("faults.set", "PUT /faults/:area", {
    id: "setApiFault",
    summary: "Make an area's API fail or lag",
    params: faults.AreaParams,
    body: faults.ApiFaultBody,
    answer: faults.FaultState,
    library: { takes: ["area", "*"], gives: null },
    run({ sandbox, params, body }) {
      if (body.status === undefined && body.latency === undefined)
        throw misuse("An API fault needs status or latency.", {
          command: "For example: npx sandglass faults platform 503",
          library: "For example { status: 500 } or { latency: 2000 }.",
          http: 'For example {"status": 500} or {"latency": 2000, "match": "GET /payment-links*"}.',
        });
      const { latency, ...fault } = body;
      return sandbox.setApiFault(params.area, {
        ...fault,
        ...(latency !== undefined && { latency: readDelay(latency, "latency") }),
      });
    },
  }),
  operation("faults.clear", "DELETE /faults/:area", {
    id: "clearApiFault",
    summary: "Let an area's API work again",
    params: faults.AreaParams,
    answer: faults.FaultState,
    library: { takes: ["area"], gives: null },
    run({ sandbox, params }) {
      sandbox.clearApiFault(params.area);
      return none(`api:${params.area}`);
    },
  }),
];
