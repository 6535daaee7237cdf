import type { Static } from "typebox";
import type * as schemas from "../operations/senders.ts";
import type { Configured } from "../schema/configured.ts";
import type { SENDER } from "../webhooks/sender-file.ts";

/**
 * A sender of webhooks other than the platform.
 * @example
 * const [stripe]: Sender[] = await sandbox.senders.list();
 */
export type Sender = Static<typeof schemas.SenderView>;

/**
 * Webhooks from senders other than the platform.
 * @example
 * const senders: Senders = sandbox.senders;
 */
export interface Senders {
  /** Lists the active senders first, then the others that are included in Sandglass. */
  list(): Promise<Sender[]>;
  /**
   * Sends a sender's event to its endpoints, and waits for the first attempts.
   * @param data merged into the type's example body
   */
  send(name: string, type: string, data?: object): Promise<SentEvent>;
  /** Sends the events of a story from the sender's file, advancing the clock from one to the next. */
  play(name: string, story: string): Promise<PlayedStory>;
}

/**
 * The result of playing a story, with the first attempts of each event.
 * @example
 * const { events }: PlayedStory = await sandbox.senders.play("stripe", "subscription");
 */
export type PlayedStory = Static<typeof schemas.PlayedStory>;

/**
 * An event that was sent, and its first attempts.
 * @example
 * const { deliveries }: SentEvent = await sandbox.send("checkout.session.completed");
 */
export type SentEvent = Static<typeof schemas.SentEvent>;

/**
 * How a sender signs its webhooks. `docs/sender-fields.md` describes each field.
 * @example
 * const signature: SenderSignature = { header: "Acme-Signature: t={time},v1={signature}", over: "{time}.{body}" };
 */
export type SenderSignature = Configured<typeof SENDER.properties.signature>;

/**
 * A sender file: how a sender builds, signs and retries its webhooks, and when it stops. `docs/sender-fields.md`
 * describes each field.
 * @example
 * const retries: SenderFile["retries"] = { delays: ["1m", "10m"] };
 */
export type SenderFile = Configured<typeof SENDER>;

/**
 * A sender defined by a module.
 * @example
 * const acme: SenderDefinition = {
 *   name: "acme",
 *   events: { "order.paid": { body: { id: "evt_1", type: "order.paid" } } },
 *   signature: { header: "Acme-Signature: {signature}" },
 * };
 */
export interface SenderDefinition extends SenderFile {
  /**
   * Computes the value of `{signature}` if none of the built-in algorithms fits.
   * @param values the values by name: `body`, `time`, `id`
   */
  sign?: (values: Readonly<Record<string, string>>, secret: string) => string;
}
