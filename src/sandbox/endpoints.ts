import type { Static } from "typebox";
import { invalidState, notFound } from "../errors/errors.ts";
import type { WebhookChange, WebhookWithSecret } from "../operations/webhooks.ts";
import type { Payments } from "../payments/payments.ts";
import type { Webhook, WebhookDelivery, WebhookTestResult } from "../payments/schemas/webhooks.ts";
import type { DeliveryQuery } from "../payments/webhooks/deliveries.ts";
import { withScheme } from "../runtime/http-url.ts";
import type { RowStatus } from "../timeline/endpoint-state.ts";
import type { Timeline } from "../timeline/schemas.ts";
import { expandUrl } from "../webhooks/endpoint-url.ts";
import type { WebhookRow } from "../webhooks/rows.ts";
import { checkFault, faultTarget, type SubscriberFault } from "../webhooks/subscriber-faults.ts";
import type { TimelineRange } from "../webhooks/timeline.ts";
import type { ActiveFault, FaultPlan } from "../world/faults.ts";
import { dashboardCaller, organizationIds } from "./dashboard.ts";
import { checkSecret, createRegistration, type RegisterWebhook } from "./registration.ts";

/** Webhook endpoints by their ids. The audit trail has the path of each request. @throws SandboxError `not_found` */
export interface EndpointControls {
  registerWebhook: RegisterWebhook;
  /** Changes what is given of an endpoint. @throws PlatformError, SandboxError `bad_request` */
  changeWebhook(id: string, change: Static<typeof WebhookChange>, path: string): WebhookWithSecret;
  /** Sends a test delivery, and waits for its result. See docs/guide/webhooks.md, "Retry by hand, and test". */
  testWebhook(id: string): Promise<Static<typeof WebhookTestResult>>;
  deleteWebhook(id: string, path: string): { object: "webhook"; id: string; deleted: true };
  webhookDeliveries(id: string, query: DeliveryQuery): { data: Static<typeof WebhookDelivery>[] };
  /** As its owner does in the dashboard. @throws SandboxError `invalid_state` if it has this status */
  turnWebhook(id: string, status: RowStatus, path: string): Static<typeof Webhook>;
  /** The address of an endpoint's deliveries; undefined for an unknown endpoint. */
  webhookUrl(id: string): string | undefined;
  /** Endpoints of every organization or of one, by its id or name, with their secrets. */
  webhooks(organization?: string): WebhookWithSecret[];
  /** The latest attempts of an endpoint, which may be deleted. See docs/guide/webhooks.md, "The timeline". */
  timeline(id: string, limit: number, range?: TimelineRange): Timeline;
  /** The fault of an endpoint's subscriber. See docs/guide/faults.md, "A subscriber". */
  webhookFault(id: string): ActiveFault<FaultPlan> | undefined;
  /** @throws SandboxError `bad_request` */
  setWebhookFault(id: string, fault: SubscriberFault): void;
  /** Reports whether there was a fault. */
  clearWebhookFault(id: string): boolean;
}

const noWebhook = (id: string) =>
  notFound(`There is no webhook ${id}.`, {
    command: "Print them all: npx sandglass webhooks",
    library: "webhooks.list() lists them.",
    http: "GET /_sandbox/webhooks lists them.",
  });

/** How to find the id of a delivery. */
export const WAYS_TO_DELIVERIES = {
  command: "Print an endpoint's deliveries with their ids: npx sandglass webhooks timeline <endpoint>",
  library: "webhooks.timeline(id) and webhooks.deliveries(id) list the ids of an endpoint's deliveries.",
};

/** An endpoint that was not deleted. @throws SandboxError `not_found` */
export function findWebhook({ endpoints }: Payments, id: string): WebhookRow {
  const row = endpoints.byId(id);
  if (!row || row.deleted_at !== null) throw noWebhook(id);
  return row;
}

export function createEndpointControls(payments: Payments): EndpointControls {
  const { origin, world } = payments;
  const { faults, store } = world;

  return {
    registerWebhook: createRegistration(payments),

    changeWebhook: (id, change, path) =>
      store.transaction(() => {
        const row = findWebhook(payments, id);
        if (change.secret !== undefined) checkSecret(change.secret);
        const { url } = change;
        const changed = url === undefined ? change : { ...change, url: withScheme(url) };
        payments.endpoints.change(dashboardCaller(row.org, "PATCH", path), row, changed);
        return payments.endpoints.listAll().find((endpoint) => endpoint.id === id)!;
      }),

    async testWebhook(id) {
      const row = await payments.deliveries.test(findWebhook(payments, id).org, id);
      return { delivery_id: row.id, response_code: row.response_code, success: row.status === "success" };
    },

    deleteWebhook: (id, path) =>
      payments.endpoints.delete(dashboardCaller(findWebhook(payments, id).org, "DELETE", path), id),

    webhookDeliveries: (id, query) => ({
      data: payments.deliveries.list(findWebhook(payments, id).org, id, query).data,
    }),

    turnWebhook: (id, status, path) =>
      store.transaction(() => {
        const row = findWebhook(payments, id);
        if (row.status === status)
          throw invalidState(`The webhook ${id} is already ${status}.`, "There is nothing to do.");
        payments.endpoints.turn(dashboardCaller(row.org, "POST", path), row, status);
        return payments.endpoints.get(row.org, id);
      }),

    webhookUrl(id) {
      const row = payments.endpoints.byId(id);
      return row && expandUrl(row.url, origin());
    },

    webhooks(organization) {
      const all = payments.endpoints.listAll();
      if (organization === undefined) return all;
      const ids = organizationIds(payments, organization);
      return all.filter((endpoint) => ids.includes(endpoint.organization));
    },

    timeline(id, limit, range = {}) {
      if (!payments.endpoints.byId(id)) throw noWebhook(id);
      const { before } = range;
      if (before !== undefined && payments.deliveries.byId(before)?.webhook_id !== id)
        throw notFound(`The webhook ${id} has no delivery ${before}.`, {
          ...WAYS_TO_DELIVERIES,
          http: `GET /_sandbox/webhooks/${id}/timeline without \`before\` lists the latest ones.`,
        });
      return payments.timelines.of(id, limit, range);
    },

    webhookFault: (id) => faults.get(faultTarget(findWebhook(payments, id).id)),
    setWebhookFault(id, fault) {
      checkFault(fault);
      faults.set(faultTarget(findWebhook(payments, id).id), fault);
    },
    clearWebhookFault: (id) => faults.clear(faultTarget(findWebhook(payments, id).id)),
  };
}
