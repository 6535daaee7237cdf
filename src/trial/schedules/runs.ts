import { type SandboxError, unreachable } from "../../errors/errors.ts";
import { wallNow } from "../../world/clock.ts";
import type { SentAttempt } from "./attempt.ts";
import { changedAnswer } from "./calm.ts";
import type { Flaky } from "./exploration.ts";
import { play, playNext } from "./play.ts";
import type { Run, RunOptions, Stage } from "./run.ts";
import type { Schedule } from "./schedule.ts";
import { SILENT_MS, Stuck } from "./transmitter.ts";
import { AnswerChanged, type WireNode, wireRoot } from "./wire.ts";

/** How many times to repeat a faulty schedule before reporting it. */
export const CONFIRMATIONS = 3;
/** How many times to try a schedule if a busy server does not reach its statement. */
const MOST_TRIES = 3;
/** How many times to repeat the calm run if only some runs of a schedule went wrong. */
export const CALM_RUNS = 12;

export interface Played {
  run: Run;
  answers: WireNode;
  /** Whether it ran without known responses. If so, it does not count as equal to an earlier run. */
  isAnew: boolean;
}

export interface Runs {
  calm: Run;
  /** How many times a started server stopped responding, and responded to the same schedule after a restart. */
  readonly revivals: number;
  /** Runs the next schedule, repeatedly if one of its statements is not reached. */
  playSchedule(schedule: Schedule): Promise<Played>;
  /** Runs a schedule again, ignoring known responses. */
  playAgain(run: Run): Promise<Run>;
  /** Repeats the calm run. @returns how it differs; undefined if it is equal */
  findUnlike(times: number): Promise<Flaky | undefined>;
  /** @throws SandboxError `unreachable` if a run got no response, and repeating the calm run gets none, either */
  checkAnswers(run: Run): Promise<void>;
}

export function createRuns(stage: Stage, calm: Run, root: WireNode): Runs {
  // A handler that keeps working after its responses may pass through the run's final state early, so give it time again.
  const playAgain = ({ schedule, state }: Run): Promise<Run> =>
    playFresh(schedule, { root: wireRoot(), awaited: calm.lag > 0 ? calm.state : state });

  const { server } = stage.subject;
  let revivals = 0;

  async function checkAnswers(run: Run): Promise<void> {
    if (unanswered(run) === undefined) return;
    await server?.restart();
    const silent = unanswered(await playAgain(calm));
    if (silent) throw stoppedAnswering(silent);
  }

  async function playAnew(schedule: Schedule): Promise<Played> {
    const answers = wireRoot();
    const run = await play(stage, schedule, { calm, root: answers });
    return server && silentSince(run) >= 0 ? playRevived(schedule) : { run, answers, isAnew: true };
  }

  /** Restarts a server that earlier schedules have stuck, for example by using up its database connections. */
  async function playRevived(schedule: Schedule): Promise<Played> {
    await server!.restart();
    const answers = wireRoot();
    const run = await playFresh(schedule, { root: answers });
    if (!unanswered(run)) revivals += 1;
    return { run, answers, isAnew: true };
  }

  /** Runs a schedule on a server that no other schedule has stuck. If this one does, later ones must not suffer from it. */
  async function playFresh(schedule: Schedule, options: Pick<RunOptions, "root" | "awaited">): Promise<Run> {
    const began = wallNow();
    const run = await play(stage, schedule, { calm, ...options });
    const after = silentSince(run);
    if (!server || server.hasEnded() || after < 0 || wallNow() - began < SILENT_MS) return run;
    await server.restart();
    return { ...run, broken: run.broken ?? { message: "The server stops responding.", after, isEnd: true } };
  }

  async function playOnce(schedule: Schedule): Promise<Played> {
    try {
      const run = await playNext(stage, schedule, { calm, root, endsWhenStuck: server !== undefined });
      return { run, answers: root, isAnew: false };
    } catch (error) {
      if (error instanceof Stuck) return playRevived(schedule);
      if (!(error instanceof AnswerChanged && error.raced)) throw error;
      // Which of the two requests came first was random. The current order is a valid run, too.
      return playAnew(schedule);
    }
  }

  return {
    ...{ calm, playAgain, checkAnswers },
    get revivals() {
      return revivals;
    },
    async playSchedule(schedule) {
      let played = await playOnce(schedule);
      for (let tries = 1; tries < MOST_TRIES && hasMissed(played.run); tries += 1)
        played = await playAnew(schedule);
      return played;
    },
    async findUnlike(times) {
      for (let time = 0; time < times; time += 1) {
        const again = await playAgain(calm);
        const answer = changedAnswer(calm, again);
        const differences = stage.comparison.differences(calm.state, again.state);
        if (!answer && differences.length === 0) continue;
        await checkAnswers(again);
        return { schedule: [], differences: answer ? [] : differences, answer };
      }
      return undefined;
    },
  };
}

/** Whether a statement in its schedule was not reached. */
export const hasMissed = ({ attempts }: Run): boolean =>
  attempts.some(({ missed }) => missed === "not-reached");

/** Whether requests were processed at the same time. */
export const isRaced = ({ attempts }: Run): boolean => attempts.some(({ overlaps }) => overlaps.length > 0);

/** The first attempt that reached the subscriber but got no response. */
const unanswered = ({ attempts }: Run): SentAttempt | undefined =>
  attempts.find(({ arrivals, status, deviation }) => arrivals > 0 && status === null && deviation === null);

/** How many requests a server that is not stuck would not leave without a response one after another. */
const LEAST_SILENT = 2;

/**
 * The number of the attempt from which on the subscriber responds to nothing, although nothing else disturbs it; -1 if it
 * responds.
 */
function silentSince({ attempts }: Pick<Run, "attempts">): number {
  const plain = [...attempts.entries()].filter(
    ([, { arrivals, deviation }]) => arrivals > 0 && deviation === null,
  );
  const last = plain.findLastIndex(([, { status }]) => status !== null);
  return plain.length - last > LEAST_SILENT ? plain[last + 1]![0] : -1;
}

/** Whether a run has stuck a server that worked before. */
export const isStuck = (run: Run): boolean => run.broken?.isEnd === true && silentSince(run) >= 0;

function stoppedAnswering({ event, detail }: SentAttempt): SandboxError {
  return unreachable(
    `The subscriber stopped responding. Even when everything goes well, it now fails at ${event}: it ${detail ?? "did not respond in time"}.`,
    "Check what your server is waiting for, or why it stopped.",
  );
}
