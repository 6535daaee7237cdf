import { isDeepStrictEqual } from "node:util";
import type { Color, Paint } from "../../reports/terminal.ts";
import { drawingLines, legendLines } from "../../reports/timeline/text.ts";
import { formatDuration } from "../../timeline/duration.ts";
import { timesOf } from "../../timeline/instant.ts";
import { clip, count, plain, wrap } from "../../timeline/text.ts";
import type { SentAttempt } from "../schedules/attempt.ts";
import type { Exploration, Finding, Flaky, Level, Survey } from "../schedules/exploration.ts";
import type { DrawnRun } from "../schedules/run.ts";
import { attemptWords, pathWords, shown } from "../schedules/words.ts";
import { ignoreWords } from "../subject/ignore-words.ts";
import { countFields, type Difference, withoutPlace } from "../subject/state.ts";
import { headline, oftenWords } from "./headline.ts";
import { type Noted, noteWords, unmovingWords } from "./notes.ts";
import { partingRows } from "./parting.ts";
import {
  coverageWords,
  isAlone,
  levelWords,
  mainOf,
  statementWords,
  surveyVerdict,
  surveyWords,
  type Verdict,
  verdictOf,
  verdictWords,
} from "./verdict.ts";
import { drawingsOf } from "./view.ts";
import { weaveLines, weaveOf } from "./weave.ts";

export { UNPAINTED } from "../../reports/terminal.ts";

export interface LinesOptions {
  paint: Paint;
  /** The line width in characters; 80 by default. Timelines use all of it, sentences at most 100. */
  width?: number | undefined;
  /** Whether to name options as in the library instead of as flags. */
  inCode?: boolean | undefined;
}

const DEFAULT_WIDTH = 80;
const PROSE_WIDTH = 100;
const MOST_ATTEMPTS = 24;
/** If there are more than twice as many attempts, only the first and last ones are shown. */
const SHOWN_ATTEMPTS = 6;
const MOST_DIFFERENCES = 6;
const INDENT = "  ";
const LABEL = "State  ";
const CALM = "when all goes well";

const lagWords = (ms: number): string =>
  ms === 0 ? "" : ` It still changes ${formatDuration(ms)} after a response, so each run waits for that.`;

const VERDICTS: Record<Verdict, string> = {
  found: "found",
  nothing_found: "nothing found",
  not_deterministic: "not deterministic",
  inconclusive: "cannot tell",
};

/** A survey as terminal lines: one line per story, and the finding or the differing runs. */
export function surveyLines(survey: Survey, options: LinesOptions): string[] {
  const main = mainOf(survey);
  if (main && isAlone(survey)) return explorationLines(main, options);
  const { explorations, unplayed } = survey;
  const { paint, width } = options;
  const column = Math.max(
    ...[...explorations.map(({ story }) => story), ...unplayed].map(({ name }) => name.length),
  );
  const lines = [
    ...explorations.map((one) => {
      const verdict = verdictOf(one);
      // This story's exploration ended early because another story had a finding.
      const isShort = verdict === "inconclusive" && one.unknownCalls.length === 0 && main?.finding;
      const words = isShort ? "nothing found so far" : VERDICTS[verdict];
      return `${one.story.name.padEnd(column)}  ${coverageWords(one.levels)}   ${paintOf(verdict, paint)(words)}`;
    }),
    ...unplayed.flatMap(({ name, reason, failed }) =>
      wrap(reason, textWidth(width) - column - 2).map(
        (line, index) =>
          `${(index === 0 ? name : "").padEnd(column)}  ${failed ? paint.yellow(line) : paint.dim(line)}`,
      ),
    ),
    "",
  ];
  const verdict = surveyVerdict(survey);
  if (main?.finding)
    return explorations
      .filter(({ finding }) => finding)
      .flatMap((one, index) => [...(index === 0 ? lines : [""]), ...explorationLines(one, options)]);
  if (main?.flaky) return [...lines, ...explorationLines(main, options)];
  const noted = {
    reordered: onceEach(explorations.flatMap(({ reordered }) => reordered)),
    ownPlaces: onceEach(explorations.flatMap(({ ownPlaces }) => ownPlaces)),
    unwatched: explorations.some(({ unwatched }) => unwatched),
    revivals: explorations.reduce((sum, { revivals }) => sum + revivals, 0),
    accepted: [...new Set(explorations.flatMap(({ accepted }) => accepted))],
  };
  return [
    ...lines,
    ...noteLines(noted, options),
    ...[unmovingWords(explorations)]
      .filter(Boolean)
      .flatMap((note) => wrap(note, textWidth(width)).map(paint.dim)),
    ...wrap(surveyWords(survey, options.inCode ? "budget" : "--budget"), textWidth(width)).map(
      paintOf(verdict, paint),
    ),
  ];
}

const onceEach = <One extends { path: string }>(all: readonly One[]): One[] => [
  ...new Map(all.map((one) => [one.path, one])).values(),
];

const paintOf = (verdict: Verdict, paint: Paint): Color =>
  verdict === "nothing_found" ? paint.green : verdict === "found" ? paint.red : paint.yellow;

/** Notes on what was not observed, and on what was not counted as a difference. */
const noteLines = (noted: Noted, { paint, inCode, width }: LinesOptions): string[] =>
  noteWords(noted, inCode ? "ordered" : "subject.ordered").flatMap((note) =>
    wrap(plain(note), textWidth(width)).map(paint.dim),
  );

/** An exploration as terminal lines. See docs/explore.md, "What it prints". */
export function explorationLines(exploration: Exploration, options: LinesOptions): string[] {
  const { calm, levels, finding, others, flaky, story } = exploration;
  const { paint } = options;
  const events = new Set(calm.attempts.map(({ eventId }) => eventId)).size;
  const found = (finding ? [finding, ...others] : []).map(({ run }) => run.schedule.length);
  const unused = withoutPlace([...exploration.ignore, ...exploration.ordered], calm.state);
  const inside = statementWords(exploration);
  const lines = [
    `Story ${paint.bold(plain(story.name))}: ${count(events, "event")}, ${count(calm.attempts.length, "attempt")} in the calm run. State has ${count(countFields(calm.state, exploration.ignore), "field")}.${lagWords(calm.lag)}`,
    ...(inside === "" ? [] : wrap(plain(inside), textWidth(options.width))),
    ...(unused.length > 0 ? [paint.yellow(`The state has nothing at: ${unused.map(plain).join(", ")}`)] : []),
    ...levels
      .filter(({ deviations, schedules }) => schedules !== null || !found.some((least) => least < deviations))
      .map((level) => levelLine(level, found.includes(level.deviations), paint)),
    ...noteLines(exploration, options),
    "",
  ];
  if (flaky && !finding) return [...lines, ...flakyLines(exploration, flaky, options)];
  const verdict = paintOf(exploration.stopped ? "inconclusive" : verdictOf(exploration), paint);
  if (!finding) return [...lines, verdict(verdictWords(exploration, options.inCode ? "budget" : "--budget"))];
  const all = [finding, ...others].flatMap((one) => ["", ...findingLines(one, calm, options)]);
  return [...lines, ...all.slice(1)];
}

function levelLine(level: Level, found: boolean, paint: Paint): string {
  const { deviations, schedules, tried } = level;
  const head = `${count(deviations, "deviation").padEnd(12)}  ${levelWords(level)}`;
  if (schedules === null) return paint.dim(head);
  const cut = tried < schedules;
  return `${head}   ${found ? paint.red("found") : cut ? paint.yellow("cut off") : paint.green("nothing found")}`;
}

function flakyLines(
  exploration: Exploration,
  { differences }: Flaky,
  { paint, width, inCode }: LinesOptions,
): string[] {
  const verdict = paint.yellow(verdictWords(exploration));
  if (differences.length === 0)
    return [verdict, "Check your server's log to find out why it responded differently."];
  return [
    verdict,
    ...differenceLines(differences, paint, textWidth(width), ["one run", "another"]),
    ...wrap(ignoreWords(differences)[inCode ? "library" : "command"], textWidth(width)),
  ];
}

/** A finding as lines: its meaning, the story, the state, the reason and both timelines. */
function findingLines(finding: Finding, calm: DrawnRun, options: LinesOptions): string[] {
  const { paint, width = DEFAULT_WIDTH } = options;
  const { run, differences, invariant } = finding;
  const why = wrap(plain(finding.why), textWidth(width) - 5);
  const often = oftenWords(finding);
  const alike =
    finding.alike === 0 ? [] : [`${count(finding.alike, "other schedule")} failed in the same way.`];
  return [
    paint.bold(paint.red(plain(headline(finding)))),
    ...(often === "" ? [] : [paint.yellow(often)]),
    ...attemptLines(run.attempts, paint),
    ...differenceLines(differences, paint, textWidth(width)),
    ...(invariant && !invariant.isEnd
      ? wrap(`Invariant: ${plain(invariant.message)}`, textWidth(width) - 2).map((line) => INDENT + line)
      : []),
    ...alike.map(paint.dim),
    ...partingLines(finding, paint, textWidth(width)),
    ...statementLines(run, paint, textWidth(width)),
    ...why.map((line, index) => (index === 0 ? `${paint.bold("Why:")} ${line}` : `     ${line}`)),
    ...timelines(calm, run, paint, width),
  ];
}

const textWidth = (width = DEFAULT_WIDTH): number => Math.min(width, PROSE_WIDTH);

/** The calm run above the found run, on one axis; empty if everything happens at one instant. */
function timelines(calm: DrawnRun, found: DrawnRun, paint: Paint, width: number): string[] {
  const { instants, drawings } = drawingsOf(calm, found);
  const isCalm = found.schedule.length === 0;
  if (isCalm || new Set(found.attempts.map(({ at }) => at)).size < 2) return [];
  return [
    ...drawings.flatMap(({ title, excerpt }) => [
      "",
      paint.bold(title),
      ...drawingLines(excerpt, { paint, width, instants }),
    ]),
    "",
    ...legendLines({ paint, width }, [paint.red("[lost]"), "the request or its response was lost"]),
  ];
}

function attemptLines(attempts: readonly SentAttempt[], paint: Paint): string[] {
  const width = Math.max(...attempts.map(({ event }) => event.length));
  const instants = attempts.map(({ at }) => at);
  const times = instants.map(timesOf(instants));
  const longest = Math.max(...times.map(({ length }) => length));
  const lines = attempts.flatMap((attempt, index) => {
    if (attempt.background) {
      // Background traffic gets a single line, where it starts.
      if (attempts[index - 1]?.background) return [];
      const after = attempts.findIndex((other, position) => position > index && !other.background);
      const length = (after < 0 ? attempts.length : after) - index;
      return [
        `${INDENT} …  ${paint.dim(times[index]!.padStart(longest))}  ${count(length, "delivery", "deliveries")} for other orders`,
      ];
    }
    const color = attempt.deviation ? paint.yellow : attempt.failed ? paint.red : paint.green;
    return [
      `${INDENT}${String(index + 1).padStart(2)}`,
      paint.dim(times[index]!.padStart(longest)),
      plain(attempt.event).padEnd(width),
      attempt.trigger === "test" ? "test     " : `attempt ${attempt.attempt}`,
      color(attemptWords(attempt, index)),
    ].join("  ");
  });
  if (lines.length <= MOST_ATTEMPTS) return lines;
  const left = count(lines.length - 2 * SHOWN_ATTEMPTS, "more attempt");
  return [...lines.slice(0, SHOWN_ATTEMPTS), `${INDENT}… ${left}`, ...lines.slice(-SHOWN_ATTEMPTS)];
}

/** Each delivery's changes, next to the calm run's where they differ. */
function partingLines(finding: Finding, paint: Paint, width: number): string[] {
  const rows = partingRows(finding);
  if (rows.length === 0) return [];
  const beside = (title: string, changes: readonly string[], color: Color) =>
    changes.map((one, index) => {
      const head = `${INDENT}      ${(index === 0 ? title : "").padEnd(CALM.length)}  `;
      return head + color(clip(plain(one), width - head.length));
    });
  return [
    `${INDENT}${paint.bold("What each delivery changed")}`,
    ...rows.flatMap(({ attempts, event, calm, found, parts }) => {
      const head = `${INDENT}${attempts.join("+").padStart(2)}  ${plain(event)}`;
      if (isDeepStrictEqual(calm, found) && !parts)
        return [`${head}  ${paint.dim(clip(plain(found.join(", ")), width - head.length - 2))}`];
      const mark = parts ? `  ${paint.red("← the runs diverge here")}` : "";
      return [head + mark, ...beside(CALM, calm, paint.green), ...beside("as found", found, paint.red)];
    }),
  ];
}

function statementLines(run: DrawnRun, paint: Paint, width: number): string[] {
  const weave = weaveOf(run);
  if (!weave) return [];
  const [head, ...rows] = weaveLines(weave, width - INDENT.length);
  const isMark = (row: string): boolean => /^\s*-- .* --$/.test(row);
  return [
    `${INDENT}${paint.bold("What the database saw")}`,
    INDENT + paint.dim(head!),
    ...rows.map((row) => INDENT + (isMark(row) ? paint.red(row) : row)),
  ];
}

/** Each difference on one line, or on three lines if any is too long. */
function differenceLines(
  differences: readonly Difference[],
  paint: Paint,
  width: number,
  [expected, actual] = ["expected", "got"],
): string[] {
  const lines = differences.slice(0, MOST_DIFFERENCES).flatMap((one) => {
    const [path, left, right] = [pathWords(one.path), shown(one.expected), shown(one.actual)].map(plain);
    const line = `${path}   ${expected} ${left}, ${actual} ${right}`;
    if (INDENT.length + LABEL.length + line.length <= width) return [`${INDENT}${paint.dim(LABEL)}${line}`];
    return [
      `${INDENT}${paint.dim(LABEL)}${path}`,
      `${INDENT}${" ".repeat(LABEL.length)}${paint.green(`- ${expected} ${left}`)}`,
      `${INDENT}${" ".repeat(LABEL.length)}${paint.red(`+ ${actual} ${right}`)}`,
    ];
  });
  const left = differences.length - MOST_DIFFERENCES;
  return left > 0
    ? [...lines, `${INDENT}${" ".repeat(LABEL.length)}and ${count(left, "more difference")}`]
    : lines;
}
