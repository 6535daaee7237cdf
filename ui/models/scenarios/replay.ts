import { computed, createModel, effect, type ReadonlySignal, signal } from "@preact/signals";
import { tally } from "../../../src/timeline/entries.ts";
import { toMs } from "../format.ts";
import { type Course, failedStep, type Lines, NO_LINES, type Step } from "./course.ts";

/** How long each moment of a replay is shown, real milliseconds: a title is read, an entry is glanced at. */
const PACE = { begun: 1_400, entry: 500, ended: 1_200 };
/** The entries of a step come in at most so many moments. */
const MOMENTS = 8;

/** What a replay shows at one moment: a step, with the first of its entries. */
export interface Moment {
  step: number;
  kind: keyof typeof PACE;
  /** How many of the step's entries are shown. */
  entries: number;
}

/**
 * The moments of a run that has ended, in order.
 * @param whole shows each step in one moment, for people who want no movement
 */
export function momentsOf({ steps }: Course, whole: boolean): Moment[] {
  return steps.flatMap(({ entries }, step): Moment[] => {
    const ended: Moment = { step, kind: "ended", entries: entries.length };
    if (whole) return [ended];
    const count = Math.min(MOMENTS, entries.length);
    const parts = Array.from({ length: count }, (_none, part): Moment => {
      const shown = Math.ceil(((part + 1) * entries.length) / count);
      return { step, kind: "entry", entries: shown };
    });
    return [{ step, kind: "begun", entries: 0 }, ...parts, ended];
  });
}

/** The run as it was at a moment: nothing of it is ahead of the step and the entries that are shown. */
export function courseAt(course: Course, { step: place, kind, entries: shown }: Moment): Course {
  const step = course.steps[place]!;
  const last = step.entries[shown - 1];
  const now = kind === "ended" ? step.endedAt : last ? toMs(last.at) : step.startedAt;
  return {
    ...course,
    state: "running",
    now,
    wallMs: undefined,
    steps: [...course.steps.slice(0, place), kind === "ended" ? step : partOf(step, shown, now)],
    log: linesUntil(course.log, now),
    failure: kind === "ended" && step === failedStep(course) ? course.failure : null,
  };
}

function partOf(step: Step, shown: number, now: number): Step {
  const entries = step.entries.slice(0, shown);
  return {
    ...step,
    state: "running",
    expectations: 0,
    caused: tally(entries),
    entries,
    total: shown,
    log: linesUntil(step.log, now),
  };
}

function linesUntil({ latest, earlier }: Lines, now: number): Lines {
  const lines = latest.filter(({ at }) => toMs(at) <= now);
  return lines.length === 0 ? NO_LINES : { latest: lines, earlier };
}

export type Replay = InstanceType<typeof Replay>;

/**
 * Plays a run that has ended again, at a pace at which a person can follow it.
 * @param course the run
 * @param moves whether this person wants things to move: if not, the replay waits for them at each step
 */
export const Replay = createModel((course: ReadonlySignal<Course>, moves: () => boolean) => {
  const moments = signal<Moment[]>([]);
  const place = signal<number | undefined>(undefined);
  const playing = signal(false);

  effect(() => {
    const moment = place.value === undefined ? undefined : moments.value[place.value];
    if (!moment || !playing.value) return;
    const timer = setTimeout(() => go(place.peek()! + 1), PACE[moment.kind]);
    return () => clearTimeout(timer);
  });

  /** Shows a moment; beyond the last one is the end, which shows the run whole. */
  function go(to: number): void {
    if (to < moments.peek().length) place.value = Math.max(0, to);
    else end();
  }

  function goToStep(step: number): void {
    const first = moments.peek().findIndex((moment) => moment.step === step);
    go(first === -1 ? moments.peek().length : first);
  }

  function end(): void {
    place.value = undefined;
    playing.value = false;
  }

  const stepNow = () => moments.peek()[place.peek() ?? 0]?.step ?? 0;

  return {
    /** The place among the run's steps; undefined while nothing is replayed. */
    step: computed(() => (place.value === undefined ? undefined : moments.value[place.value]?.step)),
    playing: playing as ReadonlySignal<boolean>,
    /** What is to be shown of the run. */
    shown: computed(() => {
      const moment = place.value === undefined ? undefined : moments.value[place.value];
      return moment ? courseAt(course.value, moment) : course.value;
    }),
    start(): void {
      moments.value = momentsOf(course.peek(), !moves());
      playing.value = moves();
      go(0);
    },
    toggle(): void {
      playing.value = !playing.peek();
    },
    next: () => goToStep(stepNow() + 1),
    previous: () => goToStep(Math.max(0, stepNow() - 1)),
    end,
  };
});
