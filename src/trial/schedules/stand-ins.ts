import type { Json } from "../subject/state.ts";
import type { SentAttempt } from "./attempt.ts";
import { deviationOf } from "./deviations/index.ts";
import { instantOf } from "./deviations/shared.ts";
import { besideOf, type Schedule } from "./schedule.ts";
import { awaitState } from "./settle.ts";
import { eventNumbers } from "./translation.ts";

/** The numbers of events that the calm run handles without a statement, a call or a state change. */
export type IdleEvents = ReadonlySet<number>;

/** How long to watch the state after an event that may be idle. A single read could miss late work. */
const WATCHED_MS = 50;

/**
 * Finds a calm run's idle events from its state after each step.
 * @param before the state before the first step
 * @param worksOn whether the server keeps working after its responses, so that the state after a step proves nothing; null
 * if its statements reveal when a step is complete
 */
export function watchIdle(
  before: Json,
  isEqual: (one: Json, other: Json) => boolean,
  worksOn: boolean | null,
) {
  const idle = new Set<number>();
  const [moving, unmoving] = [new Set<string>(), new Set<string>()];
  let last = before;
  return {
    idle: idle as IdleEvents,
    /** The types of events after which the state was the same. */
    unmoving: () => [...unmoving].filter((type) => !moving.has(type)),
    async note(read: () => Promise<Json>, attempts: readonly SentAttempt[]): Promise<void> {
      const sent = attempts.findLast(({ arrivals }) => arrivals > 0)!;
      if (sent.background || worksOn) return;
      const hasChanged = (state: Json): boolean => !isEqual(last, state);
      const isSilent = sent.statements.length === 0 && sent.calls === 0;
      const patience = isSilent && worksOn !== null ? WATCHED_MS : 0;
      const { state } = await awaitState(read, hasChanged, patience);
      const isIdle = isSilent && !hasChanged(state);
      (hasChanged(state) ? moving : unmoving).add(sent.event);
      if (isIdle) idle.add(eventNumbers(attempts).get(sent.eventId)!);
      last = state;
    },
  };
}

/**
 * Splits schedules that have one more deviation than a run. Among idle events at the same instant, one represents all. Their
 * order relative to other events is still tried, because they may not be idle then. Among crashes with the same outcome, the
 * last one represents all.
 * @param attempts the run's attempts
 * @returns the schedules to run, and those that others represent
 */
export function standIns(
  schedules: readonly Schedule[],
  attempts: readonly SentAttempt[],
  events: IdleEvents,
): { played: Schedule[]; stoodFor: Schedule[] } {
  const numbers = eventNumbers(attempts);
  const isIdle = (at: number): boolean => events.has(numbers.get(attempts[at]!.eventId) ?? -1);
  function isStoodFor(schedule: Schedule): boolean {
    const { at, kind, point } = schedule.at(-1)!;
    if (point && deviationOf(kind).leavesSame?.(point, attempts[at]!.statements)) return true;
    const beside = besideOf(schedule.at(-1)!);
    if (beside === null) return false;
    const [first, second] = instantOf(attempts, at).filter(isIdle);
    if (isIdle(at) && isIdle(beside)) return at !== first || beside !== second;
    const idle = isIdle(at) ? at : isIdle(beside) ? beside : first;
    return deviationOf(kind).meets === "together" && idle !== first;
  }
  const { played = [], stoodFor = [] } = Object.groupBy(schedules, (one) =>
    isStoodFor(one) ? "stoodFor" : "played",
  );
  return { played, stoodFor };
}
