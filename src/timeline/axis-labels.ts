import { BREAK } from "./axis.ts";
import { DAY, MINUTE, roughly, SECOND } from "./duration.ts";
import { dayText, timeText } from "./instant.ts";

export interface AxisLine {
  at: number;
  x: number;
  /** The label: `09:01`, or `16 Jan 09:01` where a day starts; undefined if it does not fit. */
  label: string | undefined;
  /** Whether the label includes the date. */
  day: boolean;
  /** The time to the next line; absent after the last one. */
  gap?: AxisGap;
}

export interface AxisGap {
  /** The position of the gap's middle. */
  x: number;
  /** The gap's length, such as `10 min`; undefined if the label does not fit. */
  label: string | undefined;
  /** Whether to draw a break, because much more time passes than the gap's width suggests. */
  torn: boolean;
}

/** Space for labels, in the axis's unit. */
export interface LabelRoom {
  /** Instants closer together than this share a line. */
  apart: number;
  /** The minimum space between two labels. */
  gap: number;
  width: (label: string, day: boolean) => number;
}

/** The lines of an axis, with a label where one fits. @param x the position of an instant */
export function axisLines(
  instants: readonly number[],
  x: (at: number) => number,
  room: LabelRoom,
): AxisLine[] {
  const lines: AxisLine[] = [];
  let last = Number.NEGATIVE_INFINITY;
  let written = Number.NEGATIVE_INFINITY;
  let day: number | undefined;
  for (const at of instants) {
    const place = x(at);
    if (place - last < room.apart) continue;
    last = place;
    const today = Math.floor(at / DAY);
    const begins = today !== day;
    if (place < written + room.gap) {
      lines.push({ at, x: place, label: undefined, day: begins });
      continue;
    }
    const text = begins ? `${dayText(at)} ${shortTime(at)}` : shortTime(at);
    lines.push({ at, x: place, label: text, day: begins });
    written = place + room.width(text, begins);
    day = today;
  }
  for (const [index, line] of lines.entries()) {
    const next = lines[index + 1];
    if (next) line.gap = gapOf(line, next, room);
  }
  return lines;
}

function gapOf(from: AxisLine, to: AxisLine, { gap, width }: LabelRoom): AxisGap {
  const long = to.at - from.at;
  const label = roughly(long);
  const fits = long >= SECOND && to.x - from.x >= width(label, false) + gap;
  return { x: (from.x + to.x) / 2, label: fits ? label : undefined, torn: long >= BREAK };
}

/** `09:01`, with seconds if they are not 0. */
const shortTime = (at: number): string => timeText(at).slice(0, at % MINUTE === 0 ? 5 : 8);
