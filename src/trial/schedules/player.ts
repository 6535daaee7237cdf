import { expectsAll } from "../findings/finding-schema.ts";
import { playCalm } from "./calm.ts";
import { Stopped } from "./exploration.ts";
import { createJudge, type Judge } from "./judge.ts";
import type { Crew, ExploreOptions } from "./options.ts";
import type { Stage } from "./run.ts";
import { createRuns, hasMissed, type Played, type Runs } from "./runs.ts";
import type { Schedule } from "./schedule.ts";
import type { IdleEvents } from "./stand-ins.ts";
import { AnswerChanged, wireRoot } from "./wire.ts";

/** A server under test with its calm run, which plays schedules of a story. */
export interface Player {
  stage: Stage;
  runs: Runs;
  judge: Judge;
  /** As `Calm` has them. */
  isConfirmed: boolean;
  idle: IdleEvents;
  took: number;
}

type PlayerOptions = Pick<ExploreOptions, "budget" | "ignore" | "only">;

/** Plays the calm run of a stage. @throws as `playCalm` */
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

/** Another server that plays schedules of a story at the same time. */
export interface Helper {
  /** Its player, once its calm run has ended; undefined if it cannot take part. */
  player: Promise<Player | undefined>;
  /** Ends what it plays. */
  stop(): void;
}

/**
 * Lets the servers of a crew play the calm run of a story.
 * @param openStage opens the story for a server, until the signal is aborted
 * @throws as `openPlayer` for a crew that a person asked for
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
 * Plays a schedule with a helper.
 * @returns undefined if the first server must judge it, because the run is wrong or was disturbed
 * @throws whatever shows that the helper's server no longer works
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
