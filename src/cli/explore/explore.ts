import { misuse } from "../../errors/errors.ts";
import { trialOf } from "../../trial/report/trial.ts";
import type { Invocation } from "../command.ts";
import { print } from "../output.ts";
import { printTrial, writeReports } from "../trial/reports.ts";
import type { TrialFlags } from "../trial/subject.ts";
import * as trials from "../trial/trial.ts";

export interface ExploreFlags extends TrialFlags {
  merge?: string;
  restore?: boolean;
  keep?: boolean;
  demo?: boolean;
}

/**
 * `sandglass explore`: exits with 1 if a schedule breaks the subscriber, with 3 if the subscriber cannot be explored,
 * and with 130 if the command was stopped without a result.
 */
export async function run({ args: [subscriber], options }: Invocation<ExploreFlags>): Promise<number> {
  if (options.demo) {
    const { demo } = await import("./demo.ts");
    return demo(subscriber, options);
  }
  if (options.restore || options.keep) {
    const [{ isTables }, { decide }] = await Promise.all([
      import("../../trial/database/source.ts"),
      import("../../trial/database/abandoned.ts"),
    ]);
    const [flag, how] = options.restore ? (["--restore", "restore"] as const) : (["--keep", "keep"] as const);
    if (options.restore && options.keep)
      throw misuse(
        "Pass either --restore or --keep, not both.",
        "--restore restores all tables to their state at the start of the trial; --keep leaves them as they are.",
      );
    if (options.state === undefined || !isTables(options.state))
      throw misuse(
        `${flag} requires a database URL in --state.`,
        `For example: ${flag} --state sqlite:shop.db`,
      );
    print(await decide(options.state, how));
    return 0;
  }
  if (options.merge !== undefined)
    return (await import("../trial/merge.ts")).reportMerged(options.merge, options);
  return trials.withSubject("explore", subscriber, options, (opened) => exploreOpened(opened, options));
}

/**
 * Replays the saved findings and reports the result. Explores unless one of them still fails, or always with `all`.
 * @returns the exit code
 */
async function exploreOpened(opened: trials.Opened, options: ExploreFlags): Promise<number> {
  const { shard, all } = opened.plan;
  const played = shard ? [] : await trials.playSaved(opened);
  const known = trials.stillThere(played);
  const survey =
    known.length > 0 && !all
      ? { explorations: known, unplayed: [], wallMs: known.reduce((sum, { wallMs }) => sum + wallMs, 0) }
      : await trials.explore(opened, known, options.json);
  if (known.length > 0 && all) survey.explorations.unshift(...known);
  const { json } = options;
  const trial = trialOf({ played, survey, outside: trials.outsideOf(opened) });
  const found = await trials.saveFound(survey, played, opened.facts);
  await printTrial(trial, { json, isTest: false, found, part: await trials.partOfIt(opened) });
  if (!json) for (const line of trials.savedLines(found, opened.facts, options)) print(line);
  if (!json && known.length > 0 && !all)
    print("\nNothing else was explored because a saved finding still fails. To continue anyway, add --all.");
  return writeReports(trial, options);
}
