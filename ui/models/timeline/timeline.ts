import { computed, effect } from "@preact/signals";
import { counterCurve } from "../../../src/story/counter.ts";
import { groupMarks } from "../../../src/story/groups.ts";
import { laneCount, layOut } from "../../../src/story/lanes.ts";
import { type Mark, marksOf } from "../../../src/story/marks.ts";
import type { Api } from "../../api.ts";
import type { Timeline } from "../../api-types.ts";
import type { Live } from "../../live.ts";
import type { ClockModel, Machine } from "../clock.ts";
import { MINUTE, toMs } from "../format.ts";
import { TimelineData } from "./data.ts";
import { fitTo, type Stretch } from "./fit.ts";
import { createView } from "./view.ts";

export type TimelineModel = ReturnType<typeof createTimeline>;

export interface TimelineParts {
  api: Api;
  live: Live;
  clock: ClockModel;
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

/** The same stretch as before when it is the same, so that nothing is drawn again for it. */
function steady() {
  let last: Stretch | undefined;
  return {
    same(next: Stretch): Stretch {
      if (last?.from !== next.from || last.to !== next.to) last = next;
      return last;
    },
  };
}

const NOTHING = { start: 0, past: [], ahead: [] };

/** An endpoint's timeline: its data, what is drawn of it, and which part is looked at. */
export function createTimeline({ api, live, clock, machine }: TimelineParts, webhookId: string) {
  const data = new TimelineData(api, live, webhookId);
  const lanesGiven = new Map<string, number>();
  const marks = computed(() => (data.timeline.value ? marksOf(data.timeline.value) : []));
  const threads = computed(() => layOut(marks.value, lanesGiven));
  const fitting = steady();
  const span = steady();
  const fit = computed(() => fitting.same(fitTo(marks.value, clock.second.value)));
  const view = createView(machine, fit);
  const groups = computed(() => {
    const scale = view.pixels.value / view.unit.value;
    return groupMarks(marks.value, threads.value, (at) => at * scale);
  });
  let shown = false;
  const stopFollowing = effect(() => {
    view.follow(!shown);
    shown = data.timeline.value !== undefined;
  });

  return {
    webhookId,
    data,
    marks,
    threads,
    view,
    groups,
    /** Every group, in order of time, as the arrow keys go through them. */
    inOrder: computed(() => groups.value.flat().sort((a, b) => a.at - b.at || a.lane - b.lane)),
    span: computed(() => span.same(spanOf(marks.value, data.timeline.value, clock.second.value))),
    curve: computed(() => (data.timeline.value ? counterCurve(data.timeline.value) : NOTHING)),
    lanes: computed(() => laneCount(threads.value)),
    [Symbol.dispose](): void {
      stopFollowing();
      view.close();
      data[Symbol.dispose]();
    },
  };
}
