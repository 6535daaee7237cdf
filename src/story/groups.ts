import type { MarkTone } from "./attempt.ts";
import type { Thread } from "./lanes.ts";
import type { Mark } from "./marks.ts";

/** Marks nearer to each other than this, in pixels of the usual size, are drawn as one. */
const NEAR = 10;
/** A mark has its code written in it when so much room is left to its neighbour. */
const ROOM = 37;

/** One or more marks that are drawn as one thing. */
export interface Group {
  key: string;
  lane: number;
  at: number;
  end: number;
  marks: Mark[];
  tone: MarkTone;
  kind: Mark["kind"];
  /** Whether there is room for its code. */
  roomy: boolean;
}

/** What can share a drawing: attempts with attempts, ghosts with ghosts. */
const family = ({ kind }: Mark): string => (kind === "attempt" || kind === "skipped" ? kind : "ghost");

/**
 * Groups the marks of each lane for a scale. It depends on the scale and the data alone, not on the part that is
 * shown, so that nothing regroups while the timeline is panned.
 * @param marks in order of time
 * @param place where an instant is, in pixels of the usual size
 * @returns by lane, each in order of time
 */
export function groupMarks(
  marks: readonly Mark[],
  threads: ReadonlyMap<string, Thread>,
  place: (at: number) => number,
): Group[][] {
  const lanes: Group[][] = [];
  const open: (Group | undefined)[] = [];
  for (const mark of marks) {
    const lane = threads.get(mark.eventId)?.lane ?? 0;
    lanes[lane] ??= [];
    const groups = lanes[lane];
    const last = open[lane];
    const away = last ? place(mark.at) - place(last.at) : Number.POSITIVE_INFINITY;
    if (last && away < NEAR && family(last.marks[0]!) === family(mark)) {
      last.marks.push(mark);
      last.end = Math.max(last.end, mark.end);
      last.tone = worse(last.tone, mark.tone);
      continue;
    }
    // A skipped attempt is not drawn beside the last one made: the disabled endpoint shows there anyway.
    if (last && mark.kind === "skipped" && last.kind === "attempt" && away < ROOM) continue;
    if (last) last.roomy &&= away >= ROOM;
    const group: Group = {
      key: mark.key,
      lane,
      at: mark.at,
      end: mark.end,
      marks: [mark],
      tone: mark.tone,
      kind: mark.kind,
      roomy: away >= ROOM,
    };
    groups.push(group);
    open[lane] = group;
  }
  return lanes;
}

const BADNESS: MarkTone[] = ["none", "good", "pending", "bad"];
const worse = (a: MarkTone, b: MarkTone): MarkTone => (BADNESS.indexOf(a) >= BADNESS.indexOf(b) ? a : b);

/** How many of a group's attempts failed, and how many are under way, in percent. */
export function sharesOf({ marks }: Group): { bad: number; pending: number } {
  const share = (wanted: MarkTone) =>
    Math.round((marks.filter(({ tone }) => tone === wanted).length / marks.length) * 100);
  return { bad: share("bad"), pending: share("pending") };
}
