import type { MarkTone } from "./attempt.ts";
import type { Thread } from "./lanes.ts";
import type { Mark } from "./marks.ts";

/** Marks closer together than this, in unscaled pixels, are drawn as one. */
export const NEAR = 10;
/** The minimum distance to the next mark at which a mark's code fits. */
const ROOM = 37;

/** One or more marks that are drawn together. */
export interface Group {
  key: string;
  lane: number;
  at: number;
  end: number;
  /** Where the group starts, in unscaled pixels. */
  x: number;
  marks: Mark[];
  tone: MarkTone;
  kind: Mark["kind"];
  /** Whether there is room for the mark's code. */
  roomy: boolean;
}

/** The family of marks that can share a shape: attempts with attempts, ghosts with ghosts. */
const family = ({ kind }: Pick<Mark, "kind">): string =>
  kind === "attempt" || kind === "skipped" ? kind : "ghost";

/**
 * Groups the marks of each lane for a scale. It depends only on the scale and the data, not on the visible part, so that
 * nothing regroups while the timeline is panned.
 * @param marks in chronological order
 * @param place a mark's position by its instant or index, in unscaled pixels
 * @returns the groups of each lane, in chronological order
 */
export function groupMarks(
  marks: readonly Mark[],
  threads: ReadonlyMap<string, Thread>,
  place: (at: number, index: number) => number,
): Group[][] {
  const lanes: Group[][] = [];
  for (const [index, mark] of marks.entries()) {
    const { key, at, end, tone, kind } = mark;
    const lane = threads.get(mark.eventId)?.lane ?? 0;
    lanes[lane] ??= [];
    lanes[lane].push({ key, lane, at, end, x: place(at, index), marks: [mark], tone, kind, roomy: true });
  }
  return lanes.map((lane) => mergeGroups(lane, NEAR));
}

/** Merges a lane's groups that are closer together than `near`. Expects chronological order. */
export function mergeGroups(groups: readonly Group[], near: number): Group[] {
  const merged: Group[] = [];
  let open: Group | undefined;
  for (const group of groups) {
    const away = open ? group.x - open.x : Number.POSITIVE_INFINITY;
    if (open && away < near && family(open) === family(group)) {
      open.marks.push(...group.marks);
      open.end = Math.max(open.end, group.end);
      open.tone = worse(open.tone, group.tone);
      continue;
    }
    // Do not draw a skipped attempt right after the last one made: the drawing already shows the disabled endpoint there.
    if (group.kind === "skipped" && open?.kind === "attempt" && away < ROOM) continue;
    if (open) open.roomy &&= away >= ROOM;
    open = { ...group, marks: [...group.marks], roomy: away >= ROOM };
    merged.push(open);
  }
  return merged;
}

const BADNESS: MarkTone[] = ["none", "good", "pending", "bad"];
const worse = (a: MarkTone, b: MarkTone): MarkTone => (BADNESS.indexOf(a) >= BADNESS.indexOf(b) ? a : b);

/** The percentages of a group's attempts that failed and that are in progress. */
export function sharesOf({ marks }: Group): { bad: number; pending: number } {
  const share = (wanted: MarkTone) =>
    Math.round((marks.filter(({ tone }) => tone === wanted).length / marks.length) * 100);
  return { bad: share("bad"), pending: share("pending") };
}
