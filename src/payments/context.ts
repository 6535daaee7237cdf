import type { EngineContext, WebhookSettings } from "../webhooks/context.ts";
import type { WebhookEngine } from "../webhooks/engine.ts";
import type { WebhookPolicy } from "../webhooks/policy.ts";

/** The user's settings for the payments area; see `sandbox.config.ts`. */
export interface PaymentsSettings {
  /** Requests per minute for each key, or "off". */
  rateLimit: number | "off";
  /** Virtual milliseconds from payment to confirmation; with 0, payments complete at once. */
  confirmationDelay: number;
}

/** The user's settings for webhooks: the engine's settings, and how the platform sends its own webhooks. */
export interface PlatformWebhookSettings extends WebhookPolicy, WebhookSettings {
  /** Endpoints created in every new world. */
  endpoints: readonly ConfiguredEndpoint[];
  /** The prefix of the platform's webhook headers. */
  headerPrefix: string;
  /** Whether the delivery id changes with each attempt or stays the same for an event. */
  deliveryId: "attempt" | "event";
}

/** An endpoint listed in `webhooks.endpoints`. */
export interface ConfiguredEndpoint {
  /** A URL, or a path within the sandbox itself. */
  url: string;
  events?: readonly string[] | undefined;
  secret?: string | undefined;
  description?: string | undefined;
  headers?: Readonly<Record<string, string>> | undefined;
  /** An organization's name, slug or id. Defaults to the first organization. */
  organization?: string | undefined;
}

export interface PaymentsContext extends Pick<EngineContext, "world" | "origin"> {
  settings: PaymentsSettings & { webhooks: PlatformWebhookSettings };
  webhooks: WebhookEngine;
}
