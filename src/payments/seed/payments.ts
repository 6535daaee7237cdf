import { DAY, MINUTE, SECOND } from "../../world/duration.ts";
import { FAILURE_REASONS, type FailureReason, type SessionRow, type TransactionRow } from "../rows.ts";
import type { Customer } from "./customers.ts";
import { between, type Seeding, weighted } from "./seeding.ts";

interface PaymentDraft {
  session: SessionRow;
  customer: Customer;
  amount: string;
  code: string | null;
  at: number;
  /** Milliseconds to the confirmation; absent for one that failed or is under way. */
  confirmedAfter?: number;
  failure?: { reason: FailureReason; after: number };
}

/** A transaction of a session, as it ended. */
export function payment(seeding: Seeding, draft: PaymentDraft): TransactionRow {
  const { session, customer, at, failure } = draft;
  const { ids } = seeding.world;
  const completedAt = draft.confirmedAfter === undefined ? null : at + draft.confirmedAfter;
  const failedAt = failure ? at + failure.after : null;
  return {
    id: ids.next("txn_"),
    org: session.org,
    session_id: session.id,
    payment_link_id: session.payment_link_id,
    status: completedAt !== null ? "completed" : failedAt !== null ? "failed" : "pending",
    amount: draft.amount,
    token_address: session.token_address,
    chain_id: session.chain_id,
    sender_address: customer.wallet,
    recipient_address: session.recipient_address,
    tx_hash: ids.hex("tx_hash", 32),
    form_data: JSON.stringify({ email: customer.email, shipping_address: customer.address }),
    discount_code: draft.code,
    failure_reason: failure?.reason ?? null,
    customer_id: null,
    completed_at: completedAt,
    failed_at: failedAt,
    created_at: at,
    updated_at: completedAt ?? failedAt ?? at,
  };
}

/** Why the next payment fails: each reason once, then as it goes. */
export function nextFailure(seeding: Seeding, transactions: readonly TransactionRow[]): FailureReason {
  const seen = new Set(transactions.map(({ failure_reason: reason }) => reason));
  const missing = FAILURE_REASONS.find((reason) => !seen.has(reason));
  if (missing) return missing;
  return weighted(seeding, [
    { weight: 4, value: "reverted" },
    { weight: 3, value: "insufficient_funds" },
    { weight: 2, value: "rejected" },
    { weight: 2, value: "timed_out" },
  ]);
}

/** How long it takes to fail, milliseconds: a time-out is patient, the rest is quick. */
export function failedAfter(seeding: Seeding, reason: FailureReason): number {
  return reason === "timed_out" ? between(seeding, 300_000, 560_000) : between(seeding, 4_000, 48_000);
}

/**
 * Payments that never came through: sent, seen or half confirmed, and left like that days ago. Their sessions
 * expired meanwhile.
 */
export function draftStuck(
  seeding: Seeding,
  { sessions, transactions }: { sessions: SessionRow[]; transactions: TransactionRow[] },
  customers: Customer[],
): void {
  const { faker, now } = seeding;
  const tried = new Set(transactions.map((row) => row.session_id));
  const free = sessions.filter(
    (row) =>
      row.status === "expired" &&
      row.amount !== null &&
      !tried.has(row.id) &&
      row.created_at < now - 2 * DAY &&
      row.created_at > now - 45 * DAY,
  );
  const chosen = faker.helpers.shuffle(free).slice(0, customers.length);
  for (const [index, session] of chosen.entries()) {
    const at = session.created_at + between(seeding, 1, 12) * MINUTE;
    const row = payment(seeding, {
      session,
      customer: customers[index]!,
      amount: session.amount!,
      code: null,
      at,
    });
    if (index % 2 === 1)
      Object.assign(row, {
        status: "confirming",
        updated_at: at + between(seeding, 12, 90) * SECOND,
      } satisfies Partial<TransactionRow>);
    transactions.push(row);
  }
}
