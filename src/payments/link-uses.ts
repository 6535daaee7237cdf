import { iso } from "../world/duration.ts";
import type { World } from "../world/world.ts";
import { invalidTransition } from "./errors.ts";
import type { PaymentLinkRow } from "./rows.ts";
import { IN_PROGRESS } from "./words.ts";

/**
 * Checks whether a payment link can still be used, given its state, expiry and use limit. See docs/fidelity.md,
 * "Resources".
 */
export interface LinkUses {
  /** @throws PlatformError invalid_status_transition if the link can no longer open sessions */
  checkOpen(row: PaymentLinkRow): void;
  /**
   * Checks that the link has a use left. A payment in progress reserves a use until it fails.
   * @param id null for a session without a link
   * @throws PlatformError invalid_status_transition if completed and in-progress sessions already take up every use
   */
  checkLeft(id: string | null): void;
  /** Counts a completed checkout as a use. */
  count(id: string): void;
}

export function createLinkUses({ store, clock }: World): LinkUses {
  const byId = store.sql<PaymentLinkRow>("select * from payment_links where id = ?");
  const use = store.sql(
    "update payment_links set current_uses = current_uses + 1, updated_at = ? where id = ?",
  );
  const inProgress = store.sql<{ n: number }>(
    `select count(*) as n from transactions
     where org = ? and ${IN_PROGRESS} and payment_link_id = ?`,
  );

  return {
    checkOpen(row) {
      const reason =
        row.active === 0
          ? "is inactive"
          : row.expires_at !== null && row.expires_at <= clock.now()
            ? `expired at ${iso(row.expires_at)}`
            : row.max_uses !== null && row.current_uses >= row.max_uses
              ? `is used up (${row.current_uses} of ${row.max_uses} uses)`
              : undefined;
      if (reason)
        throw invalidTransition(
          `The payment link '${row.name}' ${reason} and cannot open a checkout session.`,
          "payment_link_id",
        );
    },

    checkLeft(id) {
      const link = id === null ? undefined : byId.get(id);
      if (link?.max_uses == null) return;
      const reserved = inProgress.get(link.org, link.id)!.n;
      const uses = link.current_uses + reserved;
      if (uses < link.max_uses) return;
      const part = reserved === 0 ? "" : `, ${reserved} of them reserved by payments in progress`;
      throw invalidTransition(
        `The payment link '${link.name}' is used up (${uses} of ${link.max_uses} uses${part}).`,
        "payment_link_id",
      );
    },

    count: (id) => void use.run(clock.now(), id),
  };
}
