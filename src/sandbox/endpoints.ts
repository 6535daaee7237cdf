import type { IncomingHttpHeaders } from "node:http";
import type { Static } from "typebox";
import { invalidState, misuse, notFound } from "../errors/errors.ts";
import type { ListQuery } from "../http/listing.ts";
import type { FaultState } from "../operations/faults.ts";
import type * as schemas from "../operations/webhooks.ts";
import type { Payments } from "../payments/payments.ts";
import { PLATFORM_SENDER } from "../payments/webhooks/platform.ts";
import { withScheme } from "../runtime/http-url.ts";
import type { RowStatus } from "../timeline/endpoint-state.ts";
import type { Timeline } from "../timeline/schemas.ts";
import { readStoredHeaders } from "../webhooks/endpoint-headers.ts";
import type { WebhookEngine } from "../webhooks/engine.ts";
import type { WebhookRow } from "../webhooks/rows.ts";
import type { DeliveryListQuery, Webhook, WebhookDelivery, WebhookTestResult } from "../webhooks/schemas.ts";
import { checkFault, faultTarget, type SubscriberFault } from "../webhooks/subscriber-faults.ts";
import type { TimelineRange } from "../webhooks/timeline.ts";
import { checkSecret, dashboardCaller, organizationIds } from "./dashboard.ts";

/**
 * Webhook endpoints of every sender, by id. The audit trail records the path of each request.
 * @throws SandboxError `not_found`; `bad_request` for an invalid secret; Refusal
 */
export interface EndpointControls {
  /**
   * Registers an endpoint as its owner would in the dashboard, or returns the existing one with this URL, events and
   * description. See docs/guide/webhooks.md, "Register".
   * @param headers their API key determines the organization; the default is the first
   * @param path of the request, for the audit trail
   */
  create(
    input: Static<typeof schemas.WebhookRegistration>,
    headers: IncomingHttpHeaders,
    path: string,
  ): Static<typeof schemas.RegisteredWebhook>;
  /** Changes the specified fields of an endpoint. */
  update(id: string, change: Static<typeof schemas.WebhookChange>, path: string): schemas.WebhookWithSecret;
  /** Sends a test delivery and waits for its result. See docs/guide/webhooks.md, "Retry by hand, and test". */
  test(id: string): Promise<Static<typeof WebhookTestResult>>;
  delete(id: string, path: string): { object: "webhook"; id: string; deleted: true };
  deliveries(id: string, query: ListQuery<typeof DeliveryListQuery>): { data: WebhookDelivery[] };
  /**
   * Enables or disables it, as its owner would in the dashboard. @throws SandboxError `invalid_state` if it already has
   * this status
   */
  turn(id: string, status: RowStatus, path: string): Webhook;
  /** The URL that an endpoint's deliveries are sent to; undefined for an unknown endpoint. */
  urlOf(id: string): string | undefined;
  /** Endpoints of every sender, or of one organization (by id or name), with their secrets. */
  list(organization?: string): schemas.WebhookWithSecret[];
  /** The latest attempts of an endpoint, even a deleted one. See docs/guide/webhooks.md, "The timeline". */
  timeline(id: string, limit: number, range?: TimelineRange): Timeline;
  /** The fault of an endpoint's subscriber. See docs/guide/faults.md, "A subscriber". */
  fault(id: string): Static<typeof FaultState>;
  /** @throws SandboxError `bad_request` */
  fail(id: string, fault: SubscriberFault): Static<typeof FaultState>;
  /** Ends the fault. */
  work(id: string): Static<typeof FaultState>;
}

const noWebhook = (id: string) =>
  notFound(`There is no webhook ${id}.`, {
    command: "List them all: npx sandglass webhooks",
    library: "webhooks.list() lists them.",
    http: "GET /_sandbox/webhooks lists them.",
  });

/** Hints for finding a delivery's id. */
export const WAYS_TO_DELIVERIES = {
  command: "List an endpoint's deliveries with their ids: npx sandglass webhooks timeline <endpoint>",
  library: "webhooks.timeline(id) and webhooks.deliveries(id) list the ids of an endpoint's deliveries.",
};

/** An endpoint that has not been deleted. @throws SandboxError `not_found` */
export function findWebhook({ endpoints }: WebhookEngine, id: string): WebhookRow {
  const row = endpoints.byId(id);
  if (!row || row.deleted_at !== null) throw noWebhook(id);
  return row;
}

export function createEndpointControls(engine: WebhookEngine, payments: () => Payments): EndpointControls {
  const { deliveries, endpoints, registrations, senders, world } = engine;
  const { faults, store } = world;
  const find = (id: string) => findWebhook(engine, id);
  const fault = (id: string) => {
    const target = faultTarget(find(id).id);
    return faults.get(target) ?? { target, spec: null, asked: 0, hit: 0 };
  };

  const view = (row: WebhookRow): schemas.WebhookWithSecret => ({
    ...endpoints.resource(row),
    organization: row.org,
    sender: row.sender,
    secret: row.secret,
    headers: { ...readStoredHeaders(row.headers) },
    threshold: senders.of(row.sender).policy.disableAfter.consecutive,
    seeded: row.seeded === 1,
  });

  /** A new endpoint's account: its sender, else the named organization, else that of the API key, else the first. */
  function accountOf(sender: string, organization: string | undefined, headers: IncomingHttpHeaders): string {
    if (sender !== PLATFORM_SENDER) {
      if (organization === undefined) return sender;
      throw misuse(
        `An endpoint of ${sender} does not belong to an organization, but organization is ${organization}.`,
        "Leave out organization.",
      );
    }
    const keyed = headers.authorization !== undefined || headers["x-api-key"] !== undefined;
    return organization === undefined && keyed
      ? payments().apiKeys.authenticate(headers).org
      : organizationIds(payments(), organization)[0]!;
  }

  return {
    create({ organization, sender = PLATFORM_SENDER, ...input }, headers, path) {
      if (input.secret !== undefined) checkSecret(input.secret);
      const caller = dashboardCaller(accountOf(sender, organization, headers), "POST", path);
      const registration = { ...input, sender, url: withScheme(input.url) };
      const { row, created } = registrations.register(caller, registration);
      return { ...view(row), created };
    },

    update: (id, change, path) =>
      store.transaction(() => {
        const row = find(id);
        if (change.secret !== undefined) checkSecret(change.secret);
        const { url } = change;
        const changed = url === undefined ? change : { ...change, url: withScheme(url) };
        return view(registrations.change(dashboardCaller(row.org, "PATCH", path), row, changed));
      }),

    async test(id) {
      const row = await deliveries.test(find(id).org, id);
      return { delivery_id: row.id, response_code: row.response_code, success: row.status === "success" };
    },

    delete: (id, path) => registrations.delete(dashboardCaller(find(id).org, "DELETE", path), id),

    deliveries: (id, query) => ({ data: engine.listDeliveries(find(id).org, id, query).data }),

    turn: (id, status, path) =>
      store.transaction(() => {
        const row = find(id);
        if (row.status === status)
          throw invalidState(`The webhook ${id} is already ${status}.`, "No action is needed.");
        const caller = dashboardCaller(row.org, "POST", path);
        return endpoints.resource(registrations.change(caller, row, { status }));
      }),

    urlOf(id) {
      const row = endpoints.byId(id);
      return row && endpoints.resource(row).url;
    },

    list(organization) {
      const all = endpoints.all().map(view);
      if (organization === undefined) return all;
      const ids = organizationIds(payments(), organization);
      return all.filter((endpoint) => ids.includes(endpoint.organization));
    },

    timeline(id, limit, range = {}) {
      if (!endpoints.byId(id)) throw noWebhook(id);
      const { before } = range;
      if (before !== undefined && deliveries.byId(before)?.webhook_id !== id)
        throw notFound(`The webhook ${id} has no delivery ${before}.`, {
          ...WAYS_TO_DELIVERIES,
          http: `GET /_sandbox/webhooks/${id}/timeline without \`before\` lists the latest ones.`,
        });
      return engine.timelines.of(id, limit, range);
    },

    fault,

    fail(id, spec) {
      checkFault(spec);
      faults.set(faultTarget(find(id).id), spec);
      return fault(id);
    },

    work(id) {
      faults.clear(faultTarget(find(id).id));
      return fault(id);
    },
  };
}
