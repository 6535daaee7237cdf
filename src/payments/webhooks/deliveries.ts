import type { WebhookEngine } from "../../webhooks/engine.ts";
import type { World } from "../../world/world.ts";
import { equal, listPage, type PageQuery } from "../listing.ts";
import { resolveAliases } from "../patch.ts";

export interface DeliveryQuery extends PageQuery {
  status?: string;
  event?: string;
  event_type?: string;
}

const ANY_STATUS = "status in ('pending', 'success', 'failed')";

/** The deliveries of an endpoint as the platform's API lists them. */
export function createDeliveryList({ store, journal }: World, { endpoints, deliveries }: WebhookEngine) {
  const countOf = store.sql<{ n: number }>(
    `select count(*) as n from webhook_deliveries
     where webhook_id = ? and ${ANY_STATUS} and event = coalesce(?, event)`,
  );
  /** The numbers of an endpoint's attempts, of all events or of one, for lists that were requested. */
  const counts = store.remember<string, number>();
  const countKey = (webhookId: unknown, event: unknown = "") => `${webhookId} ${event}`;
  journal.on("delivery.started", ({ data: { webhook_id: webhookId, event } }) => {
    for (const key of [countKey(webhookId), countKey(webhookId, event)]) {
      const count = counts.get(key);
      if (count !== undefined) counts.set(key, count + 1);
    }
  });

  function count(webhookId: string, event: string | undefined): number {
    const key = countKey(webhookId, event);
    const known = counts.get(key) ?? countOf.get(webhookId, event ?? null)!.n;
    counts.set(key, known);
    return known;
  }

  return (org: string, webhookId: string, asked: DeliveryQuery) => {
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
      query.status === undefined ? count(webhookId, query.event) : undefined,
    );
  };
}
