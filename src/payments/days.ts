import { DAY, iso } from "../world/duration.ts";

/** The UTC date of an instant: `2026-01-15`. */
export function dayOf(at: number): string {
  return iso(at).slice(0, 10);
}

/** The last `count` UTC days up to `now`, oldest first. Days before 1970 are left out. */
export function daysUntil(now: number, count: number): string[] {
  const days: string[] = [];
  for (let at = Math.max(now - (count - 1) * DAY, 0); at <= now; at += DAY) days.push(dayOf(at));
  return days;
}
