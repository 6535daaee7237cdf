import type { Static } from "typebox";
import { type Condition, equal, type ListQuery, listPage, type Page, walkRows } from "../http/listing.ts";
import { inserter } from "../world/save.ts";
import type { CheckoutSessions } from "./checkout-sessions.ts";
import type { Confirm } from "./confirmations.ts";
import type { PaymentsContext } from "./context.ts";
import type { Customers } from "./customers.ts";
import type { Discounts } from "./discounts.ts";
import { invalidField, invalidTransition, missingField, notFound } from "./errors.ts";
import type { LinkUses } from "./link-uses.ts";
import { createPayers } from "./payers.ts";
import { presenter } from "./present.ts";
import type { SessionRow, TransactionRow } from "./rows.ts";
import { type PaymentInput, Transaction, type TransactionListQuery } from "./schemas/transactions.ts";
import type { SessionEndings } from "./session-endings.ts";
import { type FailureReason, IN_PROGRESS } from "./words.ts";

/** Suffixes of sender addresses whose payments fail. See docs/guide/payments.md, "Magic senders". */
const MAGIC_SENDERS: [ending: string, reason: FailureReason][] = [
  ["dead", "reverted"],
  ["0bad", "timed_out"],
  ["beef", "insufficient_funds"],
];

type TransactionQuery = ListQuery<typeof TransactionListQuery>;
type Shown = Static<typeof Transaction>;

/** Payments of checkout sessions. */
export interface Transactions {
  byId(id: string): TransactionRow | undefined;
  latestOf(sessionId: string): TransactionRow | undefined;
  /** @throws PlatformError resource_not_found */
  get(org: string, id: string): Shown;
  list(org: string, query: TransactionQuery, created?: readonly Condition[]): Page<Shown>;
  /** All matching transactions, newest first, in chunks. An unknown status matches nothing. */
  export(org: string, created: readonly Condition[], status: string | undefined): Iterable<Shown[]>;
  /**
   * Pays a session: either at once or after the configured confirmation delay.
   * @throws PlatformError invalid_status_transition unless it is active and has no payment in progress;
   * missing_required_field and invalid_field_value for the amount or the discount code
   */
  pay(session: SessionRow, input: PaymentInput): TransactionRow;
}

/** Other parts of the area that payments depend on. */
interface Parts {
  sessions: CheckoutSessions;
  endings: SessionEndings;
  uses: LinkUses;
  discounts: Discounts;
  customers: Customers;
  confirm: Confirm;
}

export function createTransactions(
  { world }: PaymentsContext,
  { sessions, endings, uses, discounts, customers, confirm }: Parts,
): Transactions {
  const { store, ids, clock } = world;
  const byId = store.sql<TransactionRow>("select * from transactions where id = ?");
  const latest = store.sql<TransactionRow>(
    "select * from transactions where session_id = ? order by created_at desc, rowid desc limit 1",
  );
  const fillForm = createPayers(world);
  const open = store.sql<{ id: string }>(
    `select id from transactions where session_id = ? and ${IN_PROGRESS}`,
  );
  const insert = inserter<TransactionRow, "completed_at" | "failed_at">(store, "transactions");

  return {
    byId: (id) => byId.get(id),
    latestOf: (sessionId) => latest.get(sessionId),

    get(org, id) {
      const row = byId.get(id);
      if (!row || row.org !== org) throw notFound("transaction", id);
      return transactionResource(row);
    },

    list(org, query, created = []) {
      const { status, chain_id, payment_link_id, session_id, customer_id } = query;
      const found = equal({ org, status, chain_id, payment_link_id, session_id, customer_id });
      return listPage(store, "transactions", [...found, ...created], query, transactionResource);
    },

    *export(org, created, status) {
      const found: Condition[] = [
        ["org = ?", org],
        status === undefined ? undefined : ["+status = ?", status],
      ];
      for (const rows of walkRows<TransactionRow>(store, "transactions", [...found, ...created]))
        yield rows.map(transactionResource);
    },

    pay(session, input) {
      return store.transaction(() => {
        endings.requireActive(session, "paid");
        const running = open.get(session.id);
        if (running)
          throw invalidTransition(`The checkout session already has a payment in progress: ${running.id}.`);
        uses.checkLeft(session.payment_link_id);
        endings.claim(session);
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
        return confirm(byId.get(id)!);
      });
    },
  };
}

export const transactionResource = presenter(Transaction, ({ status, failure_reason }: TransactionRow) => ({
  failure_reason: status === "failed" ? failure_reason : null,
}));

/** @throws PlatformError missing_required_field and invalid_field_value */
function amountToPay(session: SessionRow, input: PaymentInput, discounts: Discounts): string {
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

/** The reason why a payment will fail; undefined if it will succeed. */
function failureOf(
  { outcome, failure_reason: reason }: PaymentInput,
  sender: string,
): FailureReason | undefined {
  const magic = MAGIC_SENDERS.find(([ending]) => sender.endsWith(ending))?.[1];
  if (outcome === "failed") return reason ?? magic ?? "reverted";
  return outcome === "completed" ? undefined : (magic ?? reason);
}

/** The e-mail address that the payer entered. */
export function emailOf({ email }: Record<string, unknown>): string | null {
  return typeof email === "string" ? email : null;
}
