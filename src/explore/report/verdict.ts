import { roughly } from "../../story/duration.ts";
import { count } from "../../story/text.ts";
import type { Exploration, Level } from "../exploration.ts";

/** How much of a level was tried: `61 of 342 schedules tried, 12 alike for the subscriber`. */
export function levelWords({ schedules, tried, alike, undelivered }: Level): string {
  if (schedules === null) return "not begun";
  return [
    `${tried} of ${count(schedules, "schedule")} tried`,
    alike > 0 ? `${alike} alike for the subscriber` : "",
    undelivered > 0 ? `${undelivered} left something undelivered` : "",
  ]
    .filter(Boolean)
    .join(", ");
}

/** What an exploration comes to, in a sentence or two. */
export function verdictWords({ levels, finding, flaky, stopped, wallMs }: Exploration): string {
  const tried = levels.reduce((sum, level) => sum + level.tried, 0);
  if (finding)
    return `Found with ${count(finding.run.schedule.length, "deviation")}, after ${count(tried, "schedule")} in ${roughly(wallMs)}.`;
  if (flaky)
    return `The subscriber is not deterministic: ${flaky.schedule.length === 0 ? "two calm runs" : "two runs of one schedule"} ended differently.`;
  const complete = levels
    .filter(({ schedules, tried: done }) => schedules !== null && done === schedules)
    .at(-1);
  const bound = complete === undefined ? "" : ` with up to ${count(complete.deviations, "deviation")}`;
  if (stopped === null)
    return `No difference${bound}: all ${count(tried, "schedule")} tried in ${roughly(wallMs)}.`;
  const covered = complete === undefined ? "" : `, among them all${bound}`;
  const why =
    stopped === "budget"
      ? `The budget ran out after ${roughly(wallMs)}; --budget gives it more.`
      : "It was cancelled.";
  return `No difference in ${count(tried, "schedule")}${covered}. ${why}`;
}
