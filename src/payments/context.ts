import type { World } from "../world/world.ts";
import type { WebhookPolicy } from "./webhooks/policy.ts";

/** What a user can set for the payments area; see `sandbox.config.ts`. */
export interface PaymentsSettings {
  /** Requests in a minute for each key, or off. */
  rateLimit: number | "off";
  /** Virtual milliseconds from a payment to its confirmation; 0 completes at once. */
  confirmationDelay: number;
  webhooks: WebhookPolicy & {
    /** Hosts beside loopback that may be named with plain http, and be connected to. */
    allowHttpHosts: readonly string[];
    /** Whether deliveries may leave the machine. */
    allowExternal: boolean;
    /** The signing secret of every endpoint that is made; each has one of its own, drawn, without it. */
    secret?: string | undefined;
    /** Prefix of the platform's webhook headers. */
    headerPrefix: string;
    /** Whether the delivery id header is new for each attempt, or the same for all attempts of an event. */
    deliveryId: "attempt" | "event";
  };
}

/** What the payments area's parts are made from. */
export interface PaymentsContext {
  world: World;
  settings: PaymentsSettings;
  /** Where this world is served, without a trailing slash: `http://127.0.0.1:4400`, with `/w/{name}` if it has one. */
  origin(): string;
}

/** Who calls, for permission and audit. Dashboard actions come from the control API and have no key. */
export interface Caller {
  org: string;
  ip: string;
  method: string;
  path: string;
}
