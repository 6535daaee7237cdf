import type { SentAttempt } from "./attempt.ts";
import { deviationIn } from "./deviations/index.ts";

/**
 * Determines the order in which requests at the same instant arrive. A request that is processed together with another
 * one arrives right before it and joins it. A request that moves past another one arrives right after or right
 * before it.
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
  // A request takes the position of the request that it joins, so move later requests first.
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
