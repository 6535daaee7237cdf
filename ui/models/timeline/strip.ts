import { computed } from "@preact/signals";
import { type Group, groupMarks } from "../../../src/timeline/groups.ts";
import type { Thread } from "../../../src/timeline/lanes.ts";
import { marksOf } from "../../../src/timeline/marks.ts";
import { HOUR, MINUTE } from "../format.ts";
import { timelineAt } from "./as-of.ts";
import { TimelineData } from "./data.ts";
import { visible } from "./drawn.ts";
import type { Stretch } from "./fit.ts";
import type { TimelineParts } from "./timeline.ts";

/** As many attempts are enough for a small picture. */
const ATTEMPTS = 200;
const BACK = HOUR;
const AHEAD = 75 * MINUTE;
const STEP = 15 * MINUTE;

export type Strip = ReturnType<typeof createStrip>;

/** The hours around now, the same for every endpoint; it moves on in steps. */
export function aroundNow(now: number): Stretch {
  const from = Math.floor((now - BACK) / STEP) * STEP;
  return { from, to: from + BACK + AHEAD + STEP };
}

const ONE_LANE = new Map<string, Thread>();

/** The timeline of an endpoint in small: one lane, around now. */
export function createStrip({ api, arriving, stage }: Omit<TimelineParts, "machine">, webhookId: string) {
  const data = new TimelineData(api, arriving, webhookId, { first: ATTEMPTS, slices: 0 });
  const timeline = computed(() => {
    const whole = data.timeline.value;
    return whole && stage.until.value !== undefined ? timelineAt(whole, stage.until.value) : whole;
  });
  const marks = computed(() => (timeline.value ? marksOf(timeline.value) : []));
  return {
    marks,
    disabledAt: computed(() => timeline.value?.forecast.disabled_at ?? null),
    groups(pixels: number): Group[] {
      const { from, to } = aroundNow(stage.second.value);
      return visible(groupMarks(marks.value, ONE_LANE, (at) => at * pixels)[0] ?? [], from, to);
    },
    [Symbol.dispose]: data[Symbol.dispose],
  };
}
