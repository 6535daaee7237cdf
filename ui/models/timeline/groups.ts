import type { Thread } from "./lanes.ts";
import type { Mark, MarkTone } from "./marks.ts";

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
 * Groups the marks of each lane for a scale. It depends on the scale and the data alone, not on what part is
 * looked at, so that nothing regroups while the timeline is panned.
 * @param pixels per millisecond
 * @param unit how much larger than usual things are drawn
 * @returns by lane, each in order of time
 */
export function groupMarks(marks: Mark[], threads: Map<string, Thread>, pixels: number, unit = 1): Group[][] {
  const lanes: Group[][] = [];
  const open: (Group | undefined)[] = [];
  for (const mark of marks) {
    const lane = threads.get(mark.eventId)?.lane ?? 0;
    lanes[lane] ??= [];
    const last = open[lane];
    const away = last ? ((mark.at - last.at) * pixels) / unit : Number.POSITIVE_INFINITY;
    if (last && away < NEAR && family(last.marks[0]!) === family(mark)) {
      last.marks.push(mark);
      last.end = Math.max(last.end, mark.end);
      last.tone = worse(last.tone, mark.tone);
      continue;
    }
    // That the rest is not made is told where the last attempt is, if that is just here.
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
    lanes[lane].push(group);
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

/** The same for the style sheet; a mark that stands alone has its colour by its class. */
export function shareStyle(group: Group): Record<string, string> {
  if (group.marks.length === 1) return {};
  const { bad, pending } = sharesOf(group);
  return { "--bad-share": `${bad}%`, "--unsuccessful-share": `${bad + pending}%` };
}

/** The groups of a lane that touch a stretch of time. */
export function visible(groups: Group[], from: number, to: number): Group[] {
  let low = 0;
  let high = groups.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (groups[middle]!.at < from) low = middle + 1;
    else high = middle;
  }
  const first = low > 0 && groups[low - 1]!.end >= from ? low - 1 : low;
  let last = first;
  while (last < groups.length && groups[last]!.at <= to) last += 1;
  return groups.slice(first, last);
}
