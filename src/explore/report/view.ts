import { SandboxError } from "../../errors/errors.ts";
import { iso } from "../../world/duration.ts";
import type { SentAttempt } from "../attempt.ts";
import type { Exploration, Finding } from "../exploration.ts";
import { attemptWords } from "../words.ts";
import { headline } from "./headline.ts";
import { savedScenario } from "./scenario.ts";
import { verdictWords } from "./verdict.ts";

/** An exploration as the control API returns it, for the page. */
export type ExplorationView = ReturnType<typeof explorationView>;

export function explorationView(exploration: Exploration) {
  const { levels, flaky, finding, stopped, seed, wallMs } = exploration;
  return {
    verdict: verdictWords(exploration),
    levels: levels.map(({ deviations, schedules, tried, alike, undelivered }) => ({
      deviations,
      schedules,
      tried,
      alike,
      undelivered,
    })),
    stopped,
    seed,
    duration_ms: Math.round(wallMs),
    unstable: flaky ? flaky.differences.map(differenceView) : null,
    finding: finding && findingView(exploration, finding),
  };
}

function findingView(exploration: Exploration, finding: Finding) {
  const { run, differences, invariant, why } = finding;
  return {
    title: headline(finding),
    deviations: run.schedule.map(({ at, kind }) => ({ attempt: at + 1, kind })),
    attempts: run.attempts.map(attemptView),
    differences: differences.map(differenceView),
    invariant: invariant?.message ?? null,
    why,
    timelines: { calm: exploration.calm.timeline, found: run.timeline },
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
