import { isDeepStrictEqual } from "node:util";
import { invalidState, SandboxError } from "../../errors/errors.ts";
import { wallNow } from "../../world/clock.ts";
import { leftBehind } from "./calm.ts";
import { deviationOf } from "./deviations/index.ts";
import { failedAfterEmpty } from "./empty-answer.ts";
import { type Exploration, type StopReason, sumOfCounts } from "./exploration.ts";
import { doInOrder } from "./in-order.ts";
import { play } from "./play.ts";
import { type Helper, openPlayer, playPlain } from "./player.ts";
import { count, hasEnded, type Progress, resultOf, type SessionOptions, type Trial } from "./progress.ts";
import type { DrawnRun, Run, Stage } from "./run.ts";
import { CONFIRMATIONS, isRaced, type Played } from "./runs.ts";
import {
  canHappenIn,
  extensions,
  isSameDeviation,
  likeliestFirst,
  platformKey,
  type Schedule,
  shareOf,
} from "./schedule.ts";
import { type IdleEvents, standIns } from "./stand-ins.ts";
import { AnswerChanged, type WireNode } from "./wire.ts";

export interface Session {
  calm: Run;
  /**
   * Tries a level's schedules (levels are numbered from 0) until one is a finding or the time is up. The next call continues
   * from there.
   * @param until real milliseconds; at least one schedule is tried
   * @returns `ended` if the exploration has a conclusion, `played` if the level is complete
   */
  playLevel(index: number, until: number): Promise<"ended" | "played" | "unfinished">;
  /** The result so far. @param stopped why it ends early */
  result(stopped: StopReason | null): Exploration;
}

/** A schedule's run, or why it could not run. */
type Outcome = { error: unknown } | (Played & { isWrong: boolean; unknownCalls: readonly string[] });

/**
 * Runs a story's calm run, in preparation for exploring the story.
 * @throws SandboxError `unreachable`, `invalid_state` for a failing calm run; PlatformError for a URL that the platform
 * rejects
 */
export async function openSession(stage: Stage, options: SessionOptions): Promise<Session> {
  const began = wallNow();
  const { only, shard } = options;
  const player = await openPlayer(stage, options);
  const { idle } = player;
  const { calm } = player.runs;
  const all = only ? { played: [only.schedule], stoodFor: [] } : longerThan(stage, calm, idle);
  const { played, stoodFor } = shard
    ? { played: shareOf(all.played, shard), stoodFor: shareOf(all.stoodFor, shard) }
    : all;
  const progress: Progress = {
    ...{ calm: stage.draw(calm), findings: [], flaky: undefined, wallMs: 0, next: [], idle },
    paths: new Set([calm.path ?? []].flat()),
    crashPlaces: all.played.filter(([one]) => one?.point && deviationOf(one.kind).server === "killed").length,
    unknownCalls: await stage.unknownCalls(),
    levels: Array.from({ length: only ? 1 : options.deviations }, (_, index) => ({
      deviations: only?.schedule.length ?? index + 1,
      ...{ schedules: null, ...sumOfCounts([]), ...(index === 0 && { stoodFor: stoodFor.length }) },
    })),
    schedules: likeliestFirst(played),
  };
  const trial: Trial = { ...player, options, progress, helpers: [], joined: new Set() };
  progress.wallMs += wallNow() - began;
  return {
    calm,
    async playLevel(index, until) {
      const start = wallNow();
      try {
        const hasBegun = index > 0 || progress.levels[0]!.schedules !== null;
        const isReady = progress.unknownCalls.length === 0 && (hasBegun || (await playFirst(trial)));
        if (isReady && !(await playSchedules(trial, index, until))) return "unfinished";
      } finally {
        progress.wallMs += wallNow() - start;
      }
      // There is no verdict for this story, but other stories may still reach one.
      return progress.unknownCalls.length > 0 || !hasEnded(trial) ? "played" : "ended";
    },
    result: (stopped) => resultOf(trial, stopped),
  };
}

const longerThan = (stage: Stage, { schedule, attempts, recovery }: Run, idle: IdleEvents) =>
  standIns(extensions(schedule, attempts, recovery, canHappenIn(stage)), attempts, idle);

/**
 * Checks that the calm run is reproducible, and that the requested schedule can happen.
 * @returns whether to try schedules
 */
async function playFirst(trial: Trial): Promise<boolean> {
  const { stage, options, runs, progress, isConfirmed } = trial;
  const { findUnlike, calm } = runs;
  if (hasEnded(trial)) return false;
  const flaky = isConfirmed ? undefined : await findUnlike(1);
  progress.flaky = flaky;
  // If later runs all differ in the same way, the cause is not chance but something that a reset left behind.
  if (flaky?.differences[0] && isDeepStrictEqual([await findUnlike(1), await findUnlike(1)], [flaky, flaky]))
    throw leftBehind(flaky.differences[0], stage.subject.state);
  if (!flaky && calm.broken) await options.certify(() => confirm(trial, calm, progress.calm));
  if (hasEnded(trial)) return false;
  if (options.only) await checkPossible(trial, options.only.schedule);
  return true;
}

/**
 * Maps a schedule's statements to their current numbers.
 * @throws SandboxError `invalid_state` for a schedule that cannot happen, for example because the handler changed
 */
async function checkPossible({ stage, runs, progress }: Trial, schedule: Schedule): Promise<void> {
  let before: Schedule = [];
  for (const [at, one] of schedule.entries()) {
    const { attempts, recovery } = at === 0 ? runs.calm : (await runs.playSchedule(before)).run;
    const next = extensions(before, attempts, recovery, canHappenIn(stage));
    const isMeant = (own: Schedule) => isSameDeviation(own.at(-1)!, one);
    // Older finding files do not specify the call.
    const isAtAnyCall = (own: Schedule) => isSameDeviation({ ...own.at(-1)!, point: undefined }, one);
    const found = next.find(isMeant) ?? next.find(isAtAnyCall);
    if (!found) throw impossible(schedule, at);
    before = found;
  }
  progress.schedules = [before];
}

/** @returns whether the level is complete or has a conclusion */
async function playSchedules(trial: Trial, index: number, until: number): Promise<boolean> {
  const { options, progress } = trial;
  const level = progress.levels[index]!;
  const { schedules } = progress;
  level.schedules = schedules.length;
  const before = level.tried;
  const tasks = schedules.slice(before);
  if (trial.helpers.length === 0) trial.helpers = await options.openHelpers(...costOf(trial, tasks));
  await doInOrder<Schedule, Outcome>({
    tasks,
    lead: (schedule) => playOne(trial, schedule),
    helpers: trial.helpers.map((helper) => playerOf(trial, helper)),
    stop: () => {
      for (const { stop } of trial.helpers) stop();
    },
    take: (outcome, schedule) => take(trial, index, schedule, outcome),
    mayEnd: (outcome) => !options.all && (!outcome || "error" in outcome || outcome.isWrong),
    // Try at least one schedule.
    mayBegin: () => level.tried === before || wallNow() < until,
  });
  if (hasEnded(trial)) return true;
  if (level.tried < level.schedules) return false;
  // Schedules that the platform cannot distinguish run only once if they are adjacent.
  const groups = Map.groupBy(progress.next.splice(0), (one) => platformKey(one));
  progress.schedules = likeliestFirst([...groups.values()].flat());
  return true;
}

/** The arguments for `openHelpers`: the schedules' total time without restarts, and the number of restarts. */
function costOf({ took }: Trial, schedules: readonly Schedule[]): [number, number] {
  const kinds = schedules.flatMap((schedule) => schedule.map(({ kind }) => kind));
  const restarts = kinds.filter((kind) => deviationOf(kind).server !== undefined).length;
  return [took * schedules.length, restarts];
}

async function playerOf({ joined }: Trial, { player }: Helper) {
  const one = await player;
  if (!one) return undefined;
  joined.add(one);
  return async (schedule: Schedule): Promise<Outcome | undefined> => {
    const played = await playPlain(one, schedule);
    return played && { ...played, isWrong: false, unknownCalls: [] };
  };
}

async function playOne(trial: Trial, schedule: Schedule): Promise<Outcome> {
  try {
    const played = await trial.runs.playSchedule(schedule);
    const unknownCalls = await trial.stage.unknownCalls();
    const run = unknownCalls.length > 0 ? played.run : await untilWrong(trial, played.run);
    return { ...played, run, isWrong: trial.judge.isWrong(run), unknownCalls };
  } catch (error) {
    return { error };
  }
}

/** Adds a schedule's outcome to the result. @returns whether the exploration has a conclusion */
async function take(trial: Trial, index: number, schedule: Schedule, outcome: Outcome): Promise<boolean> {
  const { stage, options, runs, progress } = trial;
  const level = progress.levels[index]!;
  const next = progress.levels[index + 1];
  try {
    if ("error" in outcome) throw outcome.error;
    const { run, answers, isWrong, unknownCalls } = outcome;
    progress.unknownCalls = unknownCalls;
    if (hasEnded(trial)) return true;
    const doubt = isWrong && failedAfterEmpty(run);
    if (doubt) throw doubt;
    if (isWrong) await meet(trial, run, answers);
    count(level, progress.paths, outcome);
    options.onProgress?.({ ...level, story: stage.story.name });
    // A faulty schedule is not extended: with more deviations, it would fail in the same way.
    if (next && !isWrong) {
      const longer = longerThan(stage, run, progress.idle);
      progress.next.push(...longer.played);
      next.stoodFor += longer.stoodFor.length;
    }
  } catch (error) {
    if (isBroken(error) && trial.helpers.length > 0) return takeAlone(trial, index, schedule);
    if (!(error instanceof AnswerChanged)) throw brokenDown(error, schedule, level.tried);
    if (error.change.now === null) await runs.checkAnswers(await runs.playAgain(runs.calm));
    progress.flaky = { schedule, differences: [], answer: error.change };
  }
  return hasEnded(trial);
}

/** Repeats a schedule without the helpers, whose servers may share something with the first one. */
async function takeAlone(trial: Trial, index: number, schedule: Schedule): Promise<boolean> {
  trial.helpers = [];
  await trial.options.dismissHelpers();
  await trial.stage.subject.server?.restart();
  return take(trial, index, schedule, await playOne(trial, schedule));
}

/** A race that went well once may go wrong the next time, so one good run does not prove that a finding is fixed. */
async function untilWrong({ options, runs, judge }: Trial, run: Run): Promise<Run> {
  let again = run;
  const times = options.only && isRaced(run) ? CONFIRMATIONS : 0;
  for (let time = 0; time < times && !judge.isWrong(again); time += 1) again = await runs.playAgain(run);
  return again;
}

/** Adds a faulty run as a new finding, or to an existing finding of the same kind. */
async function meet(trial: Trial, run: Run, answers: WireNode): Promise<void> {
  const { stage, options, runs, judge } = trial;
  await runs.checkAnswers(run);
  const wrong = { differences: judge.differencesOf(run), invariant: run.broken, run };
  const group = options.groups.groupOf(wrong);
  if (group) group.alike += 1;
  else
    await options.certify(async () => {
      // Run the schedule from the beginning: the world may reflect another schedule that looks the same to the platform.
      const whole = await play(stage, run.schedule, { calm: runs.calm, root: answers });
      await confirm(trial, run, stage.draw(whole));
    });
}

async function confirm({ options, judge, progress }: Trial, run: Run, drawn: DrawnRun): Promise<void> {
  const confirmed = await judge.confirm(run, drawn);
  if ("flaky" in confirmed) progress.flaky = confirmed.flaky;
  else {
    progress.findings.push(confirmed.finding);
    options.groups.add(confirmed.finding);
  }
}

const impossible = (schedule: Schedule, at: number) =>
  invalidState(
    `The schedule is impossible: '${schedule[at]!.kind}' cannot happen at attempt ${schedule[at]!.at + 1} of the run.`,
    "Your server or the story has changed since the finding was saved. If explore no longer finds it, delete the file.",
  );

/** Whether the subscriber broke down. */
const isBroken = (error: unknown): boolean => error instanceof SandboxError && error.code !== "bad_request";

/** The error if a subscriber worked until a certain schedule, for example because the schedule crashes it. */
function brokenDown(error: unknown, schedule: Schedule, tried: number): unknown {
  // If a scenario fails under a schedule, the scenario itself reports it.
  if (!(error instanceof SandboxError) || error.code === "invalid_state") return error;
  const what = schedule.map(({ at, kind }) => `${kind} at attempt ${at + 1} of the run`).join(", ");
  return new SandboxError(
    error.code,
    `${error.message} The subscriber worked until then: explore was running schedule ${tried + 1} with ${schedule.length} ${schedule.length === 1 ? "deviation" : "deviations"} (${what}).`,
    error.hintFor("command"),
  );
}
