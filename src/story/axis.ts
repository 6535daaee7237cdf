import { HOUR } from "./duration.ts";

/** From this length on, a gap between two instants is marked as a break, virtual milliseconds. */
export const BREAK = 6 * HOUR;
/** How wide a tenfold longer gap is drawn, pixels. */
const DECADE = 17;
/** Where the logarithm begins to bend, milliseconds: what is much shorter takes no room. */
const BEND = 250;

/** Virtual time laid out from left to right, longer gaps drawn shorter than they are. */
export interface Axis {
  /** Pixels. */
  width: number;
  /** Where an instant is, pixels from the left. It never goes back, and is the same for the same instant. */
  x: (at: number) => number;
  /** The instants that it was made for, in order, each once. */
  instants: number[];
}

/**
 * An axis on which a minute can be seen beside three days: each gap between two instants is as wide as its order of
 * magnitude. Between them, time passes evenly.
 * @param wanted the instants that need a place, virtual milliseconds, in any order; others are drawn between or at the edge
 * @param least the axis is stretched to so many pixels
 * @param most and drawn smaller if it would be wider than so many
 */
export function compressedAxis(wanted: readonly number[], least: number, most: number): Axis {
  const instants = [...new Set(wanted)].sort((a, b) => a - b);
  const places = [0];
  for (let index = 1; index < instants.length; index += 1)
    places.push(places.at(-1)! + DECADE * Math.log10(1 + (instants[index]! - instants[index - 1]!) / BEND));
  const natural = places.at(-1)!;
  const width = Math.min(most, Math.max(least, natural));
  const scale = natural > 0 ? width / natural : 0;

  function x(at: number): number {
    if (natural === 0) return width / 2;
    let low = 0;
    let high = instants.length - 1;
    if (at <= instants[low]!) return 0;
    if (at >= instants[high]!) return width;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (instants[middle]! <= at) low = middle;
      else high = middle;
    }
    const part = (at - instants[low]!) / (instants[high]! - instants[low]!);
    return (places[low]! + (places[high]! - places[low]!) * part) * scale;
  }
  return { width, x, instants };
}
