import { DAY, roughly, SECOND } from "../../src/timeline/duration.ts";
import { dayText, timeText } from "../../src/timeline/instant.ts";

/** Times for people. Virtual time is shown in UTC, as the platform writes it. */

export { DAY, HOUR, MINUTE, roughly, SECOND } from "../../src/timeline/duration.ts";
export { dayText, timeText } from "../../src/timeline/instant.ts";
export { bytes, clipMiddle as clip, count, number } from "../../src/timeline/text.ts";

/** A name within a text that has no elements, such as an option: one that turns its direction turns nothing else. */
export const isolated = (name: string): string =>
  `\u2068${name.trim() === "" ? "(no visible text)" : name}\u2069`;

/** The built-in platform, as what sends to an endpoint. */
export const PLATFORM = "platform";

/** Names that capitals alone do not make. */
const TITLES: Record<string, string> = {
  [PLATFORM]: "Sandglass payments",
  github: "GitHub",
  gitlab: "GitLab",
  lemonsqueezy: "Lemon Squeezy",
  revenuecat: "RevenueCat",
  workos: "WorkOS",
};

/** A sender by its own name: `Stripe`, `GitHub`, `Standard Webhooks`. */
export const senderTitle = (name: string): string =>
  Object.hasOwn(TITLES, name)
    ? TITLES[name]!
    : name.replaceAll("-", " ").replaceAll(/\b\w/g, (letter) => letter.toUpperCase());

const WEEKDAYS = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];

export const toMs = (iso: string): number => Date.parse(iso);

/** `2026-01-15`. */
export function dateText(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

/** `Thu 15 Jan 2026`. */
export function longDate(ms: number): string {
  const at = new Date(ms);
  return `${WEEKDAYS[at.getUTCDay()]} ${dayText(ms)} ${at.getUTCFullYear()}`;
}

export const stamp = (ms: number): string => `${dateText(ms)} ${timeText(ms)}`;

/** With milliseconds, where order within a second matters. */
export const exactStamp = (ms: number): string => new Date(ms).toISOString().slice(0, 23).replace("T", " ");

/** As short as it can be: the time alone for an instant of the same day as `now`. */
export function brief(ms: number, now: number): string {
  if (Math.floor(ms / DAY) === Math.floor(now / DAY)) return timeText(ms);
  const year = new Date(ms).getUTCFullYear();
  return `${dayText(ms)}${year === new Date(now).getUTCFullYear() ? "" : ` ${year}`} ${timeText(ms)}`;
}

/** `in 48 s`, `48 s ago`, `now`. */
export function relative(ms: number, now: number): string {
  const away = ms - now;
  if (Math.abs(away) < SECOND) return "now";
  const length = roughly(Math.round(Math.abs(away) / SECOND) * SECOND);
  return away > 0 ? `in ${length}` : `${length} ago`;
}

/** Whether a text has each word of a search, whatever their case and order. */
export function hasWords(text: string, search: string): boolean {
  const lower = text.toLowerCase();
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => lower.includes(word));
}
