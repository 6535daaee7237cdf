import { roughly } from "../story/duration.ts";
import { timeText } from "../story/instant.ts";
import { count } from "../story/text.ts";
import type { SentAttempt } from "./attempt.ts";
import type { Exploration, Level } from "./exploration.ts";
import { countFields } from "./state.ts";
import { attemptWords, differenceWords, headline, reasonFor } from "./words.ts";

type Color = (text: string) => string;
/** How words are made to stand out. */
export type Paint = Record<"bold" | "dim" | "green" | "red" | "yellow", Color>;

/** An exploration as lines for a terminal. See docs/explore.md, "What it prints". */
export function explorationLines(exploration: Exploration, paint: Paint): string[] {
  const { calm, levels, finding, flaky, story } = exploration;
  const events = new Set(calm.attempts.map(({ eventId }) => eventId)).size;
  const lines = [
    `Story ${paint.bold(story.name)}: ${count(events, "event")}, ${count(calm.attempts.length, "attempt")} in the calm run. State has ${count(countFields(calm.state), "field")}.`,
    ...levels.map((level) => levelLine(level, finding !== null && level === levels.at(-1), paint)),
  ];
  if (flaky)
    return [
      ...lines,
      "",
      paint.yellow("The subscriber is not deterministic: the same schedule ended in different states."),
      ...flaky.differences.map((one) => `  ${differenceWords(one)}`),
      "Leave out what differs by itself, such as times and random ids, with --ignore <path>.",
    ];
  if (!finding) return [...lines, "", verdictLine(exploration, paint)];
  const { run, differences } = finding;
  const last = run.schedule.at(-1)!;
  return [
    ...lines,
    "",
    paint.red(headline(differences)),
    ...attemptLines(run.attempts, paint),
    ...differences.slice(0, 5).map((one) => `  ${paint.dim("State")}  ${differenceWords(one)}`),
    ...(differences.length > 5 ? [`  and ${differences.length - 5} more differences`] : []),
    `Why: ${reasonFor(last.kind)}`,
  ];
}

function levelLine({ deviations, schedules, tried, alike }: Level, found: boolean, paint: Paint): string {
  const same = alike === 0 ? "" : `, ${alike} of them alike for the subscriber`;
  const result = found ? paint.red("found") : tried === schedules ? paint.green("nothing found") : "";
  return `${count(deviations, "deviation").padEnd(13)} ${tried} of ${schedules} schedules tried${same}   ${result}`.trimEnd();
}

function verdictLine({ levels, stopped, wallMs }: Exploration, paint: Paint): string {
  const tried = levels.reduce((sum, level) => sum + level.tried, 0);
  const complete = levels.filter((level) => level.tried === level.schedules).at(-1);
  const bound = complete === undefined ? "" : ` with up to ${count(complete.deviations, "deviation")}`;
  if (stopped === null)
    return paint.green(`No difference${bound}: all ${count(tried, "schedule")} tried in ${roughly(wallMs)}.`);
  return paint.yellow(
    `No difference in ${count(tried, "schedule")}${complete === undefined ? "" : `, all of those${bound} among them`}. It ended after ${roughly(wallMs)}${stopped === "budget" ? "; --budget gives it more time" : ""}.`,
  );
}

function attemptLines(attempts: readonly SentAttempt[], paint: Paint): string[] {
  const width = Math.max(...attempts.map(({ event }) => event.length));
  return attempts.map((attempt, index) =>
    [
      `${String(index + 1).padStart(3)} `,
      timeText(attempt.at),
      attempt.event.padEnd(width),
      `attempt ${attempt.attempt}`,
      (attempt.deviation ? paint.yellow : attempt.failed ? paint.red : paint.green)(attemptWords(attempt)),
    ].join("  "),
  );
}
