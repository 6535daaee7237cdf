/** Human-readable virtual instants, in UTC like the platform's API. */

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** `2026-01-15 09:00:00`, with milliseconds unless they are zero. */
export function instant(iso: string): string {
  return iso.replace("T", " ").replace(/(?:\.000)?Z$/, "");
}

/** `09:01:30`. */
export const timeText = (ms: number): string => new Date(ms).toISOString().slice(11, 19);

/** `15 Jan`. */
export function dayText(ms: number): string {
  const at = new Date(ms);
  return `${at.getUTCDate()} ${MONTHS[at.getUTCMonth()]}`;
}

/** A formatter for instants shown together. It includes the date unless all are on the same day. */
export function timesOf(all: readonly number[]): (ms: number) => string {
  const days = new Set(all.map((ms) => new Date(ms).toISOString().slice(0, 10)));
  return days.size < 2 ? timeText : (ms) => `${dayText(ms)} ${timeText(ms)}`;
}

/** Virtual milliseconds from one instant to another. */
export const between = (from: string, to: string): number => Date.parse(to) - Date.parse(from);
