import type { WebhookEvents } from "../webhooks/events.ts";
import type { PaymentsContext } from "./context.ts";
import type { Discounts } from "./discounts.ts";
import type { SessionRow, TransactionRow } from "./rows.ts";
import type { SessionEndings } from "./session-endings.ts";
import { EVENTS } from "./webhooks/event-types.ts";
import { sessionResource } from "./webhooks/payload.ts";
import { CONFIRMATION } from "./words.ts";

/**
 * Advances a new payment: pending → confirming → completed or failed. Half of the configured delay passes before
 * `confirming`, the other half before the outcome; without a delay, the payment settles at once. Mail, analytics and
 * customers are updated from the journal entries.
 * @returns the updated payment
 */
export type Confirm = (row: TransactionRow) => TransactionRow;

export function createConfirmations(
  { world, settings }: PaymentsContext,
  endings: SessionEndings,
  discounts: Discounts,
  events: WebhookEvents,
): Confirm {
  const { store, clock, timers, journal, scheduler } = world;
  const { confirmationDelay: delay } = settings;
  const byId = store.sql<TransactionRow>("select * from transactions where id = ?");
  const sessionOf = store.sql<SessionRow>("select * from checkout_sessions where id = ?");
  const setStatus = store.sql(
    "update transactions set status = ?, completed_at = ?, failed_at = ?, updated_at = ? where id = ?",
  );
  scheduler.handle(CONFIRMATION, ({ key: id }) => {
    const row = byId.get(id)!;
    if (row.status === "pending") {
      setStatus.run("confirming", null, null, clock.now(), id);
      journal.append("payment.confirming", { id, organization: row.org, session_id: row.session_id });
      timers.set(CONFIRMATION, id, row.created_at + delay);
    } else if (row.status === "confirming") settle(row);
    return undefined;
  });

  const about = ({ id, org, session_id, payment_link_id, amount }: TransactionRow) => ({
    id,
    organization: org,
    session_id,
    payment_link_id,
    amount,
  });

  /** Settles a payment. A failed one leaves its session active. */
  function settle(row: TransactionRow): TransactionRow {
    const { id, org, session_id: sessionId, discount_code: code, failure_reason } = row;
    const failed = failure_reason !== null;
    const outcome = failed ? "payment.failed" : "payment.completed";
    const now = clock.now();
    setStatus.run(...(failed ? ["failed", null, now] : ["completed", now, null]), now, id);
    const settled = byId.get(id)!;
    journal.append(outcome, { ...about(row), ...(failed && { failure_reason }) });
    const completes = !failed && sessionId !== null && endings.complete(sessionId, id, code);
    if (!failed && code !== null) discounts.countUse(org, code);
    const session = sessionId === null ? undefined : sessionOf.get(sessionId);
    events.emit(org, outcome, () => EVENTS[outcome].data(settled, session));
    if (completes)
      events.emit(org, "checkout.completed", () =>
        EVENTS["checkout.completed"].data(sessionResource(session!, null)),
      );
    return settled;
  }

  return (row) => {
    if (delay === 0) return settle(row);
    journal.append("payment.pending", about(row));
    timers.set(CONFIRMATION, row.id, row.created_at + Math.ceil(delay / 2));
    return row;
  };
}
