import type { Deviation } from "./deviation.ts";
import { canRepeat } from "./shared.ts";

/**
 * The platform can be killed at any moment. After a restart, it repeats each attempt without a recorded response, under the
 * same id (docs/reliability.md).
 */
export const resend: Deviation = {
  name: "resend",
  canHappenIn: canRepeat,
  restsOn: [],
  async carry({ arrive, settle }) {
    await arrive(() => undefined);
    await arrive(settle);
  },
  line: ({ sent, answered }) =>
    sent.arrivals > 1 ? `${answered}, sent twice under one delivery id` : undefined,
  sentence: ({ sent, speech: { nameOf, sender } }) =>
    `${nameOf(sent)} arrives twice under one delivery id: ${sender} was restarted before it saw the response.`,
};
