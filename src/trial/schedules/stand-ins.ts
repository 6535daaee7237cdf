import type { Json } from "../subject/state.ts";
import type { SentAttempt } from "./attempt.ts";
import { deviationOf } from "./deviations/index.ts";
import { instantOf } from "./deviations/shared.ts";
import { besideOf, type Schedule } from "./schedule.ts";
import { awaitState } from "./settle.ts";
import { eventNumbers } from "./translation.ts";

/** The numbers of the events that the calm run answers without a statement, a call or a change of the state. */
export type IdleEvents = ReadonlySet<number>;

/** How long the state is watched after an event that may be idle: longer than one read, which can hide late work. */
const WATCHED_MS = 50;

/**
 * Finds the idle events of a calm run, by its state after each step.
 * @param before the state before the first one
 * @param worksOn whether the server works on after its answers, so that the state after a step shows nothing; null if its
 * statements tell when a step is done
 */
export function watchIdle(
  before: Json,
  isEqual: (one: Json, other: Json) => boolean,
  worksOn: boolean | null,
) {
  const idle = new Set<number>();
  let last = before;
  return {
    idle: idle as IdleEvents,
    async note(read: () => Promise<Json>, attempts: readonly SentAttempt[]): Promise<void> {
      const sent = attempts.findLast(({ arrivals }) => arrivals > 0)!;
      if (sent.background || worksOn) return;
      const hasChanged = (state: Json): boolean => !isEqual(last, state);
      const isSilent = sent.statements.length === 0 && sent.calls === 0;
      const patience = isSilent && worksOn !== null ? WATCHED_MS : 0;
      const { state } = await awaitState(read, hasChanged, patience);
      const isIdle = isSilent && !hasChanged(state);
      if (isIdle) idle.add(eventNumbers(attempts).get(sent.eventId)!);
      last = state;
    },
  };
}

/**
 * Splits schedules with one deviation more than a run: of the idle events of an instant, one stands for all. Whether one of them
 * comes before or after another event is still tried, as it may not be idle then. Of the crashes that leave the same, the last one
 * stands for all.
 * @param attempts those of the run
 * @returns those to play, and those that others stand for
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
