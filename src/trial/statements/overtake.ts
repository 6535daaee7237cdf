import type { SentAttempt } from "../schedules/attempt.ts";
import type { Watch } from "./statements.ts";

/** Why the second request did not overtake the first; null if it did. */
export type Missed = SentAttempt["missed"];

/**
 * Makes a request wait at a statement while others run.
 * @param sends functions that send one request each and return its response
 * @param at the index of the request that waits
 */
export async function overtake<Answer>(
  watch: Watch,
  sends: readonly (() => Promise<Answer>)[],
  at = 0,
): Promise<{ answers: Promise<Answer>[]; missed: Missed }> {
  const rest = sends.slice(at + 1);
  const send = (one: () => Promise<Answer>): Promise<Answer> => {
    const answer = one();
    watch.sent(answer);
    return answer;
  };
  const answers = sends.slice(0, at + 1).map(send);
  const isReached = await watch.reached();
  answers.push(...rest.map(send));
  const isOvertaken = rest.length === 0 || !isReached || (await watch.overtaken());
  watch.release();
  return { answers, missed: isReached ? (isOvertaken ? null : "one-process") : "not-reached" };
}
