import { roughly } from "../../timeline/duration.ts";
import { count } from "../../timeline/text.ts";
import type { Level } from "../../trial/schedules/exploration.ts";
import { wallNow } from "../../world/clock.ts";
import { MINUTE } from "../../world/duration.ts";
import { handsome, note, passing } from "../output.ts";

/**
 * Shows an exploration's progress in a line that is replaced or, without a terminal, in a line each minute, so that a long
 * job does not look stuck. It estimates the remaining time for schedules with one deviation, because those are always
 * explored completely.
 * @param now the time in milliseconds
 */
export function progressShower(now = wallNow): (progress: Level & { story: string }) => void {
  let first: { story: string; tried: number; at: number } | undefined;
  let printed = now();
  return ({ story, deviations, tried, schedules }) => {
    if (first?.story !== story) first = { story, tried, at: now() };
    const pace = (now() - first.at) / (tried - first.tried);
    const left = pace * (schedules! - tried);
    const estimate =
      deviations === 1 && left > 0 && Number.isFinite(left) ? `, about ${roughly(left)} left` : "";
    const line = `${story}  ${count(deviations, "deviation")}  ${tried} of ${schedules} schedules${estimate}`;
    passing(line);
    if (handsome || now() - printed < MINUTE) return;
    printed = now();
    note(line);
  };
}
