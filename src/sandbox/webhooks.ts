import type { WebhookEngine } from "../webhooks/engine.ts";
import type { DeliveryControls } from "./deliveries.ts";
import type { EndpointControls } from "./endpoints.ts";
import type { OutageControls } from "./outage.ts";

/** The operations on a world's webhooks, those of the platform and of every other sender. @throws Refusal, SandboxError */
export interface WebhookControls extends EndpointControls, DeliveryControls, OutageControls {
  /** Puts a courier between attempts and their subscribers. @returns takes it out again */
  carriedBy: WebhookEngine["carriedBy"];
  engine: WebhookEngine;
}
