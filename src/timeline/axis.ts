import { HOUR } from "./duration.ts";

/** Gaps between two instants of at least this length, in virtual milliseconds, are marked as breaks. */
export const BREAK = 6 * HOUR;
/** The additional width of a gap ten times as long, in pixels. */
const DECADE = 17;
/** The gap length in milliseconds at which the scale turns logarithmic; much shorter gaps take almost no space. */
const BEND = 250;

/** Virtual time along a line. */
export interface TimeScale {
  /** The position of an instant. It never decreases. */
  place: (at: number) => number;
  /** The instant at a position. */
  at: (place: number) => number;
}

export interface CompressedScale extends TimeScale {
  /** The distance from the first instant to the last. */
  width: number;
  /** The instants on the scale, in order, without duplicates. */
  instants: number[];
}

const wide = (gap: number): number => DECADE * Math.log10(1 + gap / BEND);
const long = (width: number): number => BEND * (10 ** (width / DECADE) - 1);

/** The maximum distance of a position from the first or last instant, so that time stays within the calendar. */
const FARTHEST = 8 * DECADE;
const SLOPE = (BEND * Math.LN10 * 10 ** (FARTHEST / DECADE)) / DECADE;
const wideBeyond = (gap: number): number =>
  gap <= long(FARTHEST) ? wide(gap) : FARTHEST + (gap - long(FARTHEST)) / SLOPE;
const longBeyond = (width: number): number =>
  width <= FARTHEST ? long(width) : long(FARTHEST) + (width - FARTHEST) * SLOPE;

/** Instants in order, without duplicates. */
export function inOrder(instants: readonly number[]): number[] {
  // A typed array of doubles sorts numerically without calling a comparator.
  const sorted = Float64Array.from(instants).sort();
  const once: number[] = [];
  for (const at of sorted) if (at !== once.at(-1)) once.push(at);
  return once;
}

/**
 * A scale that shows both a minute and three days: the width of each gap between two instants depends on its order of
 * magnitude. Within a gap, the scale is linear. Before the first and after the last instant, it is compressed in the
 * same way.
 * @param wanted the instants to place, in virtual milliseconds, in any order; at least one
 */
export function compressedScale(wanted: readonly number[]): CompressedScale {
  const instants = inOrder(wanted);
  const places = [0];
  for (let index = 1; index < instants.length; index += 1)
    places.push(places.at(-1)! + wide(instants[index]! - instants[index - 1]!));
  const [first, last, width] = [instants[0]!, instants.at(-1)!, places.at(-1)!];

  /** Linear interpolation from the values `from` to the values `to`. */
  function between(value: number, from: readonly number[], to: readonly number[]): number {
    let low = 0;
    let high = from.length - 1;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (from[middle]! <= value) low = middle;
      else high = middle;
    }
    const part = (value - from[low]!) / (from[high]! - from[low]!);
    return to[low]! + (to[high]! - to[low]!) * part;
  }

  return {
    width,
    instants,
    place(at) {
      if (at <= first) return -wideBeyond(first - at);
      return at >= last ? width + wideBeyond(at - last) : between(at, instants, places);
    },
    at(place) {
      if (place <= 0) return first - longBeyond(-place);
      return place >= width ? last + longBeyond(place - width) : between(place, places, instants);
    },
  };
}

/** Virtual time from left to right, with long gaps shortened. */
export interface Axis {
  /** Pixels. */
  width: number;
  /** An instant's position in pixels from the left. It never decreases, and equal instants have equal positions. */
  x: (at: number) => number;
  /** The instants on the axis, in order, without duplicates. */
  instants: number[];
}

/**
 * A compressed scale, stretched to fill a drawing.
 * @param wanted the instants to place, in virtual milliseconds, in any order; others are interpolated or at the edge
 * @param least the minimum width in pixels
 * @param most the maximum width in pixels
 */
export function compressedAxis(wanted: readonly number[], least: number, most: number): Axis {
  const { place, width: natural, instants } = compressedScale(wanted);
  const width = Math.min(most, Math.max(least, natural));
  const scale = natural > 0 ? width / natural : 0;
  return {
    width,
    instants,
    x: (at) => (natural === 0 ? width / 2 : Math.min(width, Math.max(0, place(at) * scale))),
  };
}
