import { DAY, roughly, SECOND } from "../../src/timeline/duration.ts";
import { dayText, timeText } from "../../src/timeline/instant.ts";

/** Formats times for people. Virtual time is shown in UTC, as in the platform's API. */

export { DAY, HOUR, MINUTE, roughly, SECOND } from "../../src/timeline/duration.ts";
export { dayText, timeText } from "../../src/timeline/instant.ts";
export { bytes, clipMiddle as clip, count, number } from "../../src/timeline/text.ts";

/** Isolates a name in plain text, such as an `<option>`, so right-to-left characters affect only the name. */
export const isolated = (name: string): string =>
  `\u2068${name.trim() === "" ? "(no visible text)" : name}\u2069`;

/** The name of the built-in platform as a sender. */
export const PLATFORM = "platform";

/** Titles that differ from the capitalized name. */
const TITLES: Record<string, string> = {
  [PLATFORM]: "Sandglass payments",
  github: "GitHub",
  gitlab: "GitLab",
  lemonsqueezy: "Lemon Squeezy",
  revenuecat: "RevenueCat",
  workos: "WorkOS",
};

/** The display name of a sender: `Stripe`, `GitHub`, `Standard Webhooks`. */
export const senderTitle = (name: string): string =>
  Object.hasOwn(TITLES, name)
    ? TITLES[name]!
    : name.replaceAll("-", " ").replaceAll(/\b\w/g, (letter) => letter.toUpperCase());

const WEEKDAYS = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];

export const toMs = (iso: string): number => Date.parse(iso);

/** A date: `2026-01-15`. */
export function dateText(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

/** A date in its long form: `Thu 15 Jan 2026`. */
export function longDate(ms: number): string {
  const at = new Date(ms);
  return `${WEEKDAYS[at.getUTCDay()]} ${dayText(ms)} ${at.getUTCFullYear()}`;
}

export const stamp = (ms: number): string => `${dateText(ms)} ${timeText(ms)}`;

/** A timestamp with milliseconds, used when the order within a second matters. */
export const exactStamp = (ms: number): string => new Date(ms).toISOString().slice(0, 23).replace("T", " ");

/** A time in its shortest form: without the date if it is on the same day as `now`. */
export function brief(ms: number, now: number): string {
  if (Math.floor(ms / DAY) === Math.floor(now / DAY)) return timeText(ms);
  const year = new Date(ms).getUTCFullYear();
  return `${dayText(ms)}${year === new Date(now).getUTCFullYear() ? "" : ` ${year}`} ${timeText(ms)}`;
}

/** A time relative to now: `in 48 s`, `48 s ago`, `now`. */
export function relative(ms: number, now: number): string {
  const away = ms - now;
  if (Math.abs(away) < SECOND) return "now";
  const length = roughly(Math.round(Math.abs(away) / SECOND) * SECOND);
  return away > 0 ? `in ${length}` : `${length} ago`;
}

/** Whether a string contains every word of a search, in any order and ignoring case. */
export function hasWords(text: string, search: string): boolean {
  const lower = text.toLowerCase();
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => lower.includes(word));
}
