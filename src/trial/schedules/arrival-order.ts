import type { SentAttempt } from "./attempt.ts";
import { deviationIn } from "./deviations/index.ts";

/**
 * The order in which the requests of one instant arrive. A request that is processed together with another one arrives right
 * before it, and joins it; one that moves past another arrives right after it, or right before it.
 * @param instant the numbers of its attempts, in the order in which the platform begins them
 */
export function arrivalOrder<One extends { index: number }>(
  instant: readonly One[],
  attempts: readonly Pick<SentAttempt, "deviation" | "beside">[],
): One[] {
  /** The requests that are processed together are one step. */
  const steps = instant.map((one) => [one]);
  const stepOf = (index: number | null): One[] | undefined =>
    steps.find((step) => step.some((one) => one.index === index));
  // A request joins another one where that one arrives, so the later ones move first.
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
