import { equal, type ListQuery, listPage, type Page } from "../http/listing.ts";
import type { World } from "../world/world.ts";
import type { Deliveries } from "./deliveries.ts";
import type { Endpoints } from "./endpoints.ts";
import { invalidField } from "./errors.ts";
import type { DeliveryListQuery, WebhookDelivery } from "./schemas.ts";

const ANY_STATUS = "status in ('pending', 'success', 'failed')";

/**
 * A page of an endpoint's deliveries.
 * @throws Refusal `resource_not_found` for another account's endpoint; `invalid_field_value` if `event` and its alias
 * differ
 */
export type DeliveryList = (
  org: string,
  webhookId: string,
  query: ListQuery<typeof DeliveryListQuery>,
) => Page<WebhookDelivery>;

export function createDeliveryList(
  { store }: World,
  endpoints: Endpoints,
  { resource }: Deliveries,
): DeliveryList {
  return (org, webhookId, query) => {
    const { status, event_type: type, event = type } = query;
    if (type !== undefined && event !== type)
      throw invalidField(
        "event_type",
        "event_type is another name for event: send only one of them, or the same value in both.",
      );
    endpoints.find(org, webhookId);
    return listPage(
      store,
      "webhook_deliveries",
      [
        ...equal({ webhook_id: webhookId, status, event }),
        // The status index also covers events.
        status === undefined && event !== undefined ? [ANY_STATUS] : undefined,
      ],
      query,
      resource,
    );
  };
}
