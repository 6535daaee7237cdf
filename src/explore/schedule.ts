/** What happens on the way to one attempt and back, or beside it. See docs/explore.md, "Deviations". */
export const DEVIATIONS = [
  "lost",
  "answer-lost",
  "resend",
  "overlap",
  "slow",
  "manual-retry",
  "test",
  "outage",
] as const;
export type DeviationKind = (typeof DEVIATIONS)[number];

/** A deviation at the attempt with this number; attempts of a run are numbered from 0 as they begin. */
export interface Deviation {
  at: number;
  kind: DeviationKind;
}

/** How a run differs from the calm one: its deviations, by attempt. */
export type Schedule = readonly Deviation[];

/** An attempt of a run, as far as schedules need it. */
export interface Attempt {
  /** The instant of virtual time at which it began; attempts of one instant are under way together. */
  at: number;
  /** Whether the platform counted it as failed. */
  failed: boolean;
  trigger: "automatic" | "manual" | "test" | "resend";
  /** Which pause of the story follows it: the next moment at which a person can do something. */
  pause: number;
}

/** What a person does between attempts, not what happens to one of them. */
const BY_HAND: ReadonlySet<DeviationKind> = new Set(["manual-retry", "test"]);

const isPossible: Record<DeviationKind, (attempts: readonly Attempt[], at: number) => boolean> = {
  lost: () => true,
  "answer-lost": () => true,
  resend: () => true,
  slow: () => true,
  // Another event of this instant has to follow, or there is nothing to overlap with.
  overlap: (attempts, at) => attempts[at + 1]?.at === attempts[at]!.at,
  "manual-retry": (attempts, at) => attempts[at]!.failed,
  // At one pause, it does not matter after which of the attempts before it a test is sent.
  test: (attempts, at) => attempts[at + 1]?.pause !== attempts[at]!.pause,
  outage: () => true,
};

/**
 * The schedules with one deviation more than one that was played. Each schedule has one parent, so none comes twice.
 * @param attempts those of the run of `schedule`
 */
export function extensions(schedule: Schedule, attempts: readonly Attempt[]): Schedule[] {
  const last = schedule.at(-1);
  // Nothing arrives during an outage, and what follows it is the recovery.
  if (last?.kind === "outage") return [];
  const found: Schedule[] = [];
  for (let at = last?.at ?? 0; at < attempts.length; at += 1) {
    if (attempts[at]!.trigger === "test") continue;
    for (const kind of DEVIATIONS) {
      if (last?.at === at && !follows(kind, last.kind)) continue;
      if (isPossible[kind](attempts, at)) found.push([...schedule, { at, kind }]);
    }
  }
  return found;
}

/** Whether a deviation may be added to another one at the same attempt: what a person does comes after the attempt. */
function follows(kind: DeviationKind, earlier: DeviationKind): boolean {
  if (!BY_HAND.has(kind)) return false;
  return !BY_HAND.has(earlier) || DEVIATIONS.indexOf(kind) > DEVIATIONS.indexOf(earlier);
}
