import type { WebhookEngine } from "../webhooks/engine.ts";
import type { DeliveryControls } from "./deliveries.ts";
import type { EndpointControls } from "./endpoints.ts";
import type { OutageControls } from "./outage.ts";

/** Operations on a world's webhooks, for the platform and all other senders. @throws Refusal, SandboxError */
export interface WebhookControls extends EndpointControls, DeliveryControls, OutageControls {
  engine: WebhookEngine;
}
