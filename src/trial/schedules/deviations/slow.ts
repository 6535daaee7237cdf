import { TOO_LATE } from "../attempt.ts";
import type { Deviation } from "./deviation.ts";
import { nextWords, RETRIES } from "./shared.ts";

/** Any subscriber may exceed the timeout. It keeps working while the next request arrives. */
export const slow: Deviation = {
  name: "slow",
  isOutside: true,
  restsOn: ["timeout", ...RETRIES],
  seenAs: "timeout",
  carry({ hold, settle }) {
    hold(() => undefined);
    settle(TOO_LATE);
  },
  line: () => "timeout, still in progress",
  sentence: (parts) =>
    `${parts.speech.nameOf(parts.sent)} is still in progress when ${nextWords(parts)} arrives, because its response takes longer than the timeout.`,
};
