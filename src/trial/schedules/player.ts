import { expectsAll } from "../findings/finding-schema.ts";
import { type Calm, playCalm } from "./calm.ts";
import { Stopped } from "./exploration.ts";
import { createJudge, type Judge } from "./judge.ts";
import type { Crew, ExploreOptions } from "./options.ts";
import type { Stage } from "./run.ts";
import { createRuns, hasMissed, type Played, type Runs } from "./runs.ts";
import type { Schedule } from "./schedule.ts";
import { AnswerChanged, wireRoot } from "./wire.ts";

/** A server under test that has completed the calm run, and on which a story's schedules run. */
export interface Player extends Omit<Calm, "calm"> {
  stage: Stage;
  runs: Runs;
  judge: Judge;
}

type PlayerOptions = Pick<ExploreOptions, "budget" | "ignore" | "only">;

/** Runs a stage's calm run. @throws like `playCalm` */
export async function openPlayer(stage: Stage, options: PlayerOptions): Promise<Player> {
  const root = wireRoot();
  const { calm, ...rest } = await playCalm(stage, options, root);
  const runs = createRuns(stage, calm, root);
  const saved = options.only?.data;
  return {
    ...rest,
    ...{ stage, runs, judge: createJudge(stage, runs, saved && !expectsAll(saved) ? saved : undefined) },
  };
}

/** An additional server that tries a story's schedules concurrently. */
export interface Helper {
  /** Resolves with the helper's player after its calm run; undefined if the helper cannot take part. */
  player: Promise<Player | undefined>;
  /** Stops the helper's current run. */
  stop(): void;
}

/**
 * Runs a story's calm run on a crew's servers.
 * @param openStage opens the story for a server, until the signal is aborted
 * @throws like `openPlayer`, if the user asked for the crew
 */
export async function openHelpers(
  crew: Crew,
  subjects: Awaited<ReturnType<Crew["open"]>>,
  openStage: (subject: (typeof subjects)[number], signal: AbortSignal) => Promise<Stage>,
  options: PlayerOptions,
): Promise<Helper[]> {
  const helpers = subjects.map((subject) => {
    const end = new AbortController();
    return {
      player: openStage(subject, end.signal).then((stage) => openPlayer(stage, options)),
      stop: () => end.abort(new Stopped("cancelled")),
    };
  });
  if (!crew.isAsked)
    return helpers.map(({ player, stop }) => ({ player: player.catch(() => undefined), stop }));
  const failed = (await Promise.allSettled(helpers.map(({ player }) => player))).find(
    ({ status }) => status === "rejected",
  );
  if (failed?.status === "rejected") throw failed.reason;
  return helpers;
}

/**
 * Runs a schedule on a helper.
 * @returns undefined if the first server must judge it, because the run went wrong or was disturbed
 * @throws any error that shows that the helper's server no longer works
 */
export async function playPlain(
  { stage, runs, judge }: Player,
  schedule: Schedule,
): Promise<Played | undefined> {
  try {
    const played = await runs.playSchedule(schedule);
    const isPlain = !judge.isWrong(played.run) && !hasMissed(played.run);
    return isPlain && (await stage.unknownCalls()).length === 0 ? played : undefined;
  } catch (error) {
    if (error instanceof AnswerChanged) return undefined;
    throw error;
  }
}
