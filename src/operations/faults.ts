import { operationsOf } from "./operation.ts";
import { dataOf, idOf } from "./schemas/common.ts";
import * as faults from "./schemas/faults.ts";

const operation = operationsOf("Faults");
/** Faults of subscribers, and of the API itself. */
export const faultOperations = [
  operation("faults.list", "GET /faults", {
    id: "listFaults",
    summary: "Every fault in force",
    description:
      "Of subscribers (`webhook:wh_…`), of the APIs (`api:platform`) and of providers (`provider:indexer`).",
    answer: dataOf(faults.FaultState, "Faults"),
  }),
  operation("webhooks.fault", "GET /webhooks/:id/fault", {
    id: "getWebhookFault",
    summary: "The fault set on a subscriber",
    params: idOf("a webhook endpoint"),
    answer: faults.FaultState,
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
  }),
  operation("webhooks.work", "DELETE /webhooks/:id/fault", {
    id: "clearWebhookFault",
    summary: "Let a subscriber work again",
    params: idOf("a webhook endpoint"),
    answer: faults.FaultState,
    library: { takes: ["id"], gives: null },
  }),
  operation("faults.get", "GET /faults/:area", {
    id: "getApiFault",
    summary: "The fault set on an area's API",
    params: faults.AreaParams,
    answer: faults.FaultState,
  }),
  operation("faults.set", "PUT /faults/:area", {
    id: "setApiFault",
    summary: "Make an area's API fail or lag",
    params: faults.AreaParams,
    body: faults.ApiFaultBody,
    answer: faults.FaultState,
    library: { takes: ["area", "*"], gives: null },
  }),
  operation("faults.clear", "DELETE /faults/:area", {
    id: "clearApiFault",
    summary: "Let an area's API work again",
    params: faults.AreaParams,
    answer: faults.FaultState,
    library: { takes: ["area"], gives: null },
  }),
];
