import { SandboxError } from "../../errors/errors.ts";
import { type Excerpt, excerptOf } from "../../reports/timeline/excerpt.ts";
import { instantsOf } from "../../timeline/contents.ts";
import { namingLosses } from "../../timeline/marks.ts";
import { iso } from "../../world/duration.ts";
import type { SentAttempt } from "../attempt.ts";
import type { DrawnRun, EndpointTimeline, Exploration, Finding, Level, Survey } from "../exploration.ts";
import { attemptWords } from "../words.ts";
import { headline } from "./headline.ts";
import { partingRows } from "./parting.ts";
import { savedScenario } from "./scenario.ts";
import { comparedIn, mainOf, surveyWords, verdictOf } from "./verdict.ts";

export function explorationView(survey: Survey) {
  const { explorations, unplayed, wallMs } = survey;
  const main = mainOf(survey)!;
  const { flaky, finding, stopped, seed, reordered } = main;
  return {
    verdict: surveyWords(survey),
    stories: [
      ...explorations.map((one) => ({
        ...{ name: one.story.name, title: one.story.title, verdict: verdictOf(one) },
        ...{ levels: one.levels.map(levelView), reason: null },
      })),
      ...unplayed.map(({ name, title, reason, failed }) => ({
        ...{ name, title, reason, levels: [] },
        verdict: failed ? ("inconclusive" as const) : null,
      })),
    ],
    levels: main.levels.map(levelView),
    stopped,
    seed,
    duration_ms: Math.round(wallMs),
    unstable: flaky ? flaky.differences.map(differenceView) : null,
    reordered: [...reordered],
    finding: finding && findingView(main, finding),
  };
}

/** A level with the number of schedules whose state was compared. */
export const levelView = ({ deviations, schedules, tried, alike, undelivered }: Level) => ({
  ...{ deviations, schedules, tried, alike, undelivered },
  compared: comparedIn([{ deviations, schedules, tried, alike, undelivered }]),
});

function findingView(exploration: Exploration, finding: Finding) {
  const { run, differences, invariant, runs, wrong } = finding;
  return {
    title: headline(finding),
    deviations: run.schedule.map(({ at, kind }) => ({ attempt: at + 1, kind })),
    attempts: run.attempts.map(attemptView),
    differences: differences.map(differenceView),
    parting: partingRows(finding),
    invariant: invariant?.message ?? null,
    ...{ runs, wrong },
    why: finding.why,
    timelines: { calm: exploration.calm.timeline, found: run.timeline, second: run.second },
    lost: lostOf(run.attempts),
    scenario: scenarioView(exploration),
  };
}

const attemptView = (sent: SentAttempt) => ({
  at: iso(sent.at),
  event: sent.event,
  attempt: sent.attempt,
  trigger: sent.trigger,
  failed: sent.failed,
  deviation: sent.deviation,
  result: attemptWords(sent),
});

/** A value that a state does not have is left out. */
const differenceView = ({ path, expected, actual }: Finding["differences"][number]) => ({
  path,
  ...(expected === undefined ? {} : { expected }),
  ...(actual === undefined ? {} : { actual }),
});

/** The scenario that plays the finding again; null if none can. */
function scenarioView(exploration: Exploration): { name: string; text: string } | null {
  try {
    return savedScenario(exploration);
  } catch (error) {
    if (error instanceof SandboxError) return null;
    throw error;
  }
}

/** What is drawn of an exploration with a finding: the calm run above the found one. */
interface Drawings {
  /** Everything that has a place on the axis that both share. */
  instants: number[];
  drawings: { title: string; excerpt: Excerpt }[];
}

export function drawingsOf(calm: DrawnRun, found: DrawnRun): Drawings {
  const asFound = (title: string, timeline: EndpointTimeline) => {
    const whole = excerptOf(timeline);
    return { title, excerpt: { ...whole, marks: namingLosses(whole.marks, lostOf(found.attempts)) } };
  };
  const drawings = [
    { title: "When everything goes well", excerpt: excerptOf(calm.timeline) },
    asFound("As found", found.timeline),
    ...(found.second ? [asFound("As found: the second endpoint", found.second)] : []),
  ];
  const instants = drawings.flatMap(({ excerpt }) => instantsOf(excerpt, Date.parse(excerpt.timeline.now)));
  return { instants, drawings };
}

const LOSSES = new Set<SentAttempt["deviation"]>(["lost", "timeout", "answer-lost", "outage"]);

const lostOf = (attempts: readonly SentAttempt[]): string[] =>
  attempts.filter(({ deviation }) => LOSSES.has(deviation)).map(({ id }) => id);
