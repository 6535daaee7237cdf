import { isDeepStrictEqual } from "node:util";
import { SandboxError } from "../../errors/errors.ts";
import { wallNow } from "../../world/clock.ts";
import { expectedOf, unmetIn } from "../findings/expected.ts";
import type { Groups } from "../findings/findings.ts";
import { mainDifference } from "../findings/headline.ts";
import { reasonOf } from "../findings/reason.ts";
import { assumedIn, canProduce } from "../stories/sender-story.ts";
import { callsApi } from "../subject/subscriber.ts";
import type { SentAttempt } from "./attempt.ts";
import { changedAnswer, leftBehind, playCalm } from "./calm.ts";
import { gatherEvidence } from "./evidence.ts";
import type { DrawnRun, Exploration, Finding, Flaky, Level, StopReason } from "./exploration.ts";
import type { ExploreOptions } from "./options.ts";
import { play } from "./play.ts";
import { createPlayer } from "./player.ts";
import type { Run } from "./run.ts";
import { type DeviationKind, extensions, OF_OWN_SERVER, type Schedule } from "./schedule.ts";
import { shareOf } from "./share.ts";
import { openStage } from "./stage.ts";
import { AnswerChanged, type WireNode, wireRoot } from "./wire.ts";

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
 * @param certify confirms a finding, which is worth more time than there is
 * @param groups the findings so far, those with other stories among them
 * @throws SandboxError `unreachable`, `invalid_state` for a calm run that does not work; PlatformError for an address that the
 *   platform refuses
 */
export async function openSession(
  options: ExploreOptions,
  signal: AbortSignal,
  certify: <Result>(work: () => Promise<Result>) => Promise<Result>,
  groups: Groups,
): Promise<Session> {
  const began = wallNow();
  const { stage, comparison, draw, close } = await openStage(options, signal);
  const root = wireRoot();
  const findings: Finding[] = [];
  let flaky: Flaky | undefined;
  let wallMs = 0;
  const { calm, isConfirmed } = await playCalm(stage, options, root, comparison).catch(async (error) => {
    await close();
    throw error;
  });
  const drawnCalm = draw(calm);
  const { only, all = false, shard } = options;
  const saved = only?.data;
  const levels = Array.from(
    { length: only ? 1 : options.deviations },
    (_, index): Level => ({
      deviations: only?.schedule.length ?? index + 1,
      ...{ schedules: null, tried: 0, alike: 0, undelivered: 0 },
    }),
  );
  const opened = await options.subject.tables?.();
  const playNext = createPlayer(stage, { calm, root });
  const { by, settingsFor } = options.story;
  function canHappen(kind: DeviationKind): boolean {
    if (OF_OWN_SERVER.has(kind)) return options.subject.server !== undefined;
    // A story of one's own has the endpoint that it registers.
    if (kind === "second-endpoint" && settingsFor) return false;
    return by ? canProduce(by, kind) : kind !== "secret-rotated";
  }
  let schedules = only ? [only.schedule] : extensions([], calm.attempts, null, canHappen);
  if (shard) schedules = shareOf(schedules, calm.attempts.length, shard);
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

  /**
   * Finds out who left rows that no run has left before: those that come again when the schedule is played again are the
   * subscriber's, and others are another program's.
   * @returns the run without those
   */
  async function withoutOthers(run: Run): Promise<Run> {
    const tables = run.alike ? undefined : await options.subject.tables?.();
    if (!(await tables?.hasNew())) return run;
    let again = run;
    const raced = run.attempts.some(({ overlaps }) => overlaps.length > 0);
    for (let time = 0; time < (raced ? CALM_RUNS : CONFIRMATIONS); time += 1) {
      again = await playAgain(run);
      if (!(await tables!.hasAside())) return run;
    }
    await tables!.giveBack();
    return again;
  }

  const playAgain = async ({ schedule, state }: Run): Promise<Run> =>
    (await play(stage, schedule, { calm, root: wireRoot(), awaited: state })).run;

  /** Of a finding that is played again, only what its file expects counts. */
  function differencesOf(run: Run) {
    if (!run.delivered) return [];
    return saved
      ? unmetIn(comparison, saved.expect ?? {}, calm.state, run.state)
      : stage.differences(calm.state, run.state);
  }
  /** Of a run that goes wrong, also those that its file does not name. */
  function allDifferencesOf(run: Run) {
    const unmet = differencesOf(run);
    if (!saved || unmet.length === 0) return unmet;
    const all = stage.differences(calm.state, run.state);
    return [...unmet.filter(({ path }) => all.every((one) => one.path !== path)), ...all];
  }
  const refusedIn = ({ refused }: Run) =>
    saved ? refused.filter(({ event }) => saved.accepted?.includes(event)) : refused;
  const isWrong = (run: Run): boolean =>
    run.broken !== null || refusedIn(run).length > 0 || differencesOf(run).length > 0;
  const hasEnded = (): boolean => flaky !== undefined || (findings.length > 0 && !all);

  /** @throws SandboxError `invalid_state` for a schedule that cannot happen, such as one of a handler that was another */
  async function checkPossible(schedule: Schedule): Promise<void> {
    for (const [at] of schedule.entries()) {
      const before = schedule.slice(0, at);
      const { attempts, recovery } = at === 0 ? calm : (await playSchedule(before)).run;
      const next = extensions(before, attempts, recovery, canHappen);
      if (!next.some((one) => isDeepStrictEqual(one, schedule.slice(0, at + 1))))
        throw impossible(schedule, at);
    }
  }

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
  async function confirm(run: Run, drawn: DrawnRun): Promise<void> {
    const { schedule } = run;
    let wrong = 1;
    for (let time = 0; time < CONFIRMATIONS; time += 1) {
      const again = await playAgain(run);
      const answer = changedAnswer(run, again);
      if (answer) {
        await checkAnswers(again);
        flaky = { schedule, differences: [], answer };
        return;
      }
      if (isWrong(again)) wrong += 1;
    }
    // What goes wrong by chance may do so in the calm run, too.
    flaky = wrong > CONFIRMATIONS ? undefined : await findUnlike(CALM_RUNS);
    if (flaky) return;
    const finding = {
      run: { ...drawn, refused: refusedIn(drawn) },
      ...{ differences: allDifferencesOf(run), invariant: run.broken },
      expected: run.delivered ? expectedOf(comparison, calm.state, run.state) : [],
    };
    const place = mainDifference(finding.differences);
    const evidence = place ? await gatherEvidence(stage, calm, run, place) : null;
    const why = reasonOf(calm, run, finding.differences, evidence, by) + (by ? assumedIn(by, schedule) : "");
    const steps = evidence?.steps ?? [];
    findings.push({ ...finding, steps, why, runs: 1 + CONFIRMATIONS, wrong, alike: 0 });
    groups.add(findings.at(-1)!);
  }

  /** Takes in a run that went wrong: as a finding, or as one more of a finding's kind. */
  async function meet(run: Run, answers: WireNode): Promise<void> {
    await checkAnswers(run);
    const group = groups.groupOf({ differences: differencesOf(run), invariant: run.broken, run });
    if (group) group.alike += 1;
    else
      await certify(async () => {
        // From its beginning: the world may show one that the platform cannot tell from it.
        const { run: whole } = await play(stage, run.schedule, { calm, root: answers });
        await confirm(run, draw(whole));
      });
  }

  /** A race that went well once may go wrong the next time: a finding is not taken for mended so soon. */
  async function untilWrong(run: Run): Promise<Run> {
    let again = run;
    const times = saved && run.attempts.some(({ overlaps }) => overlaps.length > 0) ? CONFIRMATIONS : 0;
    for (let time = 0; time < times && !isWrong(again); time += 1) again = await playAgain(run);
    return again;
  }

  async function playSchedules(level: Level, isLast: boolean): Promise<void> {
    if (level === levels[0]) {
      flaky = isConfirmed ? undefined : await findUnlike(1);
      // Chance does not end every run but the first in the same way.
      if (
        flaky?.differences[0] &&
        isDeepStrictEqual([await findUnlike(1), await findUnlike(1)], [flaky, flaky])
      )
        throw leftBehind(flaky.differences[0], options.subject);
      if (!flaky && calm.broken) await certify(() => confirm(calm, drawnCalm));
      if (hasEnded()) return;
      if (only) await checkPossible(only.schedule);
    }
    level.schedules = schedules.length;
    const next: Schedule[] = [];
    for (const schedule of schedules) {
      try {
        const { run: played, answers } = await playSchedule(schedule);
        const run = await untilWrong(await withoutOthers(played));
        const wrong = isWrong(run);
        if (wrong) await meet(run, answers);
        count(level, run);
        options.onProgress?.({ ...level, story: options.story.name });
        if (hasEnded()) return;
        // With more deviations, it would be wrong in the same way.
        if (!isLast && !wrong) next.push(...extensions(schedule, run.attempts, run.recovery, canHappen));
      } catch (error) {
        if (!(error instanceof AnswerChanged)) throw brokenDown(error, schedule, level.tried);
        if (error.change.now === null) await checkAnswers(await playAgain(calm));
        flaky = { schedule, differences: [], answer: error.change };
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
      return !hasEnded();
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
      callsApi: callsApi(options.subject),
      byOthers: [...(opened?.others ?? [])],
      calm: drawnCalm,
      levels,
      ...{ finding: findings[0] ?? null, others: findings.slice(1), only: only?.schedule ?? null },
      shard: shard ? `${shard.index}/${shard.count}` : null,
      flaky: flaky ?? null,
      stopped: hasEnded() || levels.every(({ schedules: all, tried }) => all === tried) ? null : stopped,
      wallMs,
    }),
    close,
  };
}

const impossible = (schedule: Schedule, at: number): SandboxError =>
  new SandboxError(
    "invalid_state",
    `The schedule cannot happen: attempt ${schedule[at]!.at + 1} of the run cannot have '${schedule[at]!.kind}'.`,
    "Your server or the story has changed since it was found. If explore finds nothing in its place, delete the file.",
  );

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
