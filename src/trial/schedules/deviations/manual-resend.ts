import type { Deviation } from "./deviation.ts";
import { canBeResent } from "./shared.ts";

/** A person resends a delivered event once. */
export const manualResend: Deviation = {
  name: "manual-resend",
  scope: "person",
  seenAs: "manual-resend",
  canHappenIn: canBeResent,
  isPossible: (attempts, at) => !attempts[at]!.failed && attempts[at]!.trigger !== "resend",
  async act({ sandbox, deliveryId }) {
    await sandbox.webhooks.resend({ id: deliveryId });
    return true;
  },
  sentence: ({ sent, speech: { nameOf } }) =>
    `A person resends ${nameOf(sent)}, which was already delivered.`,
};
