import type { Static } from "typebox";
import type * as schemas from "../operations/schemas/senders.ts";

/**
 * A sender of webhooks beside the platform.
 * @example
 * const [stripe]: Sender[] = await sandbox.senders.list();
 */
export type Sender = Static<typeof schemas.SenderView>;

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
export type SentEvent = Static<typeof schemas.SentEvent>;
