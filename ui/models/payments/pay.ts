import type { FailureReason, Pay } from "../../api-types.ts";

export type Outcome = "completed" | FailureReason;

/** Every way in which a payment can end. */
export const OUTCOMES: Record<Outcome, string> = {
  completed: "It completes",
  insufficient_funds: "Insufficient funds",
  reverted: "Reverted on the chain",
  timed_out: "Timed out",
  rejected: "Rejected by the payer",
};
export const OUTCOME_LIST = Object.entries(OUTCOMES) as [Outcome, string][];

/** The call that ends a payment so. */
export function payWith(target: Pick<Pay, "payment_link_id" | "session_id">, outcome: Outcome): Pay {
  if (outcome === "completed") return { ...target, outcome };
  return { ...target, outcome: "failed", failure_reason: outcome };
}
