import type { ExploreFinding } from "../../library/finding.ts";
import { callAt, excuseWords, withCallWords } from "../findings/call-words.ts";
import { expectedOf, unmetIn } from "../findings/expected.ts";
import { mainDifference } from "../findings/headline.ts";
import { reasonOf } from "../findings/reason.ts";
import { assumedIn } from "../stories/sender-story.ts";
import { isOfEffects } from "../subject/effects.ts";
import type { Difference } from "../subject/state.ts";
import { changedAnswer } from "./calm.ts";
import { gatherEvidence } from "./evidence.ts";
import type { Finding, Flaky } from "./exploration.ts";
import { madeCallsOf, namerOf } from "./made-calls.ts";
import type { DrawnRun, Run, Stage } from "./run.ts";
import { CALM_RUNS, CONFIRMATIONS, isStuck, type Runs } from "./runs.ts";
import { excusesIn } from "./unavoidable.ts";

export interface Judge {
  /**
   * A run's state differences from the calm run. For a saved finding, only the places listed in its file are compared.
   */
  differencesOf(run: Run): Difference[];
  isWrong(run: Run): boolean;
  /** Descriptions of accepted differences that no handler can avoid, one per service. */
  accepted(): ReadonlyMap<string, string>;
  /**
   * Determines whether a faulty schedule always goes wrong or only sometimes.
   * @param drawn a run of the same schedule from its beginning
   */
  confirm(run: Run, drawn: DrawnRun): Promise<{ finding: Finding } | { flaky: Flaky }>;
}

/** @param saved the finding that is being replayed */
export function createJudge(
  stage: Stage,
  { calm, playAgain, checkAnswers, findUnlike }: Runs,
  saved: ExploreFinding | undefined,
): Judge {
  const { comparison, story } = stage;
  const accepted = new Map<string, string>();

  function differencesOf(run: Run): Difference[] {
    if (!run.delivered) return [];
    return asCalls(
      run,
      saved
        ? unmetIn(comparison, saved.expect ?? {}, calm.state, run.state)
        : comparison.differences(calm.state, run.state),
    );
  }

  /** Removes differences that no handler can avoid, and adds descriptions to differences in calls. */
  function asCalls(run: Run, differences: readonly Difference[]): Difference[] {
    if (!differences.some(({ path }) => isOfEffects(path))) return [...differences];
    const named = namerOf(calm, run.attempts, comparison.names.name);
    const ofCalm = madeCallsOf(calm, namerOf(calm, calm.attempts, comparison.names.name));
    const ofRun = madeCallsOf(run, named);
    const excuses = excusesIn(calm, run).map((one) => ({ ...one, effect: named(one.effect) }));
    return differences.flatMap((one) => {
      const { expected, actual } = one;
      const call = callAt(one, [...ofCalm, ...ofRun]);
      if (!call) return one;
      const more = Number(actual) - Number(expected);
      const excusing = excuses.filter(
        ({ effect, how }) =>
          effect.service === call.service &&
          effect.key === call.key &&
          how === (more > 0 ? "again" : "never"),
      );
      if (excusing.length === 0 || !(excusing.length >= Math.abs(more)))
        return withCallWords(one, ofCalm, ofRun);
      for (const excuse of excusing) accepted.set(`${call.service} ${excuse.how}`, excuseWords(excuse));
      return [];
    });
  }

  /** All differences of a faulty run, including places that the finding file does not mention. */
  function allDifferencesOf(run: Run): Difference[] {
    const unmet = differencesOf(run);
    if (!saved || unmet.length === 0) return unmet;
    const all = asCalls(run, comparison.differences(calm.state, run.state));
    return [...unmet.filter(({ path }) => all.every((one) => one.path !== path)), ...all];
  }

  const refusedIn = ({ refused }: Run) =>
    saved ? refused.filter(({ event }) => saved.accepted?.includes(event)) : refused;

  const isWrong = (run: Run): boolean =>
    run.broken !== null || refusedIn(run).length > 0 || differencesOf(run).length > 0;

  async function findingOf(
    run: Run,
    drawn: DrawnRun,
    often: Pick<Finding, "runs" | "wrong">,
  ): Promise<Finding> {
    const differences = allDifferencesOf(run);
    // On a server that responds to nothing, further runs would show nothing.
    const place = isStuck(run) ? undefined : mainDifference(differences, run);
    const evidence = place ? await gatherEvidence(stage, calm, run, place) : null;
    return {
      run: { ...drawn, refused: refusedIn(drawn) },
      ...{ differences, invariant: run.broken, steps: evidence?.steps ?? [] },
      expected: run.delivered ? expectedOf(comparison, calm.state, run.state) : [],
      why: reasonOf(calm, run, differences, evidence, story.by) + assumedIn(story, run.schedule),
      ...{ ...often, alike: 0 },
    };
  }

  return {
    ...{ differencesOf, isWrong, accepted: () => accepted },
    async confirm(run, drawn) {
      let wrong = 1;
      // A server that stops responding takes long in each run, and has already done so after a restart.
      const times = isStuck(run) ? 1 : CONFIRMATIONS;
      for (let time = 0; time < times; time += 1) {
        const again = await playAgain(run);
        const answer = changedAnswer(run, again);
        if (answer) {
          await checkAnswers(again);
          return { flaky: { schedule: run.schedule, differences: [], answer } };
        }
        if (isWrong(again)) wrong += 1;
      }
      // A random fault may occur in the calm run, too.
      const flaky = wrong > times ? undefined : await findUnlike(CALM_RUNS);
      return flaky ? { flaky } : { finding: await findingOf(run, drawn, { runs: 1 + times, wrong }) };
    },
  };
}
