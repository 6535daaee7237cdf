import { DAY, HOUR, MINUTE, SECOND } from "./duration.ts";
import { dayText, timeText } from "./instant.ts";

/** Ticks lie at least this far apart, in pixels. */
const APART = 92;
const STEPS = [
  ...[1, 2, 5, 10, 15, 30].map((value) => value * SECOND),
  ...[1, 2, 5, 10, 15, 30].map((value) => value * MINUTE),
  ...[1, 2, 3, 6, 12].map((value) => value * HOUR),
  ...[1, 2, 7, 14, 30, 90].map((value) => value * DAY),
];

export interface Tick {
  at: number;
  label: string;
  /** The day begins here, or it is the only tick that says which day it is. */
  strong: boolean;
}

/** The marks of a time axis for what is between two instants. */
export function ticksOf(from: number, to: number, pixels: number): Tick[] {
  const step = STEPS.find((candidate) => candidate * pixels >= APART) ?? STEPS.at(-1)!;
  const ticks: Tick[] = [];
  for (let at = Math.ceil(from / step) * step; at <= to; at += step) {
    const midnight = at % DAY === 0;
    const time = timeText(at);
    ticks.push({
      at,
      label: step >= DAY || midnight ? dayText(at) : step >= MINUTE ? time.slice(0, 5) : time,
      strong: midnight,
    });
  }
  return ticks;
}
