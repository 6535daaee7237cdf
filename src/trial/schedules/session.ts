import { isDeepStrictEqual } from "node:util";
import { invalidState, SandboxError } from "../../errors/errors.ts";
import { wallNow } from "../../world/clock.ts";
import type { Groups } from "../findings/findings.ts";
import { leftBehind, playCalm } from "./calm.ts";
import { deviationOf } from "./deviations/index.ts";
import {
  type Exploration,
  type Finding,
  type Flaky,
  type Level,
  type StopReason,
  sumOfCounts,
} from "./exploration.ts";
import { createJudge, type Judge } from "./judge.ts";
import type { ExploreOptions } from "./options.ts";
import { play } from "./play.ts";
import type { DrawnRun, Run, Stage } from "./run.ts";
import { CONFIRMATIONS, createRuns, hasMissed, isRaced, type Runs } from "./runs.ts";
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
import { AnswerChanged, type WireNode, wireRoot } from "./wire.ts";

export interface Session {
  calm: Run;
  /**
   * Tries the schedules of a level, by its number from 0, until one is a finding or its time is over; then it continues there.
   * @param until real milliseconds; one schedule is tried in any case
   * @returns `ended` if the exploration has its answer, `played` if the level is over
   */
  playLevel(index: number, until: number): Promise<"ended" | "played" | "unfinished">;
  /** The result so far. @param stopped why it ends before its last level */
  result(stopped: StopReason | null): Exploration;
}

/** What a session decides by. Its stage has the story and the subscriber. */
export interface SessionOptions
  extends Pick<
    ExploreOptions,
    "seed" | "ignore" | "ordered" | "deviations" | "budget" | "only" | "shard" | "all" | "onProgress"
  > {
  /** Confirms a finding, which may exceed the budget. */
  certify: <Result>(work: () => Promise<Result>) => Promise<Result>;
  /** The findings so far, including those of other stories. */
  groups: Groups;
}

interface Progress {
  calm: DrawnRun;
  levels: Level[];
  /** The schedules of the present level, and those of the next one so far. */
  schedules: readonly Schedule[];
  next: Schedule[];
  idle: IdleEvents;
  crashPlaces: number;
  findings: Finding[];
  flaky: Flaky | undefined;
  /** Calls of the sender's API that its file does not describe. */
  unknownCalls: readonly string[];
  wallMs: number;
}

interface Trial {
  stage: Stage;
  options: SessionOptions;
  runs: Runs;
  judge: Judge;
  progress: Progress;
}

/**
 * Plays the calm run of a story, to explore it.
 * @throws SandboxError `unreachable`, `invalid_state` for a calm run that does not work; PlatformError for an address that the
 * platform refuses
 */
export async function openSession(stage: Stage, options: SessionOptions): Promise<Session> {
  const began = wallNow();
  const { only, shard } = options;
  const root = wireRoot();
  const { calm, isConfirmed, idle } = await playCalm(stage, options, root);
  const runs = createRuns(stage, calm, root);
  const all = only ? { played: [only.schedule], stoodFor: [] } : longerThan(stage, calm, idle);
  const { played, stoodFor } = shard
    ? { played: shareOf(all.played, shard), stoodFor: shareOf(all.stoodFor, shard) }
    : all;
  const progress: Progress = {
    ...{ calm: stage.draw(calm), findings: [], flaky: undefined, wallMs: 0, next: [], idle },
    crashPlaces: all.played.filter(([one]) => one?.point && deviationOf(one.kind).server === "killed").length,
    unknownCalls: await stage.unknownCalls(),
    levels: Array.from({ length: only ? 1 : options.deviations }, (_, index) => ({
      deviations: only?.schedule.length ?? index + 1,
      ...{ schedules: null, ...sumOfCounts([]), ...(index === 0 && { stoodFor: stoodFor.length }) },
    })),
    schedules: likeliestFirst(played),
  };
  const judge = createJudge(stage, runs, only?.data);
  const trial: Trial = { stage, options, runs, judge, progress };
  progress.wallMs += wallNow() - began;
  return {
    calm,
    async playLevel(index, until) {
      const start = wallNow();
      try {
        const hasBegun = index > 0 || progress.levels[0]!.schedules !== null;
        const isReady =
          progress.unknownCalls.length === 0 && (hasBegun || (await playFirst(trial, isConfirmed)));
        if (isReady && !(await playSchedules(trial, index, until))) return "unfinished";
      } finally {
        progress.wallMs += wallNow() - start;
      }
      // Other stories may have an answer.
      return progress.unknownCalls.length > 0 || !hasEnded(trial) ? "played" : "ended";
    },
    result: (stopped) => resultOf(trial, stopped),
  };
}

const longerThan = (stage: Stage, { schedule, attempts, recovery }: Run, idle: IdleEvents) =>
  standIns(extensions(schedule, attempts, recovery, canHappenIn(stage)), attempts, idle);

const hasEnded = ({ options, progress: { findings, flaky, unknownCalls } }: Trial): boolean =>
  unknownCalls.length > 0 || flaky !== undefined || (findings.length > 0 && !options.all);

/**
 * Finds out whether the calm run is the same each time, and whether the requested schedule can happen.
 * @param isConfirmed whether an earlier run was already the same
 * @returns whether schedules are tried
 */
async function playFirst(trial: Trial, isConfirmed: boolean): Promise<boolean> {
  const { stage, options, runs, progress } = trial;
  const { findUnlike, calm } = runs;
  if (hasEnded(trial)) return false;
  const flaky = isConfirmed ? undefined : await findUnlike(1);
  progress.flaky = flaky;
  // If chance decided, the later runs would not all end in the same way.
  if (flaky?.differences[0] && isDeepStrictEqual([await findUnlike(1), await findUnlike(1)], [flaky, flaky]))
    throw leftBehind(flaky.differences[0], stage.subject.state);
  if (!flaky && calm.broken) await options.certify(() => confirm(trial, calm, progress.calm));
  if (hasEnded(trial)) return false;
  if (options.only) await checkPossible(trial, options.only.schedule);
  return true;
}

/**
 * Finds the statements of a schedule by their present numbers.
 * @throws SandboxError `invalid_state` for a schedule that cannot happen, for example because the handler changed
 */
async function checkPossible({ stage, runs, progress }: Trial, schedule: Schedule): Promise<void> {
  let before: Schedule = [];
  for (const [at, one] of schedule.entries()) {
    const { attempts, recovery } = at === 0 ? runs.calm : (await runs.playSchedule(before)).run;
    const next = extensions(before, attempts, recovery, canHappenIn(stage));
    const found = next.find((own) => isSameDeviation(own.at(-1)!, one));
    if (!found) throw impossible(schedule, at);
    before = found;
  }
  progress.schedules = [before];
}

/** @returns whether the level is over, or has its answer */
async function playSchedules(trial: Trial, index: number, until: number): Promise<boolean> {
  const { options, runs, judge, progress } = trial;
  const level = progress.levels[index]!;
  const isLast = index === progress.levels.length - 1;
  level.schedules = progress.schedules.length;
  for (const schedule of progress.schedules.slice(level.tried)) {
    try {
      const { run: played, answers } = await runs.playSchedule(schedule);
      progress.unknownCalls = await trial.stage.unknownCalls();
      if (hasEnded(trial)) return true;
      const run = await untilWrong(trial, played);
      const wrong = judge.isWrong(run);
      if (wrong) await meet(trial, run, answers);
      count(level, run);
      options.onProgress?.({ ...level, story: trial.stage.story.name });
      if (hasEnded(trial)) return true;
      // With more deviations, it would be wrong in the same way.
      if (!isLast && !wrong) {
        const longer = longerThan(trial.stage, run, progress.idle);
        progress.next.push(...longer.played);
        progress.levels[index + 1]!.stoodFor += longer.stoodFor.length;
      }
    } catch (error) {
      if (!(error instanceof AnswerChanged)) throw brokenDown(error, schedule, level.tried);
      if (error.change.now === null) await runs.checkAnswers(await runs.playAgain(runs.calm));
      progress.flaky = { schedule, differences: [], answer: error.change };
      return true;
    }
    if (wallNow() >= until && level.tried < level.schedules) return false;
  }
  // The platform plays schedules that it cannot tell apart once, if they follow each other.
  const groups = Map.groupBy(progress.next.splice(0), (one) => platformKey(one));
  progress.schedules = likeliestFirst([...groups.values()].flat());
  return true;
}

/** A race that went well once may go wrong the next time, so one good run does not prove a finding mended. */
async function untilWrong({ options, runs, judge }: Trial, run: Run): Promise<Run> {
  let again = run;
  const times = options.only && isRaced(run) ? CONFIRMATIONS : 0;
  for (let time = 0; time < times && !judge.isWrong(again); time += 1) again = await runs.playAgain(run);
  return again;
}

/** Adds a faulty run as a new finding, or as another run of a finding's kind. */
async function meet(trial: Trial, run: Run, answers: WireNode): Promise<void> {
  const { stage, options, runs, judge } = trial;
  await runs.checkAnswers(run);
  const wrong = { differences: judge.differencesOf(run), invariant: run.broken, run };
  const group = options.groups.groupOf(wrong);
  if (group) group.alike += 1;
  else
    await options.certify(async () => {
      // Play the schedule from its beginning: the world may show another schedule, which looks the same to the platform.
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

function resultOf(trial: Trial, stopped: StopReason | null): Exploration {
  const { options, progress } = trial;
  const { story, subject, comparison } = trial.stage;
  const { only, shard } = options;
  const { calm, levels, findings, flaky = null, unknownCalls, crashPlaces, wallMs } = progress;
  const isDone = hasEnded(trial) || levels.every(({ schedules, tried }) => schedules === tried);
  return {
    story: {
      ...{ name: story.name, title: story.title, file: story.file },
      ...(story.by && {
        sender: {
          ...{ name: story.by.sender.name, named: story.by.named },
          ...(story.by.isListed && { events: story.by.events }),
          ...(story.by.sender.facts.known && { known: story.by.sender.facts.known }),
        },
      }),
    },
    ...{
      subscriber: subject.url,
      stateUrl: subject.state.source,
      reset: subject.state.resetBy,
      seed: options.seed,
    },
    ...{ ignore: options.ignore, ordered: options.ordered ?? [] },
    ...{ reordered: comparison.reordered, ownPlaces: comparison.names.own },
    ...{ unknownCalls, calm, crashPlaces, levels },
    unwatched:
      subject.server !== undefined &&
      subject.state.tables !== undefined &&
      !calm.attempts.some(({ statements }) => statements.some(({ of }) => of !== "api")),
    ...{ finding: findings[0] ?? null, others: findings.slice(1), only: only?.schedule ?? null },
    shard: shard ? `${shard.index}/${shard.count}` : null,
    ...{ flaky, stopped: isDone ? null : stopped, wallMs },
  };
}

const impossible = (schedule: Schedule, at: number) =>
  invalidState(
    `The schedule cannot happen: attempt ${schedule[at]!.at + 1} of the run cannot have '${schedule[at]!.kind}'.`,
    "Your server or the story has changed since it was found. If explore finds nothing in its place, delete the file.",
  );

/** The error if a subscriber worked until a schedule was played, for example because the schedule crashes it. */
function brokenDown(error: unknown, schedule: Schedule, tried: number): unknown {
  // A scenario reports its failure under a schedule itself.
  if (!(error instanceof SandboxError) || error.code === "invalid_state") return error;
  const what = schedule.map(({ at, kind }) => `${kind} at attempt ${at + 1} of the run`).join(", ");
  return new SandboxError(
    error.code,
    `${error.message} The subscriber worked until then: explore was playing schedule ${tried + 1} with ${schedule.length} ${schedule.length === 1 ? "deviation" : "deviations"} (${what}).`,
    error.hintFor("command"),
  );
}

function count(level: Level, run: Run): void {
  const { schedule, attempts, alike, delivered } = run;
  level.tried += 1;
  if (alike) level.alike += 1;
  if (schedule.some(({ point }) => point)) level.inside += 1;
  if (hasMissed(run)) level.unreached += 1;
  else if (attempts.some(({ missed }) => missed === "one-process")) level.oneProcess += 1;
  else if (!delivered) level.undelivered += 1;
}
