import type { Payments } from "../payments/payments.ts";
import type { WebhookEngine } from "../webhooks/engine.ts";
import { createDeliveryControls, type DeliveryControls } from "./deliveries.ts";
import { createEndpointControls, type EndpointControls } from "./endpoints.ts";

/** The operations on a world's webhooks, those of the platform and of every other sender. @throws Refusal, SandboxError */
export interface WebhookControls extends EndpointControls, DeliveryControls {
  inboxes: WebhookEngine["inboxes"];
  /** Puts a courier between attempts and their subscribers. @returns takes it out again */
  carriedBy: WebhookEngine["carriedBy"];
  engine: WebhookEngine;
}

/** @param payments the platform, to which endpoints belong that name no other sender; it throws in a world without it */
export const createWebhookControls = (engine: WebhookEngine, payments: () => Payments): WebhookControls => ({
  ...createEndpointControls(engine, payments),
  ...createDeliveryControls(engine),
  inboxes: engine.inboxes,
  carriedBy: engine.carriedBy,
  engine,
});
