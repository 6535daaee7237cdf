import type { Delivery } from "./webhooks.ts";

/**
 * A sender of webhooks beside the platform.
 * @example
 * const [stripe]: Sender[] = await sandbox.senders.list();
 */
export interface Sender {
  name: string;
  documentation: string | null;
  /** When its facts were read, such as `2026-11`. */
  read: string | null;
  /** What it can send, each with its example body. */
  events: { type: string; body: Record<string, unknown> }[];
  /** Fields of its file whose facts the sender does not publish. */
  assumed: string[];
  /** What its file cannot say. */
  notes: string[];
  /** Whether the sandbox was started with it, or has an endpoint of it. */
  in_use: boolean;
}

/**
 * Webhooks of senders beside the platform.
 * @example
 * const senders: Senders = sandbox.senders;
 */
export interface Senders {
  /** Those in use first, then those that come with Sandglass. */
  list(): Promise<Sender[]>;
  /**
   * Sends an event of a sender to its endpoints, and waits for the first attempts.
   * @param data merged over the example body of the type
   */
  send(name: string, type: string, data?: object): Promise<SentEvent>;
}

/**
 * An event that was sent, and its first attempts.
 * @example
 * const { deliveries }: SentEvent = await sandbox.send("checkout.session.completed");
 */
export interface SentEvent {
  /** The event's id in the sandbox, which `webhooks.resend` takes. */
  id: string;
  type: string;
  sender: string;
  body: Record<string, unknown>;
  deliveries: Delivery[];
}
