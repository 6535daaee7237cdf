import { isDeepStrictEqual } from "node:util";
import { SandboxError } from "../errors/errors.ts";
import { wallNow } from "../world/clock.ts";
import type { SentAttempt } from "./attempt.ts";
import { leftBehind, playCalm } from "./calm.ts";
import { gatherEvidence } from "./evidence.ts";
import type { DrawnRun, Exploration, Finding, Flaky, Level, StopReason } from "./exploration.ts";
import type { ExploreOptions } from "./options.ts";
import { play } from "./play.ts";
import { createPlayer } from "./player.ts";
import { mainDifference } from "./report/headline.ts";
import { reasonOf } from "./report/reason.ts";
import type { Run } from "./run.ts";
import { extensions, type Schedule } from "./schedule.ts";
import { assumedIn, canProduce } from "./sender-story.ts";
import { openStage } from "./stage.ts";
import { AnswerChanged, type ChangedAnswer, type WireNode, wireRoot } from "./wire.ts";

/** How often a schedule that went wrong is played again before it is reported. */
const CONFIRMATIONS = 3;
/** How often the calm run is played again when a schedule went wrong in some of its runs only. */
const CALM_RUNS = 12;

/** An exploration with one story, level by level. */
export interface Session {
  /** Tries the schedules of a level, by its number from 0, until one is a finding. @returns whether it goes on */
  playLevel(index: number): Promise<boolean>;
  /** What it has come to. @param stopped why it ends before its last level */
  result(stopped: StopReason | null): Exploration;
  close(): Promise<void>;
}

/**
 * Plays the story when everything goes well, to explore it.
 * @param signal ends it, whatever it waits for
 * @param certify called before a finding is confirmed, which is worth more time than there is
 * @throws SandboxError `unreachable`, `invalid_state` for a calm run that does not work; PlatformError for an address that the
 *   platform refuses
 */
export async function openSession(
  options: ExploreOptions,
  signal: AbortSignal,
  certify: () => void,
): Promise<Session> {
  const began = wallNow();
  const { stage, comparison, draw, close } = await openStage(options, signal);
  const root = wireRoot();
  let ended: { finding?: Finding; flaky?: Flaky } | undefined;
  let wallMs = 0;
  const calm = await playCalm(stage, options, root, comparison).catch(async (error) => {
    await close();
    throw error;
  });
  const drawnCalm = draw(calm);
  const levels = Array.from(
    { length: options.deviations },
    (_, index): Level => ({ deviations: index + 1, schedules: null, tried: 0, alike: 0, undelivered: 0 }),
  );
  const playNext = createPlayer(stage, { calm, root });
  const isOwned = options.subject.server !== undefined;
  const { by } = options.story;
  const extend = (...from: Parameters<typeof extensions>) =>
    extensions(...from).filter((schedule) => !by || canProduce(by, schedule.at(-1)!.kind));
  let schedules = extend([], calm.attempts, null, isOwned);
  wallMs += wallNow() - began;

  /** Plays a schedule. @returns the run, and what is known of the subscriber's answers in it */
  async function playSchedule(schedule: Schedule): Promise<{ run: Run; answers: WireNode }> {
    try {
      return { run: await playNext(schedule), answers: root };
    } catch (error) {
      if (!(error instanceof AnswerChanged && error.raced)) throw error;
      // Which of two requests came first was chance. As it is now, it is a run, too.
      const answers = wireRoot();
      return { run: (await play(stage, schedule, { calm, root: answers })).run, answers };
    }
  }

  const playAgain = async ({ schedule, state }: Run): Promise<Run> =>
    (await play(stage, schedule, { calm, root: wireRoot(), awaited: state })).run;

  const differencesOf = (run: Run) => (run.delivered ? stage.differences(calm.state, run.state) : []);
  const isWrong = (run: Run): boolean => run.broken !== null || differencesOf(run).length > 0;

  /** Plays the calm run again. @returns how it differs; undefined if it does not */
  async function findUnlike(times: number): Promise<Flaky | undefined> {
    for (let time = 0; time < times; time += 1) {
      const again = await playAgain(calm);
      const answer = changedAnswer(calm, again);
      const differences = stage.differences(calm.state, again.state);
      if (!answer && differences.length === 0) continue;
      await checkAnswers(again);
      return { schedule: [], differences: answer ? [] : differences, answer };
    }
    return undefined;
  }

  /** @throws SandboxError `unreachable` if a run had no answer, and the calm one has none any more, either */
  async function checkAnswers(run: Run): Promise<void> {
    if (unanswered(run) === undefined) return;
    const silent = unanswered(await playAgain(calm));
    if (silent) throw stoppedAnswering(silent);
  }

  /** Finds out whether a run that went wrong does so again, always or sometimes. */
  async function confirm(run: Run, drawn: DrawnRun): Promise<{ finding?: Finding; flaky?: Flaky }> {
    const { schedule } = run;
    let wrong = 1;
    for (let time = 0; time < CONFIRMATIONS; time += 1) {
      const again = await playAgain(run);
      const answer = changedAnswer(run, again);
      if (answer) {
        await checkAnswers(again);
        return { flaky: { schedule, differences: [], answer } };
      }
      if (isWrong(again)) wrong += 1;
    }
    // What goes wrong by chance may do so in the calm run, too.
    const flaky = wrong > CONFIRMATIONS ? undefined : await findUnlike(CALM_RUNS);
    if (flaky) return { flaky };
    const finding = { run: drawn, differences: differencesOf(run), invariant: run.broken };
    const place = mainDifference(finding.differences);
    const evidence = place ? await gatherEvidence(stage, calm, run, place) : null;
    const assumed =
      by === undefined
        ? ""
        : assumedIn(
            by,
            schedule.map(({ kind }) => kind),
          );
    const why = reasonOf(calm, run, finding.differences, evidence) + assumed;
    return { finding: { ...finding, why, runs: 1 + CONFIRMATIONS, wrong } };
  }

  async function playSchedules(level: Level, isLast: boolean): Promise<void> {
    if (level.deviations === 1) {
      const flaky = await findUnlike(1);
      // Chance does not end every run but the first in the same way.
      if (
        flaky?.differences[0] &&
        isDeepStrictEqual([await findUnlike(1), await findUnlike(1)], [flaky, flaky])
      )
        throw leftBehind(flaky.differences[0], options.subject);
      if (flaky || calm.broken) {
        certify();
        ended = flaky ? { flaky } : await confirm(calm, drawnCalm);
        return;
      }
    }
    level.schedules = schedules.length;
    const next: Schedule[] = [];
    for (const schedule of schedules) {
      try {
        const { run, answers } = await playSchedule(schedule);
        if (isWrong(run)) {
          await checkAnswers(run);
          certify();
          // From its beginning: the world may show one that the platform cannot tell from it.
          const { run: whole } = await play(stage, schedule, { calm, root: answers });
          ended = await confirm(run, draw(whole));
        }
        count(level, run);
        options.onProgress?.({ ...level, story: options.story.name });
        if (ended) return;
        if (!isLast) next.push(...extend(schedule, run.attempts, run.recovery, isOwned));
      } catch (error) {
        if (!(error instanceof AnswerChanged)) throw brokenDown(error, schedule, level.tried);
        if (error.change.now === null) await checkAnswers(await playAgain(calm));
        ended = { flaky: { schedule, differences: [], answer: error.change } };
        return;
      }
    }
    schedules = next;
  }

  return {
    async playLevel(index) {
      const start = wallNow();
      try {
        await playSchedules(levels[index]!, index === levels.length - 1);
      } finally {
        wallMs += wallNow() - start;
      }
      return ended === undefined;
    },
    result: (stopped) => ({
      story: {
        ...{ name: options.story.name, title: options.story.title, file: options.story.file },
        ...(by && { sender: { named: by.named, events: by.events } }),
      },
      subscriber: options.subject.url,
      stateUrl: options.subject.stateUrl,
      reset: options.subject.resetBy,
      seed: options.seed,
      ignore: options.ignore,
      ordered: options.ordered ?? [],
      reordered: comparison.reordered,
      leftOut: comparison.leftOut,
      calm: drawnCalm,
      levels,
      finding: ended?.finding ?? null,
      flaky: ended?.flaky ?? null,
      stopped: ended || levels.every(({ schedules: all, tried }) => all === tried) ? null : stopped,
      wallMs,
    }),
    close,
  };
}

/** Where a run that is played again is answered otherwise, up to where chance decides: requests that overlap, and a crash. */
function changedAnswer({ attempts }: Run, again: Run): ChangedAnswer | null {
  for (const [index, { event, status: earlier, overlaps, deviation }] of attempts.entries()) {
    const now = again.attempts[index]?.status;
    if (overlaps.length > 0 || deviation === "crash" || now === undefined) return null;
    if (now !== earlier) return { event, earlier, now };
  }
  return null;
}

/** The error of a subscriber that worked until a schedule was played, such as one that it crashes at. */
function brokenDown(error: unknown, schedule: Schedule, tried: number): unknown {
  // A scenario that fails under a schedule says so itself.
  if (!(error instanceof SandboxError) || error.code === "invalid_state") return error;
  const what = schedule.map(({ at, kind }) => `${kind} at attempt ${at + 1} of the run`).join(", ");
  return new SandboxError(
    error.code,
    `${error.message} The subscriber worked until then: explore was playing schedule ${tried + 1} with ${schedule.length} ${schedule.length === 1 ? "deviation" : "deviations"} (${what}).`,
    error.hintFor("command"),
  );
}

function count(level: Level, { alike, delivered }: Run): void {
  level.tried += 1;
  if (alike) level.alike += 1;
  if (!delivered) level.undelivered += 1;
}

/** The first attempt that reached the subscriber and got no answer. */
const unanswered = ({ attempts }: Run): SentAttempt | undefined =>
  attempts.find(({ arrivals, status, deviation }) => arrivals > 0 && status === null && deviation === null);

function stoppedAnswering({ event, detail }: SentAttempt): SandboxError {
  return new SandboxError(
    "unreachable",
    `The subscriber stopped answering. Even when everything goes well, this happens at ${event} now: it ${detail ?? "did not answer in time"}.`,
    "See what your server waits for, or why it ended.",
  );
}
