import type { SentAttempt } from "../schedules/attempt.ts";
import type { DrawnRun, EndpointTimeline } from "../schedules/exploration.ts";
import { BY_HAND } from "../schedules/schedule.ts";

/** An endpoint by its variable in a scenario: the subscriber's, or the second one with the same URL. */
export type EndpointName = "id" | "second";

/** What a person does in a run. */
export type Act = {
  /** Virtual milliseconds. */
  at: number;
  /** The number of the pause at which it is done, from 1 on. */
  pause: number;
} & (
  | { kind: "test" }
  /** `of` is the number of the attempt that is retried, or sent again. */
  | { kind: "retry" | "resend"; of: number }
  /** Enables the endpoints that are disabled, and retries what failed. */
  | { kind: "recover"; enable: EndpointName[] }
);

const KIND_OF = { test: "test", resend: "manual-resend", manual: "manual-retry" };

/** What a person does in a run, in order: what the schedule says, and the recovery from an outage. */
export function actsOf({ schedule, attempts, recovery, timeline, second }: DrawnRun): Act[] {
  const byHand = schedule.filter(({ kind }) => BY_HAND.has(kind));
  const acts: Act[] = [];
  const enabled = [...enabledIn(timeline, "id"), ...enabledIn(second, "second")];
  let recovering = Number.NaN;
  attempts.forEach(({ trigger, at, pause }, index) => {
    if (trigger === "automatic") return;
    // What is left undelivered in the end is retried at once, after everything else that a person does.
    const isEnd = recovery === null ? byHand.length === 0 : index >= recovery;
    const batch = isEnd && trigger === "manual";
    if (batch && pause === recovering) return;
    const next = byHand[0];
    const isNext = next?.kind === KIND_OF[trigger] && next.at < index;
    if (isNext && !(batch && index === recovery)) {
      byHand.shift();
      if (trigger === "test") acts.push({ kind: "test", at, pause });
      else acts.push({ kind: trigger === "resend" ? "resend" : "retry", of: next.at, at, pause });
    } else if (trigger === "manual") {
      recovering = pause;
      const enable = enabled.filter((one) => one.at === at).map(({ name }) => name);
      acts.push({ kind: "recover", at, pause, enable });
    }
  });
  return acts;
}

/** When a person enabled an endpoint, virtual milliseconds. */
const enabledIn = (timeline: EndpointTimeline | null, name: EndpointName) =>
  (timeline?.changes ?? []).flatMap(({ type, at }) =>
    type === "enabled" ? { name, at: Date.parse(at) } : [],
  );

/** Where a scenario finds an attempt: among those of its endpoint. */
export function placeOf(attempts: readonly SentAttempt[], of: number): { name: EndpointName; at: number } {
  const { second } = attempts[of]!;
  const at = attempts.slice(0, of).filter((one) => one.second === second).length;
  return { name: second ? "second" : "id", at };
}

/** Whether a person does something to the second endpoint. */
export function isAboutSecond(act: Act, attempts: readonly SentAttempt[]): boolean {
  if (act.kind === "recover") return act.enable.includes("second");
  return act.kind !== "test" && placeOf(attempts, act.of).name === "second";
}

/** An attempt of several, in words: `payment.completed`, `attempt 2 of payment.completed`. */
export const attemptTitle = ({ event, attempt }: Pick<SentAttempt, "event" | "attempt">): string =>
  attempt === 1 ? event : `attempt ${attempt} of ${event}`;
