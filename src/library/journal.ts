/**
 * The name of a journal entry: `{subject}.{what happened}`.
 * @example
 * await sandbox.clock.advance({ until: "webhook.disabled" satisfies JournalEntryName });
 */
export type JournalEntryName =
  | "activity.added"
  | "api_key.created"
  | "api_key.revoked"
  | "cache.purged"
  | "cache.served_stale"
  | "cache.stored"
  | "channel.created"
  | "checkout.completed"
  | "checkout.created"
  | "checkout.expired"
  | "checkout.updated"
  | "customer.deleted"
  | "customer.created"
  | "customer.updated"
  | "delivery.exhausted"
  | "delivery.failed"
  | "delivery.resumed"
  | "delivery.resent"
  | "delivery.skipped"
  | "delivery.started"
  | "delivery.succeeded"
  | "delivery.unanswered"
  | "discount_code.created"
  | "discount_code.deleted"
  | "discount_code.updated"
  | "fault.cleared"
  | "fault.set"
  | "game.payment_requested"
  | "holdings.cleared"
  | "holdings.set"
  | "inbox.behaviour"
  | "inbox.received"
  | "mail.sent"
  | "message.edited"
  | "message.sent"
  | "message.unsent"
  | "notification.sent"
  | "notification.updated"
  | "organization.updated"
  | "payment.completed"
  | "payment.confirming"
  | "payment.failed"
  | "payment.pending"
  | "payment_link.created"
  | "payment_link.deleted"
  | "payment_link.updated"
  | "play_session.tracked"
  | "player.joined"
  | "player.removed"
  | "product.created"
  | "product.deleted"
  | "product.updated"
  | "provider.changed"
  | "retry.cancelled"
  | "retry.skipped"
  | "rule.action_failed"
  | "rule.fired"
  | "rule.payment"
  | "rule.repeated"
  | "rule.skipped"
  | "rule.unmatched"
  | "score.set"
  | "session.ended"
  | "session.opened"
  | "state.set"
  | "upstream.answered"
  | "upstream.empty"
  | "upstream.failed"
  | "webhook.created"
  | "webhook.deleted"
  | "webhook.disabled"
  | "webhook.enabled"
  | "webhook.updated"
  | "widget.created"
  | "widget.deleted"
  | "widget.updated"
  | "world.not_opened"
  | "world.reset"
  | "world.restored"
  | "world.stopped";

/**
 * Something that happened in a world. Two runs with the same seed and the same calls differ in `wall` alone.
 * @example
 * const entries: JournalEntry[] = await sandbox.events({ types: "delivery.*" });
 * const failed = entries.filter(({ type }) => type === "delivery.failed");
 */
export interface JournalEntry {
  /** Its position in the journal, from 1 on, without gaps. */
  seq: number;
  type: JournalEntryName;
  /** Virtual time, ISO 8601. */
  at: string;
  /** Real time, ISO 8601. */
  wall: string;
  /** What the entry is about; the fields depend on its type. */
  data: Record<string, unknown>;
}

/**
 * The name of a journal entry, or the beginning of several names with a `*`.
 * @example
 * const pattern: JournalPattern = "payment.*";
 */
export type JournalPattern = JournalEntryName | `${string}*`;

/**
 * Which journal entries to read: everything without it.
 * @example
 * const query: EventsQuery = { types: ["delivery.*", "webhook.disabled"], after: 12 };
 */
export interface EventsQuery {
  types?: JournalPattern | readonly JournalPattern[];
  /** Only entries after the one with this `seq`. */
  after?: number;
}
