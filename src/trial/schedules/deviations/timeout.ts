import { TOO_LATE } from "../attempt.ts";
import type { Deviation } from "./deviation.ts";
import { lostWords } from "./lost.ts";

/** A request may never arrive without being refused: the platform waits for its answer, and retries later. */
export const timeout: Deviation<"timeout"> = {
  name: "timeout",
  scope: "attempt",
  carry: ({ settle }) => settle(TOO_LATE),
  line: () => "lost: the request never arrives, and times out",
  sentence: lostWords,
  isLoss: true,
};
