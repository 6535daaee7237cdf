import type { World } from "../world/world.ts";
import { discountOn } from "./discount-value.ts";
import type { DiscountCodeRow } from "./rows.ts";
import { type DiscountRefusal, IN_PROGRESS } from "./words.ts";

/** A code's discount on an amount, or why it does not apply. Amounts are in the token's smallest unit. */
export interface DiscountResult {
  valid: boolean;
  discount_amount: string;
  final_amount: string;
  reason: DiscountRefusal | null;
}

/** Applies discount codes to payments. See docs/guide/payments.md, "Discount codes". */
export interface Discounts {
  /** Applies a code, or reports why it does not apply. @param linkId null for a session without a link */
  evaluate(org: string, code: string, amount: string, linkId: string | null): DiscountResult;
  /** Counts a use of the code by a completed payment. */
  countUse(org: string, code: string): void;
}

export function createDiscounts({ store, clock }: World): Discounts {
  const byCode = store.sql<DiscountCodeRow>("select * from discount_codes where org = ? and code = ?");
  const use = store.sql(
    "update discount_codes set current_uses = current_uses + 1, updated_at = ? where org = ? and code = ?",
  );
  const inProgress = store.sql<{ n: number }>(
    `select count(*) as n from transactions
     where org = ? and ${IN_PROGRESS} and discount_code = ?`,
  );

  return {
    evaluate(org, code, amount, linkId) {
      const row = byCode.get(org, code);
      const reason = !row
        ? "not_found"
        : row.active === 0
          ? "inactive"
          : row.expires_at !== null && row.expires_at <= clock.now()
            ? "expired"
            : row.max_uses !== null && row.current_uses + inProgress.get(org, code)!.n >= row.max_uses
              ? "used_up"
              : row.payment_link_id !== null && row.payment_link_id !== linkId
                ? "other_payment_link"
                : row.min_order_amount !== null && BigInt(amount) < BigInt(row.min_order_amount)
                  ? "below_minimum"
                  : null;
      const valid = row !== undefined && reason === null;
      const discount = valid ? discountOn(BigInt(amount), row.discount_type, row.discount_value) : 0n;
      const final = valid ? String(BigInt(amount) - discount) : amount;
      return { valid, discount_amount: String(discount), final_amount: final, reason };
    },

    countUse: (org, code) => void use.run(clock.now(), org, code),
  };
}
