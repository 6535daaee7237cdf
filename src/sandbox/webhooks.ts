import type { Payments } from "../payments/payments.ts";
import type { WebhookEngine } from "../webhooks/engine.ts";
import { createDeliveryControls, type DeliveryControls } from "./deliveries.ts";
import { createEndpointControls, type EndpointControls } from "./endpoints.ts";

/** Operations on a world's webhooks, for the platform and all other senders. @throws Refusal, SandboxError */
export interface WebhookControls extends EndpointControls, DeliveryControls {
  inboxes: WebhookEngine["inboxes"];
  /** Inserts a courier between attempts and their subscribers. @returns a function that removes it */
  carriedBy: WebhookEngine["carriedBy"];
  engine: WebhookEngine;
}

/** @param payments the platform, which owns endpoints that name no other sender; throws in a world without it */
export const createWebhookControls = (engine: WebhookEngine, payments: () => Payments): WebhookControls => ({
  ...createEndpointControls(engine, payments),
  ...createDeliveryControls(engine),
  inboxes: engine.inboxes,
  carriedBy: engine.carriedBy,
  engine,
});
