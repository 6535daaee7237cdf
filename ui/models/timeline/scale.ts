import { compressedScale, type TimeScale } from "../../../src/story/axis.ts";
import { DAY, SECOND } from "../format.ts";

/** How time is laid out: as long as it is, or long gaps drawn short. */
export interface Scale extends TimeScale {
  linear: boolean;
  /** The least and the most that a view shows, in the unit of its places. */
  shortest: number;
  longest: number;
  /** Since when everything is on it, virtual milliseconds: before, attempts may be missing. */
  since: number;
  /** The instants that have a line of their own; none on a linear scale. */
  instants: readonly number[];
}

const SHORTEST_WIDTH = 8;
const ROOM = 600;

/** Time as it is: places are virtual milliseconds. */
export const LINEAR: Scale = {
  linear: true,
  shortest: 4 * SECOND,
  longest: 400 * DAY,
  since: Number.NEGATIVE_INFINITY,
  instants: [],
  place: (at) => at,
  at: (place) => place,
};

export function compressed(
  wanted: readonly number[],
  since = Number.NEGATIVE_INFINITY,
): Scale & { width: number } {
  const scale = compressedScale(wanted);
  return { ...scale, linear: false, since, shortest: SHORTEST_WIDTH, longest: scale.width + ROOM };
}
