import type { WebhookEngine } from "../../webhooks/engine.ts";
import type { World } from "../../world/world.ts";
import { equal, listPage, type PageQuery } from "../listing.ts";
import { resolveAliases } from "../patch.ts";

export interface DeliveryQuery extends PageQuery {
  status?: string;
  event?: string;
  event_type?: string;
}

/** The deliveries of an endpoint as the platform's API lists them. */
export function createDeliveryList({ store, journal }: World, { endpoints, deliveries }: WebhookEngine) {
  const countOf = store.sql<{ n: number }>(
    "select count(*) as n from webhook_deliveries where webhook_id = ?",
  );
  /** How many attempts there are at an endpoint whose list was asked for. */
  const counts = store.remember<string, number>();
  journal.on("delivery.started", ({ data: { webhook_id: webhook } }) => {
    const count = counts.get(webhook as string);
    if (count !== undefined) counts.set(webhook as string, count + 1);
  });

  function count(webhookId: string): number {
    const known = counts.get(webhookId) ?? countOf.get(webhookId)!.n;
    counts.set(webhookId, known);
    return known;
  }

  return (org: string, webhookId: string, asked: DeliveryQuery) => {
    const query = resolveAliases(asked, { event_type: "event" });
    endpoints.find(org, webhookId);
    return listPage(
      store,
      "webhook_deliveries",
      equal({ webhook_id: webhookId, status: query.status, event: query.event }),
      query,
      deliveries.resource,
      query.status === undefined && query.event === undefined ? count(webhookId) : undefined,
    );
  };
}
