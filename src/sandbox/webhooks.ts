import type { WebhookEngine } from "../webhooks/engine.ts";
import type { DeliveryControls } from "./deliveries.ts";
import type { EndpointControls } from "./endpoints.ts";
import type { OutageControls } from "./outage.ts";

/** Operations on a world's webhooks, for the platform and all other senders. @throws Refusal, SandboxError */
export interface WebhookControls extends EndpointControls, DeliveryControls, OutageControls {
  /**
   * Inserts a courier that carries attempts to their subscribers.
   * @returns a function that removes it
   */
  carriedBy: WebhookEngine["carriedBy"];
  engine: WebhookEngine;
}
