import { abortable } from "../../runtime/abortable.ts";
import type { Sending } from "../../webhooks/exchange.ts";
import { callsApi } from "../subject/surroundings.ts";
import type { SentAttempt } from "./attempt.ts";
import type { Checkpoint, Progress } from "./checkpoints.ts";
import type { CourierRun } from "./courier.ts";
import { isSettled } from "./delivered.ts";
import { deviationOf } from "./deviations/index.ts";
import { beginRun, CalmRunFailed, type Run, type RunOptions, type Stage } from "./run.ts";
import { isByHand, type Schedule } from "./schedule.ts";
import { wireRoot } from "./wire.ts";

/** A limit for stories that never end. The platform makes only 4 attempts per event. */
const MOST_ADVANCES = 1_000;

const BEGINNING: Progress = {
  ...{ story: 0, byHand: 0, advances: 0, recovery: null, rounds: 0 },
  ...{ retriedAll: false, skipped: [], halts: [] },
};

interface Playing {
  stage: Stage;
  schedule: Schedule;
  isCalm: boolean;
  run: CourierRun;
  progress: Progress;
  /** The story, which advances to its next pause. */
  story: AsyncGenerator<void, void>;
}

/**
 * Runs the story with a schedule until nothing more is due, starting at the world's beginning with an empty subscriber.
 */
export async function play(stage: Stage, schedule: Schedule, options: RunOptions): Promise<Run> {
  return (await playFrom(undefined, stage, schedule, options))!;
}

/**
 * Runs an exploration's next schedule. The run starts where it begins to differ from the previous one, and is skipped
 * if the subscriber cannot distinguish it from an earlier one. A scenario always runs as a whole, because it may call
 * the subscriber itself, and API responses depend on the moment.
 */
export async function playNext(stage: Stage, schedule: Schedule, options: RunOptions): Promise<Run> {
  if (!isRepeatable(stage))
    return { ...(await play(stage, schedule, { ...options, root: wireRoot() })), path: undefined };
  const checkpoint = stage.checkpoints.latestOf(schedule);
  const run = checkpoint && (await playFrom(checkpoint, stage, schedule, options));
  return run ?? play(stage, schedule, options);
}

const isRepeatable = ({ story, subject }: Stage): boolean => story.file === null && !callsApi(subject);

/**
 * Runs a schedule from a checkpoint. The subscriber first gets the requests that the platform sent before it.
 * @returns undefined if the subscriber responds differently to these
 */
export async function playFrom(
  checkpoint: Checkpoint | undefined,
  stage: Stage,
  schedule: Schedule,
  options: RunOptions,
): Promise<Run | undefined> {
  const { sandbox, checkpoints, story, subject } = stage;
  const isCalm = options.calm === undefined;
  const progress = { ...(checkpoint?.progress ?? BEGINNING) };
  /** The time of the attempt that is being replayed, which was made before the checkpoint. */
  let past: number | undefined;
  const now = () => past ?? sandbox.clock.now();
  const { run, end, leave } = beginRun(stage, schedule, options, progress, now);
  const stopListening = sandbox.journal.subscribe(({ type, data }) => {
    if (type === "delivery.skipped" && data.webhook_id === stage.endpoint())
      progress.skipped = [...progress.skipped, data.event_id as string];
  });
  const site = { subscriber: subject.url, calm: isCalm, remote: stage.remote, fresh: stage.remembers };
  const playing: Playing = {
    ...{ stage, schedule, isCalm, run, progress },
    story: story.play(sandbox, site, progress.story ?? 0),
  };
  try {
    const setTime = (at: number) => {
      past = at;
    };
    if (checkpoint && !(await follow(run, checkpoint, setTime))) return undefined;
    past = undefined;
    await checkpoints.goBack(checkpoint);
    if (!checkpoint) for (const { kind } of schedule) deviationOf(kind).begin?.(stage);
    // A scenario may call the subscriber before the first webhook, and expects it to be empty.
    if (story.file !== null) await run.arrivals.goLive();
    for (let step = await nextStep(playing); step; step = await nextStep(playing)) {
      checkpoints.leave();
      await step();
      await act(playing);
      if (isRepeatable(stage)) await checkpoints.add(schedule, run, progress);
    }
    return await end();
  } catch (error) {
    // Throw the error that ended the run, which explains later platform errors.
    run.check();
    throw error;
  } finally {
    leave();
    stopListening();
  }
}

async function act({ stage, schedule, isCalm, run, progress }: Playing): Promise<void> {
  const { sandbox } = stage;
  // A payment call waits only briefly for a subscriber that does not respond, so wait for it here.
  if (run.isBusy()) await sandbox.clock.advance({ by: 0 });
  run.check();
  // A failed calm run is useless for comparison, so do not wait for its retries to time out.
  if (isCalm && run.attempts.some(({ failed }) => failed)) throw new CalmRunFailed(run.attempts);
  run.pauses += 1;
  for (const { at, kind } of schedule.filter(isByHand).slice(progress.byHand)) {
    if (at >= run.attempts.length) return;
    const person = { sandbox, endpoint: stage.endpoint(), deliveryId: run.attempts[at]!.id };
    if (!(await deviationOf(kind).act!(person))) return;
    progress.byHand += 1;
    run.check();
  }
}

/** Acts as a person who re-enables disabled endpoints and retries the events that they missed. */
async function recover({ stage: { sandbox, endpoints, retries }, progress }: Playing): Promise<void> {
  progress.retriedAll = true;
  for (const { id, status } of endpoints()) {
    if (status === "disabled") sandbox.webhooks.enable({ id }, { url: "/explore" });
    const { retried } = await sandbox.webhooks.retryFailed({ since: retries.since, webhook_id: id });
    if (retried > 0) progress.retriedAll = false;
  }
}

/** The next action; undefined once the run is over. */
async function nextStep(playing: Playing): Promise<(() => Promise<unknown>) | undefined> {
  const { stage, schedule, run, progress } = playing;
  const { story, signal } = stage;
  const { story: pauses } = progress;
  if (pauses !== null)
    return async () => {
      const { done } = await abortable(playing.story.next(), signal);
      progress.story = done ? null : pauses + 1;
    };
  const due = progress.advances < MOST_ADVANCES ? stage.nextDue() : undefined;
  if (due) {
    progress.advances += 1;
    return due;
  }
  const isDown = schedule.some(({ kind }) => deviationOf(kind).scope === "until-recovery");
  if (isDown && progress.recovery === null) {
    progress.recovery = run.attempts.length;
    return () => recover(playing);
  }
  await run.settle();
  const settled = isSettled(run.attempts, progress.halts.at(-1)?.after);
  progress.halts = [...progress.halts, { after: run.attempts.length, settled }];
  const canSendAgain = story.by?.sender.facts.resend ?? true;
  if (settled || !canSendAgain || progress.retriedAll || progress.rounds === stage.retries.most)
    return undefined;
  progress.rounds += 1;
  return () => recover(playing);
}

/** The part of an attempt's result that influences the platform. */
const outcomeOf = ({ failed, detail }: SentAttempt): "success" | "failure" | "timeout" =>
  failed ? (detail === null ? "timeout" : "failure") : "success";

/**
 * Sends the requests up to a checkpoint to the subscriber. The platform must not notice a difference. It cannot distinguish
 * a lost request from a lost response, or notice a request that arrives twice.
 * @param setTime called with each attempt's virtual time in milliseconds before it starts
 * @returns false if the platform would notice a difference before the checkpoint
 */
async function follow(
  run: CourierRun,
  { run: before, attempts: count, pauses, progress: { halts } }: Checkpoint,
  setTime: (at: number) => void,
): Promise<boolean> {
  const earlier = before.attempts.slice(0, count);
  let halt = 0;
  let open: Sending[] = [];
  let seen = 0;
  for (let index = 0; index <= count; index += 1) {
    for (; halts[halt]?.after === index; halt += 1) {
      await run.settle();
      if (isSettled(run.attempts, halts[halt - 1]?.after) !== halts[halt]!.settled) return false;
    }
    const attempt = earlier[index];
    if (!attempt) break;
    setTime(attempt.at);
    run.pauses = attempt.pause;
    open.push(run.take(before.requests[index]!, attempt));
    // Requests at the same instant arrive in the schedule's order, so take them together.
    const next = earlier[index + 1];
    if (next?.at === attempt.at && next.pause === attempt.pause) continue;
    for (const { result } of open) await result;
    open = [];
    run.check();
    for (; seen <= index; seen += 1)
      if (outcomeOf(run.attempts[seen]!) !== outcomeOf(earlier[seen]!)) return false;
  }
  run.pauses = pauses;
  return true;
}
