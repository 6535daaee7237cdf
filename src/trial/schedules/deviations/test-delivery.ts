import { paymentsArea } from "../../../payments/area.ts";
import type { Deviation } from "./deviation.ts";

/** A test can be sent at any time. All moments within one pause are equivalent. */
export const testDelivery: Deviation = {
  name: "test",
  scope: "person",
  seenAs: "test",
  canHappenIn: ({ by }) => !by,
  isPossible: (attempts, at) => attempts[at + 1]?.pause !== attempts[at]!.pause,
  async act({ sandbox, endpoint }) {
    const { deliveries, organizations } = sandbox.part(paymentsArea);
    await deliveries.test(organizations.main().id, endpoint);
    return true;
  },
  sentence: () => "A test delivery with mock data arrives.",
};
