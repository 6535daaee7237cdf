import { plain, plainLines, wrap } from "../../timeline/text.ts";
import { reportLines } from "../check/lines.ts";
import { playedLines } from "../findings/played-report.ts";
import { type LinesOptions, surveyLines } from "../findings/report.ts";
import { outsideWords } from "../outside/words.ts";
import { playedAlone, type Trial } from "./trial.ts";

/** A trial as lines for a terminal. @param isTitled whether each part has a title */
export function trialLines(trial: Trial, options: LinesOptions, isTitled = false): string[] {
  const { paint } = options;
  const { played, check, survey, problem, outside } = trial;
  const part = (title: string, lines: readonly string[]) =>
    isTitled && lines.length > 0 ? ["", paint.bold(title), ...lines.slice(lines.findIndex(Boolean))] : lines;
  const isKnown = played.some(({ status }) => status === "failed");
  const unexplored = problem ? [paint.yellow(plain(problem.message)), ...plainLines(problem.hint)] : [];
  return [
    ...part(
      "Saved findings",
      playedAlone(trial).flatMap((one) => playedLines(one, options)),
    ),
    ...part("Check", check ? reportLines(check, paint) : []),
    ...part("Explore", unexplored),
    ...part(
      isKnown ? "Explore, in addition to the saved findings" : "Explore",
      survey ? surveyLines(survey, options) : [],
    ),
    ...outsideLines(outside, options),
  ];
}

function outsideLines(outside: Trial["outside"], { paint, width = 80 }: LinesOptions): string[] {
  const { places, notes } = outsideWords(outside);
  const prose = Math.min(width, 100);
  const lines = [
    ...places.flatMap((one) => wrap(plain(one), prose - 2).map((line) => `  ${line}`)),
    ...notes.flatMap((note) => wrap(note, prose)),
  ];
  if (lines.length === 0) return [];
  return ["", paint.bold("Outside this machine"), ...lines.map(paint.dim)];
}
