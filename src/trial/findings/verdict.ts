import { roughly } from "../../timeline/duration.ts";
import { count, listed } from "../../timeline/text.ts";
import { type Exploration, type Level, type Survey, sumOfCounts } from "../schedules/exploration.ts";
import { UNKNOWN_CALLS_HINT, unknownCallWords } from "./unknown-calls.ts";

/** An exploration's verdict. `nothing_found` requires compared states for all schedules with one deviation. */
export type Verdict = "found" | "nothing_found" | "not_deterministic" | "inconclusive";

/** The number of schedules whose final state was compared with the calm run's. */
export const comparedIn = (levels: readonly Level[]): number =>
  levels.reduce((sum, one) => sum + one.tried - one.undelivered - one.unreached - one.oneProcess, 0);

/** The fraction of schedules with a deviation inside a handler that may miss their statement. */
const MOST_UNREACHED = 0.05;

const eventsIn = ({ calm }: Pick<Exploration, "calm">): number =>
  new Set(calm.attempts.map(({ eventId }) => eventId)).size;

const triedIn = (levels: readonly Level[]): number => levels.reduce((sum, { tried }) => sum + tried, 0);

export function verdictOf(exploration: Exploration): Verdict {
  if (exploration.finding) return "found";
  if (exploration.unknownCalls.length > 0) return "inconclusive";
  if (exploration.flaky) return "not_deterministic";
  return doubtIn(exploration) === undefined ? "nothing_found" : "inconclusive";
}

/** The name of the budget option. In the library, it has no dashes. */
type BudgetOption = "--budget" | "budget";

/** Why the evidence is insufficient to rule out a difference; undefined if it is sufficient. */
function doubtIn(
  { story, levels, stopped, wallMs, shard, unknownCalls }: Exploration,
  option: BudgetOption = "--budget",
): string | undefined {
  if (unknownCalls.length > 0)
    return `${unknownCallWords(unknownCalls, story.sender!.named)} ${UNKNOWN_CALLS_HINT}`;
  const [first] = levels;
  if (first!.schedules === null || first!.tried < first!.schedules) {
    const rest = "before all schedules with 1 deviation were tried";
    const needed = (wallMs * first!.schedules!) / first!.tried;
    const pace = Number.isFinite(needed) ? ` At this pace they take ${roughly(needed)}.` : "";
    return stopped === "cancelled"
      ? `It was cancelled ${rest}.`
      : `The budget ran out after ${roughly(wallMs)}, ${rest}; ${option} extends it.${pace}`;
  }
  const { inside, unreached } = sumOfCounts(levels);
  if (unreached > MOST_UNREACHED * inside)
    return `${unreached} of ${count(inside, "schedule")} inside the handler did not reach their statement, because the handler's statements differ from run to run.`;
  if (comparedIn(levels) > 0) return undefined;
  if (first!.schedules === 0)
    return shard === null
      ? "The story has no delivery that a deviation could affect."
      : `No schedule of ${story.name} is in part ${shard}: there are fewer schedules than parts. That is fine once this part is merged with the others.`;
  return `No state was compared: each of the ${count(triedIn(levels), "schedule")} left an event undelivered that arrives when everything goes well.`;
}

/**
 * The exploration to report: one with a finding or differing runs, or else the first. Undefined if no calm run
 * succeeded.
 */
export const mainOf = ({ explorations }: Survey): Exploration | undefined =>
  explorations.find(({ finding, flaky }) => finding ?? flaky) ?? explorations[0];

export function surveyVerdict(survey: Survey): Verdict {
  const verdicts = new Set(survey.explorations.map(verdictOf));
  if (verdicts.has("found")) return "found";
  if (verdicts.has("not_deterministic")) return "not_deterministic";
  const isOpen = openIn(survey).length > 0 || survey.unplayed.some(({ failed }) => failed);
  return isOpen ? "inconclusive" : "nothing_found";
}

/** The inconclusive explorations. A shard may contain no schedule of one story if it contains some of another. */
function openIn({ explorations }: Survey): Exploration[] {
  const isEmpty = ({ shard, levels }: Exploration) => shard !== null && levels[0]!.schedules === 0;
  const played = explorations.filter((one) => !isEmpty(one));
  return (played.length > 0 ? played : explorations).filter((one) => verdictOf(one) === "inconclusive");
}

/** Describes a level's coverage: `61 of 342 schedules tried, 12 look like others`. */
export function levelWords(level: Level): string {
  const { schedules, tried, alike, stoodFor } = level;
  if (schedules === null) return "not started";
  return [
    `${tried} of ${count(schedules, "schedule")} tried`,
    alike > 0 ? `${alike} ${alike === 1 ? "looks" : "look"} like others` : "",
    stoodFor > 0 ? `standing for ${stoodFor} more` : "",
    ...notCompared([level]),
  ]
    .filter(Boolean)
    .join(", ");
}

function notCompared(levels: readonly Level[]): string[] {
  const { undelivered, unreached, oneProcess } = sumOfCounts(levels);
  return [
    undelivered > 0 ? `${undelivered} left something undelivered` : "",
    unreached > 0 ? `${unreached} not reached` : "",
    oneProcess > 0 ? `${oneProcess} not possible in one process` : "",
  ].filter(Boolean);
}

/** Counts the schedules represented by others, as a sentence with a leading space; empty if there are none. */
function standingWords(levels: readonly Level[]): string {
  const { stoodFor } = sumOfCounts(levels);
  return stoodFor === 0 ? "" : ` They stand for ${stoodFor} more that would end the same way.`;
}

type Made = "statement" | "call";

/** The number of database statements, or of API calls, for each attempt in the calm run. */
const madeIn = ({ calm }: Pick<Exploration, "calm">, what: Made) =>
  calm.attempts.map(({ event, statements }) => ({
    event,
    number: statements.filter(({ isSteady, of }) => isSteady && (of === "api") === (what === "call")).length,
  }));

const totalOf = (made: readonly { number: number }[]): number =>
  made.reduce((sum, { number }) => sum + number, 0);

/** Describes the number of statements by event type: `order.paid 3 to 4 (200 times), order.created 2`. */
const byType = (made: ReturnType<typeof madeIn>): string =>
  [...Map.groupBy(made, ({ event }) => event)]
    .map(([event, those]) => {
      const [least, most] = [Math.min, Math.max].map((pick) => pick(...those.map(({ number }) => number)));
      const times = those.length === 1 ? "" : ` (${those.length} times)`;
      return `${event} ${least === most ? least : `${least} to ${most}`}${times}`;
    })
    .join(", ");

/** Describes statements and calls by event type, and where crashes differ, in sentences; empty if there are none. */
export function statementWords(exploration: Pick<Exploration, "calm" | "crashPlaces">): string {
  const sentence = (what: Made, where: string): string[] => {
    const made = madeIn(exploration, what);
    const total = totalOf(made);
    return total === 0 ? [] : [`The server makes ${count(total, what)} ${where}: ${byType(made)}.`];
  };
  const { crashPlaces } = exploration;
  return [
    ...sentence("statement", "at its database"),
    ...sentence("call", "outside"),
    ...(crashPlaces > 0 ? [`A crash has a different effect at ${count(crashPlaces, "place")}.`] : []),
  ].join(" ");
}

/** Describes the coverage of all levels: `12 schedules with 1 deviation, 40 of 85 with 2`. */
export const coverageWords = (levels: readonly Level[]): string =>
  levels
    .flatMap(({ deviations, schedules, tried }, index) => {
      if (schedules === null) return [];
      const tries = tried === schedules ? String(tried) : `${tried} of ${schedules}`;
      return index === 0
        ? `${tries} ${tries === "1" ? "schedule" : "schedules"} with ${count(deviations, "deviation")}`
        : `${tries} with ${deviations}`;
    })
    .join(", ");

export function verdictWords(exploration: Exploration, option: BudgetOption = "--budget"): string {
  const { levels, finding, others, flaky, stopped, wallMs, only, shard } = exploration;
  const tried = triedIn(levels);
  if (finding) {
    const often = finding.wrong < finding.runs ? `, in ${finding.wrong} of ${finding.runs} runs` : "";
    const where = finding.run.schedule.length;
    if (others.length > 0)
      return `${count(others.length + 1, "finding")} after ${count(tried, "schedule")} in ${roughly(wallMs)}.`;
    if (where === 0) return `Found in the calm run${often}: nothing was lost or repeated in it.`;
    return `Found with ${count(where, "deviation")}${often}, after ${count(tried, "schedule")} in ${roughly(wallMs)}.`;
  }
  if (flaky) return `The subscriber is not deterministic: ${unlikeWords(flaky)}`;
  const doubt = doubtIn(exploration, option);
  if (doubt !== undefined) return `Inconclusive: ${doubt}`;
  if (only) return "No difference: this schedule ends as it does when everything goes well.";
  const complete = levels.filter(({ schedules, tried: done }) => done === schedules).at(-1)!;
  const part = shard === null ? "" : ` in part ${shard}`;
  const bound = `${part} with up to ${count(complete.deviations, "deviation")}`;
  const reasons = notCompared(levels);
  const left = reasons.length > 0 ? ` ${reasons.join(", ")} and were not compared.` : "";
  const made = (["statement", "call"] as const).flatMap((what) => {
    const total = totalOf(madeIn(exploration, what));
    return total === 0 ? [] : `${count(total, what)}, `;
  });
  const inside = made.length === 0 ? "" : `${count(eventsIn(exploration), "event")}, ${made.join("")}`;
  if (stopped === null)
    return `No difference${bound}: ${inside}all ${count(tried, "schedule")} tried in ${roughly(wallMs)}.${standingWords(levels)}${left}`;
  return `No difference in ${count(tried, "schedule")}, including all${bound}.${left} ${stopWords(exploration, option)}`;
}

const stopWords = (
  { stopped, wallMs }: Pick<Exploration, "stopped" | "wallMs">,
  option: BudgetOption,
): string =>
  stopped === "budget"
    ? `Not all schedules with more deviations were tried in ${roughly(wallMs)}; ${option} extends that.`
    : "It was cancelled.";

function unlikeWords({ answer, schedule }: NonNullable<Exploration["flaky"]>): string {
  const what = schedule.length === 0 ? "two calm runs" : "two runs of one schedule";
  if (!answer) return `${what} ended differently.`;
  const [now, earlier] = [answer.now, answer.earlier].map((status) =>
    status === null ? "no response" : String(status),
  );
  return `${answer.event} got ${now}, but ${earlier} earlier, after the same requests.`;
}

export function surveyWords(survey: Survey, option: BudgetOption = "--budget"): string {
  const { explorations, unplayed, wallMs } = survey;
  const main = mainOf(survey);
  const verdict = surveyVerdict(survey);
  if (main && (verdict === "found" || verdict === "not_deterministic" || isAlone(survey)))
    return verdictWords(main, option);
  const clean = explorations.filter((one) => verdictOf(one) === "nothing_found");
  const unplayedWords = (whether: boolean) =>
    Object.entries(
      Object.groupBy(
        unplayed.filter(({ failed }) => failed === whether),
        ({ reason }) => reason,
      ),
    ).map(([reason, those]) => `${listed(those!.map(({ name }) => name))}: ${reason}`);
  const open = [
    ...openIn(survey).map((one) => `${one.story.name}: ${doubtIn(one, option)}`),
    ...unplayedWords(true),
  ];
  const levels = clean.flatMap((one) => one.levels);
  const tried = triedIn(levels);
  const left = notCompared(levels)
    .map((reason) => `, of which ${reason}`)
    .join("");
  const none = `No difference in ${listed(clean.map(({ story }) => story.name))}: ${count(tried, "schedule")} tried in ${roughly(wallMs)}${left}.${standingWords(levels)}`;
  const cut = clean.find(({ stopped }) => stopped !== null);
  return [
    ...(open.length > 0 ? [`Inconclusive: ${open.join(" ")}`] : []),
    ...(clean.length > 0 ? [none] : []),
    ...unplayedWords(false),
    ...(open.length === 0 && cut ? [stopWords({ stopped: cut.stopped, wallMs }, option)] : []),
  ].join(" ");
}

/** Whether only one story was requested. */
export const isAlone = ({ explorations, unplayed }: Survey): boolean =>
  explorations.length + unplayed.length === 1;
