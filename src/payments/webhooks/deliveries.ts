import { equal, listPage, type PageQuery } from "../../http/listing.ts";
import type { WebhookEngine } from "../../webhooks/engine.ts";
import type { World } from "../../world/world.ts";
import { resolveAliases } from "../patch.ts";

export interface DeliveryQuery extends PageQuery {
  status?: string;
  event?: string;
  event_type?: string;
}

const ANY_STATUS = "status in ('pending', 'success', 'failed')";

/** A page of an endpoint's deliveries. @throws Refusal `resource_not_found` for an endpoint of another organization */
export type DeliveryList = (
  org: string,
  webhookId: string,
  asked: DeliveryQuery,
) => { data: ReturnType<WebhookEngine["deliveries"]["resource"]>[]; total: number };

/** The deliveries of an endpoint as the platform's API lists them. */
export function createDeliveryList({ store }: World, { endpoints, deliveries }: WebhookEngine): DeliveryList {
  return (org, webhookId, asked) => {
    const query = resolveAliases(asked, { event_type: "event" });
    endpoints.find(org, webhookId);
    return listPage(
      store,
      "webhook_deliveries",
      [
        ...equal({ webhook_id: webhookId, status: query.status, event: query.event }),
        // The index of a status also finds events.
        query.status === undefined && query.event !== undefined ? [ANY_STATUS] : undefined,
      ],
      query,
      deliveries.resource,
    );
  };
}
