import type { WebhookEngine } from "../../webhooks/engine.ts";
import type { Store } from "../../world/store.ts";
import { equal, listPage, type PageQuery } from "../listing.ts";
import { resolveAliases } from "../patch.ts";

export interface DeliveryQuery extends PageQuery {
  status?: string;
  event?: string;
  event_type?: string;
}

/** The deliveries of an endpoint as the platform's API lists them. */
export const createDeliveryList =
  (store: Store, { endpoints, deliveries }: WebhookEngine) =>
  (org: string, webhookId: string, asked: DeliveryQuery) => {
    const query = resolveAliases(asked, { event_type: "event" });
    endpoints.find(org, webhookId);
    return listPage(
      store,
      "webhook_deliveries",
      equal({ webhook_id: webhookId, status: query.status, event: query.event }),
      query,
      deliveries.resource,
    );
  };
