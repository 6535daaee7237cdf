/** Times, durations and numbers for people. Virtual time is shown in UTC, as the platform writes it. */

export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

const WEEKDAYS = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const two = (value: number) => String(value).padStart(2, "0");

export const toMs = (iso: string): number => Date.parse(iso);

/** `09:01:30`. */
export function timeText(ms: number): string {
  const at = new Date(ms);
  return `${two(at.getUTCHours())}:${two(at.getUTCMinutes())}:${two(at.getUTCSeconds())}`;
}

/** `2026-01-15`. */
export function dateText(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

/** `Thu 15 Jan 2026`. */
export function longDate(ms: number): string {
  const at = new Date(ms);
  return `${WEEKDAYS[at.getUTCDay()]} ${at.getUTCDate()} ${MONTHS[at.getUTCMonth()]} ${at.getUTCFullYear()}`;
}

/** `15 Jan`. */
export function dayText(ms: number): string {
  const at = new Date(ms);
  return `${at.getUTCDate()} ${MONTHS[at.getUTCMonth()]}`;
}

/** The whole instant: `2026-01-15 09:01:30`. */
export const stamp = (ms: number): string => `${dateText(ms)} ${timeText(ms)}`;

/** With milliseconds, where order within a second matters. */
export const exactStamp = (ms: number): string => new Date(ms).toISOString().slice(0, 23).replace("T", " ");

/** As short as it can be: the time alone for an instant of the same day as `now`. */
export function brief(ms: number, now: number): string {
  if (dateText(ms) === dateText(now)) return timeText(ms);
  const year = new Date(ms).getUTCFullYear();
  return `${dayText(ms)}${year === new Date(now).getUTCFullYear() ? "" : ` ${year}`} ${timeText(ms)}`;
}

/** Two units at most: `250 ms`, `12 s`, `1 min 30 s`, `1 h 11 min`, `3 d 4 h`. */
export function duration(ms: number): string {
  const rounded = Math.round(Math.abs(ms));
  if (rounded < SECOND) return `${rounded} ms`;
  const parts: [number, string][] = [
    [Math.floor(rounded / DAY), "d"],
    [Math.floor(rounded / HOUR) % 24, "h"],
    [Math.floor(rounded / MINUTE) % 60, "min"],
    [Math.floor(rounded / SECOND) % 60, "s"],
  ];
  const first = parts.findIndex(([value]) => value > 0);
  return parts
    .slice(first, first + 2)
    .filter(([value]) => value > 0)
    .map(([value, unit]) => `${value} ${unit}`)
    .join(" ");
}

/** `in 48 s`, `48 s ago`, `now`. */
export function relative(ms: number, now: number): string {
  const away = ms - now;
  if (Math.abs(away) < SECOND) return "now";
  return away > 0 ? `in ${duration(away)}` : `${duration(away)} ago`;
}

export const number = (value: number): string => value.toLocaleString("en-US");

/** `1 attempt`, `12 attempts`. */
export function count(value: number, one: string, many = `${one}s`): string {
  return `${number(value)} ${value === 1 ? one : many}`;
}

/** `12 B`, `3.4 KB`. */
export function bytes(value: number): string {
  return value < 1_024 ? `${value} B` : `${(value / 1_024).toFixed(1)} KB`;
}

/** The beginning and end of a long text, for a place that is narrow. */
export function clip(text: string, length: number): string {
  if (text.length <= length) return text;
  const tail = Math.min(8, Math.floor(length / 3));
  return `${text.slice(0, length - tail - 1)}…${text.slice(-tail)}`;
}
