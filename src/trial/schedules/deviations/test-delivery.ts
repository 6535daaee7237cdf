import type { Deviation } from "./deviation.ts";

/** A test delivery can be sent at any time. All moments within one pause are equivalent. */
export const testDelivery: Deviation = {
  name: "test",
  scope: "person",
  seenAs: "test",
  canHappenIn: ({ by }) => !by,
  isPossible: (attempts, at) => attempts[at + 1]?.pause !== attempts[at]!.pause,
  async act({ sandbox, endpoint }) {
    await sandbox.webhooks.test({ id: endpoint });
    return true;
  },
  sentence: () => "A test delivery with mock data arrives.",
};
