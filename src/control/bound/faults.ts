import { misuse } from "../../errors/errors.ts";
import type { faultOperations } from "../../operations/faults.ts";
import { readDelay } from "../../operations/schemas/common.ts";
import type { Bound } from "./bound.ts";

const none = (target: string) => ({ target, spec: null, asked: 0, hit: 0 });

export const faultBound: Bound<(typeof faultOperations)[number]> = {
  "faults.list": ({ sandbox }) => ({ data: sandbox.faults() }),
  "webhooks.fault": ({ sandbox, params }) =>
    sandbox.payments.webhookFault(params.id) ?? none(`webhook:${params.id}`),
  "webhooks.fail"({ sandbox, params, body }) {
    sandbox.payments.setWebhookFault(params.id, body);
    return sandbox.payments.webhookFault(params.id)!;
  },
  "webhooks.work"({ sandbox, params }) {
    sandbox.payments.clearWebhookFault(params.id);
    return none(`webhook:${params.id}`);
  },
  "faults.get": ({ sandbox, params }) => sandbox.apiFault(params.area) ?? none(`api:${params.area}`),
  "faults.set"({ sandbox, params, body }) {
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
  "faults.clear"({ sandbox, params }) {
    sandbox.clearApiFault(params.area);
    return none(`api:${params.area}`);
  },
};
