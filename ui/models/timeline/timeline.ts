import { computed, effect, signal, untracked } from "@preact/signals";
import { inOrder } from "../../../src/timeline/axis.ts";
import { captionsOf, instantsOf } from "../../../src/timeline/contents.ts";
import { counterCurve } from "../../../src/timeline/counter.ts";
import { laneCount, layOut, MOST_LANES_OF_PAGE, type Thread } from "../../../src/timeline/lanes.ts";
import { countBefore, type Mark, marksOf } from "../../../src/timeline/marks.ts";
import type { Api } from "../../api.ts";
import type { Timeline } from "../../api-types.ts";
import type { Live } from "../../live.ts";
import type { Machine } from "../clock.ts";
import { MINUTE, toMs } from "../format.ts";
import type { Stage } from "../stage.ts";
import { isGhost } from "../webhooks/story.ts";
import { timelineAt } from "./as-of.ts";
import { TimelineData } from "./data.ts";
import { groupToFit } from "./drawn.ts";
import { compressed, fitTo, type Stretch } from "./fit.ts";
import { createView } from "./view.ts";

export type TimelineModel = ReturnType<typeof createTimeline>;

export interface TimelineParts {
  api: Api;
  arriving: Live;
  stage: Pick<Stage, "now" | "second" | "until" | "playing">;
  machine: Machine;
}

/** The whole period of time, from the endpoint's creation to its last possible attempt. */
function spanOf(marks: Mark[], timeline: Timeline | undefined, now: number): Stretch {
  const begins = [timeline?.changes[0]?.at, timeline?.earlier.since].filter((at) => at != null).map(toMs);
  const first = Math.min(marks[0]?.at ?? now, now, ...begins);
  const last = Math.max(marks.at(-1)?.at ?? now, now);
  // Round to steps, so the period does not change constantly while the clock runs.
  const step = 2 ** Math.ceil(Math.log2(Math.max((last - first) / 128, MINUTE)));
  return { from: Math.floor(first / step - 1) * step, to: Math.ceil(last / step + 1) * step };
}

/** Returns the previous value if the new one is equal, to avoid redrawing. */
function steady<Value>(equal: (one: Value, other: Value) => boolean) {
  let last: Value | undefined;
  return (next: Value): Value => {
    if (last === undefined || !equal(last, next)) last = next;
    return last;
  };
}

const sameStretch = (one: Stretch, other: Stretch) => one.from === other.from && one.to === other.to;
const sameInstants = (one: readonly number[], other: readonly number[]) =>
  one.length === other.length && one.every((at, index) => at === other[index]);

/** Older attempts are loaded when this fraction of the view lies before the oldest attempt that is loaded. */
const AHEAD = 0.5;

/** The minimum gap between two events in a lane, in units of the scale. It is about the width of a mark. */
const APART = 20;

/** The minimum number of events that get a lane of their own, even on a low stage. */
export const OWN_LANES = 6;
/** The minimum number of lanes that are visible, even on a low stage. */
export const FEWEST_LANES = 3;

const NOTHING_EARLIER: Timeline["earlier"] = { attempts: 0, since: null, slices: [] };
const NOTHING = { start: 0, past: [], ahead: [] };

/** An endpoint's timeline: its data, what is drawn at the displayed time, and the visible part. */
export function createTimeline({ api, arriving, stage, machine }: TimelineParts, webhookId: string) {
  const data = new TimelineData(api, arriving, webhookId);
  /** Whether the view fits everything rather than only the current episode. */
  const all = signal(false);
  const unit = signal(1);
  /** The number of lanes that fit on the stage. */
  const room = signal(FEWEST_LANES);
  /** The past instant that the user is inspecting. */
  const past = signal<number | undefined>(undefined);
  /** Whether `past` is moving because of a replay. */
  const replaying = signal(false);

  /** The period of the outage or story whose card is shown. */
  const played = signal<Stretch | undefined>(undefined);
  /** The attempts of a story that is being previewed. */
  const ghosts = signal<Timeline["planned"]>([]);

  // Lay out all marks at once, so nothing moves while the line passes through them.
  const wholeMarks = computed(() => {
    const whole = data.timeline.value;
    return whole ? marksOf({ ...whole, planned: whole.planned.concat(ghosts.value) }) : [];
  });
  const steadyInstants = steady(sameInstants);
  const opened = stage.second.peek();
  const instants = computed(() => {
    const whole = data.timeline.value;
    if (!whole) return steadyInstants([opened]);
    const { changes } = whole;
    const all = instantsOf(
      { timeline: whole, marks: wholeMarks.value, changes, since: Number.NEGATIVE_INFINITY },
      changes[0] ? toMs(changes[0].at) : opened,
    );
    return steadyInstants(inOrder(all));
  });
  /** When the oldest loaded attempt started; minus infinity once all attempts are loaded. */
  const edge = computed(() => {
    const oldest = data.hasOlder.value ? data.timeline.value?.attempts[0] : undefined;
    return oldest ? toMs(oldest.started_at) : Number.NEGATIVE_INFINITY;
  });
  const scale = computed(() => compressed(instants.value, edge.value));
  const own = () => Math.max(room.value, OWN_LANES);
  /** Assigns lanes, leaving a gap between consecutive events in the same lane. */
  const lay = (marks: readonly Mark[], wanted?: ReadonlyMap<string, Thread>) => {
    const { place } = scale.value;
    const stay = ({ from, to }: Thread) => ({ from: place(from), to: place(to) + APART });
    return layOut(marks, { own: own(), most: MOST_LANES_OF_PAGE, stay, wanted });
  };
  const laidOut = computed(() => lay(wholeMarks.value));
  /** The lane of the first event in the fitted view. It is drawn at the top, above the lanes of earlier events. */
  const topLane = computed(() => {
    const all = [...laidOut.value.values()];
    if (all.length <= own()) return 0;
    const { place } = scale.value;
    return all.find(({ to }) => place(to) >= fit.value.from)?.lane ?? 0;
  });
  const wholeThreads = computed(() => {
    const [top, lanes] = [topLane.value, own()];
    if (top === 0 || top >= lanes) return laidOut.value;
    const raised = (lane: number) => (lane < lanes ? (lane - top + lanes) % lanes : lane);
    return new Map(
      [...laidOut.value].map(([id, thread]) => [id, { ...thread, lane: raised(thread.lane) }] as const),
    );
  });

  const until = computed(() => past.value ?? stage.until.value);
  const timeline = computed(() => {
    const whole = data.timeline.value;
    return whole && until.value !== undefined ? timelineAt(whole, until.value) : whole;
  });
  const marks = computed(() =>
    until.value === undefined ? wholeMarks.value : timeline.value ? marksOf(timeline.value) : [],
  );
  const threads = computed(() =>
    until.value === undefined ? wholeThreads.value : lay(marks.value, wholeThreads.value),
  );

  const steadyFit = steady(sameStretch);
  const steadySpan = steady(sameStretch);
  // Older attempts that are loaded later do not affect the current episode.
  const recentMarks = computed(() => {
    const { value: marks } = wholeMarks;
    return marks.slice(countBefore(marks, data.recent.value));
  });
  /** During an animation, the newest attempt that the line has reached or, before that, the first one. */
  const newest = computed(() => {
    const { from } = stage.playing.value ?? {};
    const isOfIt = ({ kind, at }: Mark) => kind === "attempt" && at > from!;
    if (from === undefined) return undefined;
    return (marks.value.findLast(isOfIt) ?? wholeMarks.value.find(isOfIt))?.at;
  });
  const width = signal(0);
  const fit = computed(() => {
    const now = stage.playing.value?.to ?? stage.second.value;
    const fitted = {
      ...{ now, newest: newest.value, played: played.value, all: all.value },
      width: width.value / unit.value,
    };
    const marks = all.value ? wholeMarks.value : recentMarks.value;
    return steadyFit(fitTo(scale.value, marks, fitted));
  });
  const view = createView({ machine, fit, scale, width, unit });
  const places = computed(() => {
    const { place } = scale.value;
    return marks.value.map(({ at }) => place(at));
  });
  const groups = computed(() =>
    groupToFit(marks.value, threads.value, places.value, {
      pixels: view.pixels.value / view.unit.value,
      width: view.width.value / view.unit.value,
    }),
  );
  let shown = false;
  const stopFollowing = effect(() => {
    scale.value;
    view.rescale();
    view.follow(!shown);
    shown = data.timeline.value !== undefined;
  });
  const stopKeeping = effect(() => {
    if (stage.playing.value) all.value = false;
    if (newest.value !== undefined) view.keepInSight(newest.value);
  });
  const stopReading = effect(() => {
    if (view.width.value === 0 || !data.hasOlder.value) return;
    scale.value;
    untracked(view.rescale);
    const begin = view.from.value - view.span.value * AHEAD;
    if (scale.value.place(edge.value) >= begin) untracked(() => void data.readOlder());
  });

  return {
    webhookId,
    data,
    timeline,
    marks,
    threads,
    scale,
    past,
    replaying,
    ghosts,
    played,
    until,
    view,
    /** Fits the view to everything, loading older attempts as needed. */
    showAll(): void {
      all.value = true;
      view.refit();
    },
    groups,
    /** All instants on the axis, in order. */
    wholeInstants: instants,
    /** The numbers of attempts before the loaded ones. */
    earlier: computed(() => data.timeline.value?.earlier ?? NOTHING_EARLIER),
    captionOf: computed(() => {
      const named = captionsOf(wholeMarks.value);
      return (thread: Pick<Thread, "event" | "eventId">) =>
        isGhost(thread.eventId) ? thread.event : named(thread);
    }),
    /** All groups in chronological order, for the arrow keys. */
    inOrder: computed(() => groups.value.flat().sort((a, b) => a.at - b.at || a.lane - b.lane)),
    span: computed(() => steadySpan(spanOf(wholeMarks.value, data.timeline.value, stage.second.value))),
    curve: computed(() => (timeline.value ? counterCurve(timeline.value) : NOTHING)),
    lanes: computed(() => laneCount(wholeThreads.value)),
    room,
    [Symbol.dispose](): void {
      stopReading();
      stopKeeping();
      stopFollowing();
      view.close();
      data[Symbol.dispose]();
    },
  };
}
