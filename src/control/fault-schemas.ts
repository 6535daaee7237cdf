import { Type } from "typebox";
import { SUBSCRIBER_FAULTS } from "../payments/webhooks/subscriber-faults.ts";
import { Anything, enumOf, HttpStatus, nullable, object, partialBody } from "./schemas.ts";

/** Shapes of the control API's calls about faults. */

export const Times = Type.Integer({
  minimum: 1,
  maximum: 1_000_000,
  description: "Hits this many times, then is lifted.",
});
export const Rate = Type.Number({
  minimum: 0,
  maximum: 1,
  description: "Hits with this probability, drawn from the seed.",
});

export const SubscriberFaultBody = partialBody("SubscriberFault", {
  kind: enumOf(SUBSCRIBER_FAULTS),
  status: HttpStatus,
  times: Times,
  rate: Rate,
  sequence: Type.Array(Type.Union([HttpStatus, enumOf(SUBSCRIBER_FAULTS)]), {
    minItems: 1,
    maxItems: 1_000,
    description: "What happens at each attempt; after the last the fault is lifted.",
    examples: [[500, 500, 200]],
  }),
  passThrough: Type.Boolean({ description: "Calls the real subscriber as well." }),
});

export const AreaParams = Type.Object({ area: Type.String() });
export const ApiFaultBody = partialBody("ApiFault", {
  status: Type.Integer({ minimum: 400, maximum: 599 }),
  latency: Type.Integer({ minimum: 0, maximum: 60_000, description: "Real milliseconds." }),
  times: Times,
  rate: Rate,
  match: Type.String({
    maxLength: 200,
    description: "Which calls: a method, a path with * for any text, or both.",
    examples: ["POST /payment-links*"],
  }),
});

export const FaultState = object("Fault", {
  target: Type.String(),
  spec: nullable(Anything),
  asked: Type.Integer(),
  hit: Type.Integer(),
});
