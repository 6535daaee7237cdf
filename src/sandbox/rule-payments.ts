import { SandboxError } from "../errors/errors.ts";
import { PAYMENT_REQUESTED, type PaymentRequest } from "../game/rules/actions.ts";
import { PlatformError } from "../payments/errors.ts";
import type { TransactionRow } from "../payments/rows.ts";
import type { PaymentInput } from "../payments/transactions.ts";
import type { World } from "../world/world.ts";

/** Makes a payment of a link. */
export type PayLink = (link: string, input: PaymentInput) => TransactionRow;

/**
 * Makes the payments that rules of the game launcher ask for in the journal, and tells there what came of each: areas
 * never import each other.
 */
export function makeRulePayments({ journal, store }: World, pay: PayLink): void {
  journal.on(PAYMENT_REQUESTED, ({ data }) => {
    const { rule, link, amount, outcome, sender_address, metadata } = data as unknown as PaymentRequest;
    try {
      const { id, session_id, status } = store.transaction(() =>
        pay(link, {
          sender_address,
          metadata,
          ...(amount === null ? {} : { amount }),
          ...(outcome === null ? {} : { outcome }),
        }),
      );
      journal.append("rule.payment", { rule, transaction_id: id, session_id, status });
    } catch (error) {
      if (!(error instanceof PlatformError || error instanceof SandboxError)) throw error;
      journal.append("rule.payment", { rule, link, status: "refused", reason: error.message });
    }
  });
}
