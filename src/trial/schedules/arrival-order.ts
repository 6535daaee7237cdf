import type { SentAttempt } from "./attempt.ts";
import { deviationIn } from "./deviations/index.ts";

/**
 * The arrival order of requests at the same instant. A request processed together with another one arrives right before it
 * and joins it. One that moves past another arrives right after it or right before it.
 * @param instant the attempt numbers, in the order the platform starts them
 */
export function arrivalOrder<One extends { index: number }>(
  instant: readonly One[],
  attempts: readonly Pick<SentAttempt, "deviation" | "beside">[],
): One[] {
  /** Requests that are processed together form one step. */
  const steps = instant.map((one) => [one]);
  const stepOf = (index: number | null): One[] | undefined =>
    steps.find((step) => step.some((one) => one.index === index));
  // A request joins another one at that one's position, so move later requests first.
  for (const { index } of instant.toReversed()) {
    const { beside } = attempts[index]!;
    const [own, other] = [stepOf(index)!, stepOf(beside)];
    if (!other || own === other) continue;
    steps.splice(steps.indexOf(own), 1);
    if (deviationIn(attempts[index]!)?.meets === "together") other.unshift(...own);
    else steps.splice(steps.indexOf(other) + (beside! > index ? 1 : 0), 0, own);
  }
  return steps.flat();
}
