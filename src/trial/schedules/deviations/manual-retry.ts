import type { Deviation } from "./deviation.ts";
import { canBeResent, RETRIES } from "./shared.ts";

/** A person retries a failed delivery by hand. The planned retry stays due until a retry succeeds. */
export const manualRetry: Deviation = {
  name: "manual-retry",
  scope: "person",
  seenAs: "manual-retry",
  canHappenIn: canBeResent,
  isPossible: (attempts, at) => attempts[at]!.failed && attempts[at]!.trigger !== "resend",
  isInVain: true,
  restsOn: ["resend", ...RETRIES],
  async act({ sandbox, deliveryId }) {
    // A timeout becomes a failure only 30 s after the request.
    if (sandbox.webhooks.engine.deliveries.byId(deliveryId)!.status === "pending") return false;
    await sandbox.webhooks.retry({ id: deliveryId });
    return true;
  },
  sentence: ({ sent, speech: { nameOf } }) =>
    `A person retries ${nameOf(sent)} while its planned retry is still due.`,
};
