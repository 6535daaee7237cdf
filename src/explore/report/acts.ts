import type { SentAttempt } from "../courier.ts";
import type { Run } from "../play.ts";
import { BY_HAND } from "../schedule.ts";

/** What a person does in a run. */
export type Act = {
  /** Virtual milliseconds. */
  at: number;
  /** The number of the pause at which it is done, from 1 on. */
  pause: number;
} & (
  | { kind: "test" }
  /** `of` is the number of the attempt that is retried. */
  | { kind: "retry"; of: number }
  /** Enables the endpoint if it is disabled, and retries what failed. */
  | { kind: "recover"; enable: boolean }
);

/** What a person does in a run, in order: what the schedule says, and the recovery from an outage. */
export function actsOf({ schedule, attempts, recovery, timeline }: Run & { timeline?: Timeline }): Act[] {
  const byHand = schedule.filter(({ kind }) => BY_HAND.has(kind));
  const acts: Act[] = [];
  let recovering = Number.NaN;
  attempts.forEach(({ trigger, at, pause }, index) => {
    if (trigger !== "manual" && trigger !== "test") return;
    const batch = recovery !== null && index >= recovery && trigger === "manual";
    if (batch && pause === recovering) return;
    const next = byHand[0];
    const isNext = next?.kind === (trigger === "test" ? "test" : "manual-retry") && next.at < index;
    if (isNext && !(batch && index === recovery)) {
      byHand.shift();
      acts.push(trigger === "test" ? { kind: "test", at, pause } : { kind: "retry", of: next.at, at, pause });
    } else if (trigger === "manual") {
      recovering = pause;
      const enable = index === recovery && wasDisabled(timeline);
      acts.push({ kind: "recover", at, pause, enable });
    }
  });
  return acts;
}

interface Timeline {
  changes: readonly { type: string }[];
}

const wasDisabled = (timeline: Timeline | undefined): boolean =>
  timeline?.changes.some(({ type }) => type === "disabled") ?? false;

/** An attempt of several, in words: `payment.completed`, `attempt 2 of payment.completed`. */
export const attemptTitle = ({ event, attempt }: Pick<SentAttempt, "event" | "attempt">): string =>
  attempt === 1 ? event : `attempt ${attempt} of ${event}`;
