import { computed, effect, signal } from "@preact/signals";
import { captionsOf, instantsOf } from "../../../src/story/contents.ts";
import { counterCurve } from "../../../src/story/counter.ts";
import { groupMarks } from "../../../src/story/groups.ts";
import { laneCount, layOut } from "../../../src/story/lanes.ts";
import { type Mark, marksOf } from "../../../src/story/marks.ts";
import type { Api } from "../../api.ts";
import type { Timeline } from "../../api-types.ts";
import type { Live } from "../../live.ts";
import type { Machine } from "../clock.ts";
import { MINUTE, toMs } from "../format.ts";
import type { Stage } from "../stage.ts";
import { timelineAt } from "./as-of.ts";
import { TimelineData } from "./data.ts";
import { fitCompressed, fitTo, type Stretch } from "./fit.ts";
import { compressed, LINEAR } from "./scale.ts";
import { createView } from "./view.ts";

export type TimelineModel = ReturnType<typeof createTimeline>;

export interface TimelineParts {
  api: Api;
  arriving: Live;
  stage: Pick<Stage, "now" | "second" | "until" | "playing">;
  machine: Machine;
}

/** All the time there is something to see in: from the endpoint's creation to the last attempt that may come. */
function spanOf(marks: Mark[], timeline: Timeline | undefined, now: number): Stretch {
  const created = timeline?.changes[0]?.at;
  const first = Math.min(marks[0]?.at ?? now, created === undefined ? now : toMs(created));
  const last = Math.max(marks.at(-1)?.at ?? now, now);
  // In steps, so that a clock that runs does not change it all the time.
  const step = 2 ** Math.ceil(Math.log2(Math.max((last - first) / 128, MINUTE)));
  return { from: Math.floor(first / step - 1) * step, to: Math.ceil(last / step + 1) * step };
}

/** The same value as before where it is equal, so that nothing is drawn again for it. */
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

const NOTHING = { start: 0, past: [], ahead: [] };

/** An endpoint's timeline: its data, what is drawn of it at the time that is shown, and which part is looked at. */
export function createTimeline({ api, arriving, stage, machine }: TimelineParts, webhookId: string) {
  const data = new TimelineData(api, arriving, webhookId);
  const lanes = new Map<string, number>();
  const linear = signal(false);
  /** The earlier instant that is looked at. */
  const past = signal<number | undefined>(undefined);

  // What the drawing is laid out for: all of it, so that nothing moves while the line goes through it.
  const wholeMarks = computed(() => (data.timeline.value ? marksOf(data.timeline.value) : []));
  const wholeThreads = computed(() => layOut(wholeMarks.value, lanes));

  const until = computed(() => past.value ?? stage.until.value);
  const timeline = computed(() => {
    const whole = data.timeline.value;
    return whole && until.value !== undefined ? timelineAt(whole, until.value) : whole;
  });
  const marks = computed(() =>
    until.value === undefined ? wholeMarks.value : timeline.value ? marksOf(timeline.value) : [],
  );
  const threads = computed(() =>
    until.value === undefined ? wholeThreads.value : layOut(marks.value, new Map(lanes)),
  );

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
    return steadyInstants([...new Set(all)].sort((a, b) => a - b));
  });
  const wide = computed(() => compressed(instants.value));
  const scale = computed(() => (linear.value ? LINEAR : wide.value));

  const steadyFit = steady(sameStretch);
  const steadySpan = steady(sameStretch);
  const fit = computed(() => {
    const now = stage.playing.value?.to ?? stage.second.value;
    const stretch = linear.value
      ? fitTo(wholeMarks.value, now)
      : fitCompressed(wide.value, wholeMarks.value, now);
    return steadyFit(stretch);
  });
  const view = createView(machine, fit, scale);
  const groups = computed(() => {
    const pixels = view.pixels.value / view.unit.value;
    const { place } = scale.value;
    return groupMarks(marks.value, threads.value, (at) => place(at) * pixels);
  });
  let shown = false;
  const stopFollowing = effect(() => {
    scale.value;
    view.rescale();
    view.follow(!shown);
    shown = data.timeline.value !== undefined;
  });

  return {
    webhookId,
    data,
    /** As it is at the time that is shown. */
    timeline,
    marks,
    threads,
    scale,
    linear,
    past,
    until,
    view,
    groups,
    /** Every instant that has a place on the axis, in order. */
    wholeInstants: instants,
    /** Names an event in its lane. */
    captionOf: computed(() => captionsOf(wholeMarks.value)),
    /** Every group, in order of time, as the arrow keys go through them. */
    inOrder: computed(() => groups.value.flat().sort((a, b) => a.at - b.at || a.lane - b.lane)),
    span: computed(() => steadySpan(spanOf(wholeMarks.value, data.timeline.value, stage.second.value))),
    curve: computed(() => (timeline.value ? counterCurve(timeline.value) : NOTHING)),
    lanes: computed(() => laneCount(wholeThreads.value)),
    [Symbol.dispose](): void {
      stopFollowing();
      view.close();
      data[Symbol.dispose]();
    },
  };
}
