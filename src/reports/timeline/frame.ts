import type { Axis } from "../../timeline/axis.ts";

/** The heights and positions of a timeline's tracks, in pixels. */
export const LEFT = 104;
export const RIGHT = 60;
export const AXIS = 40;
export const STATES = 30;
export const CURVE = 58;
export const LANE = 44;
/** The space below the lanes for the labels of `now` and of the forecast. */
export const FOOT = 34;

/** The size of a drawing, and the positions of instants. */
export interface Frame {
  axis: Axis;
  width: number;
  height: number;
  /** The current virtual time in milliseconds. */
  now: number;
  /** The position of an instant, in whole pixels from the drawing's left edge. */
  x: (at: number) => number;
}

export function frameOf(axis: Axis, lanes: number, now: number): Frame {
  return {
    axis,
    width: LEFT + Math.ceil(axis.width) + RIGHT,
    height: AXIS + STATES + CURVE + lanes * LANE + FOOT,
    now,
    x: (at) => LEFT + Math.round(axis.x(at)),
  };
}
