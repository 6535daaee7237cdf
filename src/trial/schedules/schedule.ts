import { type Answering, isSamePoint, isServed, type StatementPoint } from "../statements/point.ts";
import type { Story } from "../stories/stories.ts";
import type { Surroundings } from "../subject/surroundings.ts";
import type { Attempt, Deviation } from "./deviations/deviation.ts";
import { DEVIATIONS, deviationOf } from "./deviations/index.ts";
import { instantOf } from "./deviations/shared.ts";

/** A deviation at the attempt with this number. A run's attempts are numbered from 0 as they start. */
export interface ScheduledDeviation {
  at: number;
  kind: string;
  /** The number of the concurrent attempt that the deviation also involves; by default, the next one. */
  beside?: number;
  point?: StatementPoint | undefined;
}

/** How a run differs from the calm run: its deviations in attempt order. */
export type Schedule = readonly ScheduledDeviation[];

/** The number of the other attempt that a deviation involves; null if its kind involves no other. */
export const besideOf = ({ at, kind, beside = at + 1 }: ScheduledDeviation): number | null =>
  deviationOf(kind).meets ? beside : null;

export const isOfOneAttempt = (kind: string): boolean => deviationOf(kind).scope === undefined;

/** Whether a deviation is a person's action between attempts. */
export const isByHand = ({ kind }: ScheduledDeviation): boolean => deviationOf(kind).scope === "person";

/** Returns a function that reports whether a kind of deviation can happen with this story and subscriber. */
export const canHappenIn =
  ({ story, subject }: { story: Pick<Story, "by" | "settingsFor">; subject: Surroundings }) =>
  (kind: string): boolean => {
    const { server, isInside, canHappenIn: canHappen } = deviationOf(kind);
    if ((server !== undefined && !subject.server) || (isInside && !subject.statements)) return false;
    return canHappen?.(story) ?? true;
  };

/**
 * Identifies a schedule as seen by the platform, assuming that the subscriber accepts everything.
 * @param attempts if given, only deviations before this attempt are considered
 */
export const platformKey = (schedule: Schedule, attempts = Number.POSITIVE_INFINITY): string =>
  schedule
    .flatMap(({ at, kind }) => {
      const { seenAs, scope } = deviationOf(kind);
      return seenAs && (at < attempts || scope === "beginning") ? `${seenAs} ${at}` : [];
    })
    .join();

/**
 * The schedules with one more deviation than a schedule that ran. Each schedule has one parent, so none is returned twice.
 * @param attempts the attempts in the run of `schedule`
 * @param recovery the number of the first attempt after the schedule's outage, if it has one
 * @param canHappen whether a kind can happen with this story and subscriber; by default, every kind of the platform can
 */
export function extensions(
  schedule: Schedule,
  attempts: readonly Attempt[],
  recovery: number | null = null,
  canHappen: (kind: string) => boolean = canHappenIn({ story: {}, subject: {} }),
): Schedule[] {
  const last = schedule.at(-1);
  const kinds = DEVIATIONS.filter(canHappen).map(deviationOf);
  const found: Schedule[] = [];
  for (let at = last?.at ?? 0; at < attempts.length; at += 1) {
    const { trigger, background } = attempts[at]!;
    if (trigger === "test" || background) continue;
    const steady = attempts[at]!.statements.filter(({ isSteady }) => isSteady);
    const isSeenAt = (where: (of: Answering) => boolean): boolean => steady.some(({ of }) => where(of));
    for (const deviation of kinds) {
      const { name: kind, scope, isAlone, isInVain, isPossible, points } = deviation;
      const isLasting = scope === "from-then-on" || scope === "until-recovery";
      if (scope === "beginning" || (isLasting && schedule.some((one) => one.kind === kind))) continue;
      // Nothing arrives during an outage, but a person may retry in vain.
      if (at < (recovery ?? 0) && (!isInVain || at === last!.at)) continue;
      if (isAlone && last) continue;
      if (last?.at === at && !follows(kind, last)) continue;
      if (!(isPossible?.(attempts, at) ?? true)) continue;
      const places = points?.(steady) ?? [];
      // Skip the attempt as a whole if its calls or statements are tried one by one. If there are none, the server may
      // be working unobserved.
      const isTried = deviation.isOutside
        ? isSeenAt(isServed)
        : points && (isSeenAt((of) => of !== "api") || (deviation.keepsFromWork && places.length > 0));
      for (const one of placesOf(deviation, attempts, at)) {
        for (const { number, text, occurrence, atCommit } of places)
          found.push([
            ...schedule,
            { ...one, point: { number, text, occurrence, ...(atCommit && { atCommit }) } },
          ]);
        if (!deviation.isInside && !isTried) found.push([...schedule, one]);
      }
    }
  }
  if (last || attempts.length === 0) return found;
  // Simpler deviations explain a bug better, so those that affect the whole story come last.
  const atFirst = kinds.filter(({ scope }) => scope === "beginning");
  return [...found, ...atFirst.map(({ name }): Schedule => [{ at: 0, kind: name }])];
}

/**
 * Returns an attempt's deviations of one kind. If deviations of that kind make it coincide with another request, there
 * is one deviation for each request at that instant, later ones first.
 */
function placesOf(
  { name: kind, meets }: Deviation,
  attempts: readonly Attempt[],
  at: number,
): ScheduledDeviation[] {
  if (!meets) return [{ at, kind }];
  const others = instantOf(attempts, at).filter((one) => one !== at);
  return (
    [...others.filter((one) => one > at), ...others.filter((one) => one < at)]
      // Moving a request before its predecessor is the same as moving the predecessor after it.
      .filter((beside) => meets === "together" || beside !== at - 1)
      .map((beside) => ({ at, kind, ...(beside !== at + 1 && { beside }) }))
  );
}

/** Greater than the sum of all other ranks in a schedule. */
const RESTART = 100;

/**
 * Ranks deviations by how many bugs they have found, most first. Server restarts come last because they are slowest.
 */
const placeOf = ({ kind, point }: ScheduledDeviation): number => {
  const { server, carry } = deviationOf(kind);
  if (server !== undefined) return RESTART;
  // 0 for a deviation between two requests, 1 for one within two requests, 2 for a failure within one request.
  return !point ? 0 : carry ? 1 : 2;
};

/** A level's schedules in the order they are tried. */
export const likeliestFirst = (schedules: readonly Schedule[]): Schedule[] => {
  const sumOf = (schedule: Schedule): number => schedule.reduce((sum, one) => sum + placeOf(one), 0);
  return schedules.toSorted((one, other) => sumOf(one) - sumOf(other));
};

/** Whether two deviations are the same, even if the statement's number differs. */
export const isSameDeviation = (one: ScheduledDeviation, other: ScheduledDeviation): boolean =>
  one.at === other.at &&
  one.kind === other.kind &&
  besideOf(one) === besideOf(other) &&
  one.point?.atCommit === other.point?.atCommit &&
  (one.point === other.point || (one.point && other.point && isSamePoint(one.point, other.point))) === true;

/**
 * Whether one deviation may follow another on the same attempt. After one that affects the whole story or all later
 * attempts, any may. Otherwise only a person's action can, because it comes after the attempt.
 */
function follows(kind: string, earlier: ScheduledDeviation): boolean {
  if (["beginning", "from-then-on"].includes(deviationOf(earlier.kind).scope ?? "")) return true;
  if (deviationOf(kind).scope !== "person") return false;
  return !isByHand(earlier) || DEVIATIONS.indexOf(kind) > DEVIATIONS.indexOf(earlier.kind);
}

/** One of several equal parts of all schedules. The first has index 1. */
export interface Share {
  index: number;
  count: number;
}

/** One part's schedules. They are dealt out in turn, so that each part gets some for every attempt. */
export const shareOf = (schedules: readonly Schedule[], { index, count }: Share): Schedule[] =>
  schedules.filter((_, position) => position % count === index - 1);
