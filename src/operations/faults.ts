import { Type } from "typebox";
import { flag, nullable, oneOf, shape, text } from "../http/shapes.ts";
import { DELIVER, SUBSCRIBER_FAULTS } from "../webhooks/subscriber-faults.ts";
import { Anything, DelayValue, dataOf, HttpStatus, idOf, partialBody } from "./common.ts";
import { operationsOf } from "./operation.ts";

export const Times = Type.Integer({
  minimum: 1,
  maximum: 1_000_000,
  description: "How many times the fault applies before it ends. Default: every time.",
});
export const Rate = Type.Number({
  minimum: 0,
  maximum: 1,
  description: "The probability that the fault applies, 0 to 1, drawn from the seed. Default: always.",
});

const effect = {
  kind: oneOf(SUBSCRIBER_FAULTS, {
    description: "Default: `status`, or the fault's kind for a step of a sequence.",
  }),
  status: Type.Integer({
    ...HttpStatus,
    description:
      "The response status for the kind `status`. Default: 500, or the fault's status for a step of a sequence.",
  }),
  passThrough: flag("Also calls the real subscriber."),
  overlap: flag(
    "Like passThrough, but the request arrives together with the endpoint's next request, as if the subscriber were still working on it.",
  ),
};

/** An effect lists only the fields that differ from the fault's own. */
const FaultStep = Type.Union([
  HttpStatus,
  oneOf([...SUBSCRIBER_FAULTS, DELIVER]),
  Type.Partial(Type.Object(effect), { additionalProperties: false, minProperties: 1 }),
]);

export const SubscriberFaultBody = partialBody("SubscriberFault", {
  ...effect,
  times: Times,
  rate: Rate,
  sequence: Type.Array(FaultStep, {
    minItems: 1,
    maxItems: 1_000,
    description:
      "What happens at each attempt in turn; with `deliver`, the subscriber works. After the last attempt, the fault ends.",
    examples: [[500, "deliver", { kind: "timeout", passThrough: true }]],
  }),
});

export const AreaParams = Type.Object({ area: text("The name of an area.") });
export const ApiFaultBody = partialBody("ApiFault", {
  status: Type.Integer({
    minimum: 400,
    maximum: 599,
    description: "The status to respond with, 400 to 599.",
  }),
  latency: DelayValue,
  times: Times,
  rate: Rate,
  match: Type.String({
    description:
      "The calls that the fault affects: a method, a path with * for any text, or both. Default: all of them.",
    examples: ["POST /payment-links*"],
  }),
});

export const FaultState = shape("Fault", {
  target: Type.String(),
  spec: nullable(Type.Unsafe<object>(Anything)),
  asked: Type.Integer(),
  hit: Type.Integer(),
});

const operation = operationsOf("Faults");
/** Faults of subscribers, and of the API itself. */
export const faultOperations = [
  operation("faults.list", "GET /faults", {
    id: "listFaults",
    summary: "List the active faults",
    description:
      "Faults of subscribers (`webhook:wh_…`), APIs (`api:platform`) and providers (`provider:indexer`).",
    answer: dataOf(FaultState, "Faults"),
  }),
  operation("webhooks.fault", "GET /webhooks/:id/fault", {
    id: "getWebhookFault",
    summary: "The fault set on a subscriber",
    params: idOf("a webhook endpoint"),
    answer: FaultState,
  }),
  operation("webhooks.fail", "PUT /webhooks/:id/fault", {
    id: "setWebhookFault",
    summary: "Make a subscriber fail",
    description:
      "Simulated on the sandbox's side: the real subscriber is not called unless `passThrough` is true. Without `kind`, `status` and `sequence`, the simulated response is 500.",
    params: idOf("a webhook endpoint"),
    body: SubscriberFaultBody,
    answer: FaultState,
    library: { takes: ["id", "*"], gives: null },
  }),
  operation("webhooks.work", "DELETE /webhooks/:id/fault", {
    id: "clearWebhookFault",
    summary: "Make a subscriber work again",
    params: idOf("a webhook endpoint"),
    answer: FaultState,
    library: { takes: ["id"], gives: null },
  }),
  operation("faults.get", "GET /faults/:area", {
    id: "getApiFault",
    summary: "The fault set on an area's API",
    params: AreaParams,
    answer: FaultState,
  }),
  operation("faults.set", "PUT /faults/:area", {
    id: "setApiFault",
    summary: "Make an area's API fail or lag",
    params: AreaParams,
    body: ApiFaultBody,
    answer: FaultState,
    library: { takes: ["area", "*"], gives: null },
  }),
  operation("faults.clear", "DELETE /faults/:area", {
    id: "clearApiFault",
    summary: "Make an area's API work again",
    params: AreaParams,
    answer: FaultState,
    library: { takes: ["area"], gives: null },
  }),
];
