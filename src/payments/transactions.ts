import type { WebhookEvents } from "../webhooks/events.ts";
import { inserter } from "../world/save.ts";
import type { Analytics } from "./analytics.ts";
import type { CheckoutSessions } from "./checkout-sessions.ts";
import type { PaymentsContext } from "./context.ts";
import type { Customers } from "./customers.ts";
import type { DiscountCodes } from "./discount-codes.ts";
import { invalidField, invalidTransition, notFound, PlatformError } from "./errors.ts";
import { type Condition, equal, listPage, type PageQuery, walkRows } from "./listing.ts";
import type { Mail } from "./mail.ts";
import type { FillForm } from "./payers.ts";
import { presenter } from "./present.ts";
import type { SessionRow, TransactionRow } from "./rows.ts";
import { type PaymentInput, Transaction } from "./schemas/transactions.ts";
import { EVENT_DATA } from "./webhooks/payload.ts";
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

export function createTransactions(
  { world, settings }: PaymentsContext,
  sessions: CheckoutSessions,
  discounts: DiscountCodes,
  customers: Customers,
  analytics: Analytics,
  mail: Mail,
  webhookEvents: WebhookEvents,
  fillForm: FillForm,
) {
  const { store, ids, clock, timers, journal } = world;
  const byId = store.sql<TransactionRow>("select * from transactions where id = ?");
  const open = store.sql<{ id: string }>(
    "select id from transactions where session_id = ? and status in ('pending', 'confirming')",
  );
  const latest = store.sql<TransactionRow>(
    "select * from transactions where session_id = ? order by created_at desc, rowid desc limit 1",
  );
  const insert = inserter<TransactionRow>(store, "transactions");
  const setConfirming = store.sql(
    "update transactions set status = 'confirming', updated_at = ? where id = ?",
  );
  const setCompleted = store.sql(
    "update transactions set status = 'completed', completed_at = ?, updated_at = ? where id = ?",
  );
  const setFailed = store.sql(
    "update transactions set status = 'failed', failed_at = ?, updated_at = ? where id = ?",
  );

  /** The last step: the chain's result. A failed payment leaves its session active. */
  function settle(row: TransactionRow): TransactionRow {
    const failed = row.failure_reason !== null;
    const outcome = failed ? "payment.failed" : "payment.completed";
    const now = clock.now();
    (failed ? setFailed : setCompleted).run(now, now, row.id);
    const settled = byId.get(row.id)!;
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
    if (!failed) {
      customers.notePayment(settled);
      analytics.notePayment(settled);
    }
    if (!failed && row.discount_code !== null) discounts.countUse(row.org, row.discount_code);
    const session = row.session_id === null ? undefined : sessions.byId(row.session_id);
    mail.eventHappened(row.org, outcome, row.id, row);
    if (completes) mail.eventHappened(row.org, "checkout.completed", row.session_id!, row);
    webhookEvents.emit(row.org, outcome, () => EVENT_DATA[outcome](settled, session));
    if (completes)
      webhookEvents.emit(row.org, "checkout.completed", () => EVENT_DATA["checkout.completed"](session!));
    return settled;
  }

  function amountToPay(session: SessionRow, input: PaymentInput): string {
    if (session.amount !== null && input.amount !== undefined && input.amount !== session.amount) {
      throw invalidField(
        "amount",
        `amount is fixed at ${session.amount} for this checkout and cannot be '${input.amount}'.`,
      );
    }
    const amount = session.amount ?? input.amount;
    if (amount === undefined) {
      throw new PlatformError(
        "missing_required_field",
        "Missing required field: amount. This checkout leaves the amount to the payer.",
        "amount",
      );
    }
    if (input.discount_code === undefined) return amount;
    const discount = discounts.evaluate(session.org, input.discount_code, amount, session.payment_link_id);
    if (discount.valid) return discount.final_amount;
    throw invalidField(
      "discount_code",
      `The discount code '${input.discount_code}' does not apply: ${discount.reason!.replaceAll("_", " ")}.`,
    );
  }

  return {
    /**
     * Pays a session: at once, or over the configured confirmation delay.
     * @throws PlatformError invalid_status_transition unless it is active and has no payment under way;
     *   missing_required_field and invalid_field_value for the amount or the discount code
     */
    pay(session: SessionRow, input: PaymentInput): TransactionRow {
      return store.transaction(() => {
        sessions.requireActive(session, "paid");
        const running = open.get(session.id);
        if (running)
          throw invalidTransition(`The checkout session already has a payment under way: ${running.id}.`);
        sessions.requireUsesLeft(session);
        sessions.claim(session);
        const amount = amountToPay(session, input);
        sessions.setPayer(session.id, {
          ...(session.amount === null ? { amount } : {}),
          ...pickDefined({
            client_reference_id: input.client_reference_id,
            metadata: input.metadata,
            customer_email: input.customer_email,
            customer_name: input.customer_name,
          }),
        });
        const sender = (input.sender_address ?? ids.hex("sender_address", 20)).toLowerCase();
        const magic = MAGIC_SENDERS.find(([ending]) => sender.endsWith(ending))?.[1];
        const asked = input.outcome === "failed" ? (input.failure_reason ?? magic ?? "reverted") : undefined;
        const failure =
          asked ?? (input.outcome === "completed" ? undefined : (magic ?? input.failure_reason));
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
          failure_reason: failure ?? null,
          customer_id: customers.notePayer(session.org, sender, {
            name: input.customer_name ?? session.customer_name,
            email: emailOf(formData) ?? session.customer_email,
          }),
          created_at: now,
          updated_at: now,
        });
        const row = byId.get(id)!;
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

    /** Runs when the confirmation timer fires: after half of the delay confirming, after the other half the end. */
    confirm(id: string): void {
      const row = byId.get(id)!;
      if (row.status === "pending") {
        setConfirming.run(clock.now(), id);
        journal.append("payment.confirming", { id, organization: row.org, session_id: row.session_id });
        timers.set(CONFIRMATION, id, row.created_at + settings.confirmationDelay);
      } else if (row.status === "confirming") settle(row);
    },

    latestOf: (sessionId: string): TransactionRow | undefined => latest.get(sessionId),

    byId: (id: string): TransactionRow | undefined => byId.get(id),

    get(org: string, id: string) {
      const row = byId.get(id);
      if (!row || row.org !== org) throw notFound("transaction", id);
      return transactionResource(row);
    },

    list(
      org: string,
      query: PageQuery & {
        status?: string;
        chain_id?: number;
        payment_link_id?: string;
        session_id?: string;
        customer_id?: string;
      },
      created: readonly Condition[] = [],
    ) {
      return listPage(
        store,
        "transactions",
        [
          ...equal({
            org,
            status: query.status,
            chain_id: query.chain_id,
            payment_link_id: query.payment_link_id,
            session_id: query.session_id,
            customer_id: query.customer_id,
          }),
          ...created,
        ],
        query,
        transactionResource,
      );
    },

    /** All matching transactions, newest first, in parts. An unknown status matches nothing. */
    *export(org: string, created: readonly Condition[], status: string | undefined) {
      const filter: Condition = status === undefined ? undefined : ["+status = ?", status];
      for (const rows of walkRows<TransactionRow>(store, "transactions", [
        ["org = ?", org],
        filter,
        ...created,
      ]))
        yield rows.map(transactionResource);
    },
  };
}

export const transactionResource = presenter(Transaction, ({ status, failure_reason }: TransactionRow) => ({
  failure_reason: status === "failed" ? failure_reason : null,
}));

function emailOf({ email }: Record<string, unknown>): string | undefined {
  return typeof email === "string" ? email : undefined;
}

function pickDefined<T extends object>(fields: T): { [Key in keyof T]?: NonNullable<T[Key]> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [Key in keyof T]?: NonNullable<T[Key]>;
  };
}
