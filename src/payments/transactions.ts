import type { WebhookEvents } from "../webhooks/events.ts";
import { inserter } from "../world/save.ts";
import type { CheckoutSessions } from "./checkout-sessions.ts";
import type { PaymentsContext } from "./context.ts";
import type { Customers } from "./customers.ts";
import type { DiscountCodes } from "./discount-codes.ts";
import { invalidField, invalidTransition, missingField, notFound } from "./errors.ts";
import { type Condition, equal, listPage, type PageQuery, walkRows } from "./listing.ts";
import { createPayers } from "./payers.ts";
import { presenter } from "./present.ts";
import type { SessionRow, TransactionRow } from "./rows.ts";
import { type PaymentInput, Transaction } from "./schemas/transactions.ts";
import { EVENTS } from "./webhooks/event-types.ts";
import { sessionResource } from "./webhooks/payload.ts";
import type { FailureReason } from "./words.ts";

/** The timer of a transaction's next state: pending → confirming → completed or failed. */
export const CONFIRMATION = "payments.confirmation";

/** Endings of a sender's address that make its payments fail. See docs/guide/payments.md, "Magic senders". */
const MAGIC_SENDERS: [ending: string, reason: FailureReason][] = [
  ["dead", "reverted"],
  ["0bad", "timed_out"],
  ["beef", "insufficient_funds"],
];

export type Transactions = ReturnType<typeof createTransactions>;

/** The other parts of the area that payments change. */
interface Parts {
  sessions: CheckoutSessions;
  discounts: DiscountCodes;
  customers: Customers;
  events: WebhookEvents;
}

/** The filters of a list. */
type Filters = Partial<
  Pick<TransactionRow, "chain_id"> &
    Record<"status" | "payment_link_id" | "session_id" | "customer_id", string>
>;

/** Creates payments and advances their state. Mail, analytics and customers follow the journal entries of payments. */
export function createTransactions(
  { world, settings }: PaymentsContext,
  { sessions, discounts, customers, events }: Parts,
) {
  const { store, ids, clock, timers, journal } = world;
  const readRow = store.sql<TransactionRow>("select * from transactions where id = ?");
  const latest = store.sql<TransactionRow>(
    "select * from transactions where session_id = ? order by created_at desc, rowid desc limit 1",
  );
  const byId = (id: string): TransactionRow | undefined => readRow.get(id);
  const fillForm = createPayers(world);
  const open = store.sql<{ id: string }>(
    "select id from transactions where session_id = ? and status in ('pending', 'confirming')",
  );
  const insert = inserter<TransactionRow>(store, "transactions");
  const setStatus = store.sql(
    "update transactions set status = ?, completed_at = ?, failed_at = ?, updated_at = ? where id = ?",
  );

  /** The last step: the result on the chain. A failed payment leaves its session active. */
  function settle(row: TransactionRow): TransactionRow {
    const failed = row.failure_reason !== null;
    const outcome = failed ? "payment.failed" : "payment.completed";
    const now = clock.now();
    setStatus.run(...(failed ? ["failed", null, now] : ["completed", now, null]), now, row.id);
    const settled = byId(row.id)!;
    journal.append(outcome, {
      id: row.id,
      organization: row.org,
      session_id: row.session_id,
      payment_link_id: row.payment_link_id,
      amount: row.amount,
      ...(failed ? { failure_reason: row.failure_reason } : {}),
    });
    const completes =
      !failed && row.session_id !== null && sessions.complete(row.session_id, row.id, row.discount_code);
    if (!failed && row.discount_code !== null) discounts.countUse(row.org, row.discount_code);
    const session = row.session_id === null ? undefined : sessions.byId(row.session_id);
    events.emit(row.org, outcome, () => EVENTS[outcome].data(settled, session));
    if (completes)
      events.emit(row.org, "checkout.completed", () =>
        EVENTS["checkout.completed"].data(sessionResource(session!, null)),
      );
    return settled;
  }

  return {
    byId,
    latestOf: (sessionId: string): TransactionRow | undefined => latest.get(sessionId),

    get(org: string, id: string) {
      const row = byId(id);
      if (!row || row.org !== org) throw notFound("transaction", id);
      return transactionResource(row);
    },

    list(org: string, query: PageQuery & Filters, created: readonly Condition[] = []) {
      const { status, chain_id, payment_link_id, session_id, customer_id } = query;
      const found = equal({ org, status, chain_id, payment_link_id, session_id, customer_id });
      return listPage(store, "transactions", [...found, ...created], query, transactionResource);
    },

    /** All matching transactions, newest first, in parts. An unknown status matches nothing. */
    *export(org: string, created: readonly Condition[], status: string | undefined) {
      const found: Condition[] = [
        ["org = ?", org],
        status === undefined ? undefined : ["+status = ?", status],
      ];
      for (const rows of walkRows<TransactionRow>(store, "transactions", [...found, ...created]))
        yield rows.map(transactionResource);
    },

    /**
     * Pays a session: immediately, or over the configured confirmation delay.
     * @throws PlatformError invalid_status_transition unless it is active and has no payment in progress; missing_required_field
     *   and invalid_field_value for the amount or the discount code
     */
    pay(session: SessionRow, input: PaymentInput): TransactionRow {
      return store.transaction(() => {
        sessions.requireActive(session, "paid");
        const running = open.get(session.id);
        if (running)
          throw invalidTransition(`The checkout session already has a payment under way: ${running.id}.`);
        sessions.requireUsesLeft(session);
        sessions.claim(session);
        const amount = amountToPay(session, input, discounts);
        sessions.setPayer(session.id, {
          ...(session.amount === null ? { amount } : {}),
          client_reference_id: input.client_reference_id,
          metadata: input.metadata,
          customer_email: input.customer_email,
          customer_name: input.customer_name,
        });
        const sender = (input.sender_address ?? ids.hex("sender_address", 20)).toLowerCase();
        const id = ids.next("txn_");
        const now = clock.now();
        const formData = fillForm(input.customer_email ?? session.customer_email, input.form_data);
        insert({
          id,
          org: session.org,
          session_id: session.id,
          payment_link_id: session.payment_link_id,
          status: "pending",
          amount,
          token_address: session.token_address,
          chain_id: session.chain_id,
          sender_address: sender,
          recipient_address: session.recipient_address,
          tx_hash: ids.hex("tx_hash", 32),
          form_data: JSON.stringify(formData),
          discount_code: input.discount_code ?? null,
          failure_reason: failureOf(input, sender) ?? null,
          customer_id: customers.notePayer(session.org, sender, {
            name: input.customer_name ?? session.customer_name,
            email: emailOf(formData) ?? session.customer_email,
          }),
          created_at: now,
          updated_at: now,
        });
        const row = byId(id)!;
        if (settings.confirmationDelay === 0) return settle(row);
        journal.append("payment.pending", {
          id,
          organization: session.org,
          session_id: session.id,
          payment_link_id: session.payment_link_id,
          amount,
        });
        timers.set(CONFIRMATION, id, now + Math.ceil(settings.confirmationDelay / 2));
        return row;
      });
    },

    /** Called by the confirmation timer: half of the delay passes until `confirming`, the other half until the end. */
    confirm(id: string): void {
      const row = byId(id)!;
      if (row.status === "pending") {
        setStatus.run("confirming", null, null, clock.now(), id);
        journal.append("payment.confirming", { id, organization: row.org, session_id: row.session_id });
        timers.set(CONFIRMATION, id, row.created_at + settings.confirmationDelay);
      } else if (row.status === "confirming") settle(row);
    },
  };
}

export const transactionResource = presenter(Transaction, ({ status, failure_reason }: TransactionRow) => ({
  failure_reason: status === "failed" ? failure_reason : null,
}));

/** @throws PlatformError missing_required_field and invalid_field_value */
function amountToPay(session: SessionRow, input: PaymentInput, discounts: DiscountCodes): string {
  if (session.amount !== null && input.amount !== undefined && input.amount !== session.amount) {
    throw invalidField(
      "amount",
      `amount is fixed at ${session.amount} for this checkout and cannot be '${input.amount}'.`,
    );
  }
  const amount = session.amount ?? input.amount;
  if (amount === undefined) throw missingField("amount", ". This checkout leaves the amount to the payer");
  if (input.discount_code === undefined) return amount;
  const discount = discounts.evaluate(session.org, input.discount_code, amount, session.payment_link_id);
  if (discount.valid) return discount.final_amount;
  throw invalidField(
    "discount_code",
    `The discount code '${input.discount_code}' does not apply: ${discount.reason!.replaceAll("_", " ")}.`,
  );
}

/** Why a payment will fail; undefined if it will not. */
function failureOf(
  { outcome, failure_reason: reason }: PaymentInput,
  sender: string,
): FailureReason | undefined {
  const magic = MAGIC_SENDERS.find(([ending]) => sender.endsWith(ending))?.[1];
  if (outcome === "failed") return reason ?? magic ?? "reverted";
  return outcome === "completed" ? undefined : (magic ?? reason);
}

/** The e-mail address that a payer entered. */
export function emailOf({ email }: Record<string, unknown>): string | null {
  return typeof email === "string" ? email : null;
}
