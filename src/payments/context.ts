import type { EngineContext, WebhookSettings } from "../webhooks/context.ts";
import type { WebhookEngine } from "../webhooks/engine.ts";
import type { WebhookPolicy } from "../webhooks/policy.ts";

/** The user's settings for the payments area; see `sandbox.config.ts`. */
export interface PaymentsSettings {
  /** Requests in a minute for each key, or off. */
  rateLimit: number | "off";
  /** Virtual milliseconds from a payment to its confirmation; 0 completes at once. */
  confirmationDelay: number;
}

/** The user's settings for webhooks: the engine's, and how the platform sends its own. */
export interface PlatformWebhookSettings extends WebhookPolicy, WebhookSettings {
  /** Endpoints that every new world has. */
  endpoints: readonly ConfiguredEndpoint[];
  /** Prefix of the platform's webhook headers. */
  headerPrefix: string;
  /** Whether the delivery id is new for each attempt of an event. */
  deliveryId: "attempt" | "event";
}

/** An endpoint of `webhooks.endpoints`. */
export interface ConfiguredEndpoint {
  /** A URL, or a path within the sandbox itself. */
  url: string;
  events?: readonly string[] | undefined;
  secret?: string | undefined;
  description?: string | undefined;
  headers?: Readonly<Record<string, string>> | undefined;
  /** An organization's name, slug or id; the first one by default. */
  organization?: string | undefined;
}

/** What the parts of the payments area are made from. */
export interface PaymentsContext extends Pick<EngineContext, "world" | "origin"> {
  settings: PaymentsSettings & { webhooks: PlatformWebhookSettings };
  webhooks: WebhookEngine;
}
