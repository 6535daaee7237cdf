import { paymentsArea } from "../../payments/area.ts";
import { abortable } from "../../runtime/abortable.ts";
import { callsApi } from "../subject/subscriber.ts";
import type { Checkpoint, Progress } from "./checkpoints.ts";
import { isSettled } from "./delivered.ts";
import { follow, recordOf, type Trace } from "./replay.ts";
import { beginRun, CalmRunFailed, type Run, type RunOptions, type Stage } from "./run.ts";
import { BY_HAND, hasSecondEndpoint, type Schedule } from "./schedule.ts";

/** A run that the platform played, and what it did in it. */
export interface Played {
  run: Run;
  trace: Trace;
}

/** A story that never ends would be played for ever: the platform's own schedule of an event has 4 attempts. */
const MOST_ADVANCES = 1_000;
/** How often a person retries what is still undelivered: each time, deviations can spoil it again. */
const MOST_RECOVERIES = 12;

const BEGINNING: Progress = {
  story: 0,
  byHand: 0,
  advances: 0,
  recovery: null,
  rounds: 0,
  retriedAll: false,
  skipped: [],
  halts: [],
};

/** Plays the story with a schedule, on a world at its beginning and an empty subscriber, until nothing more is due. */
export async function play(stage: Stage, schedule: Schedule, options: RunOptions): Promise<Played> {
  return (await playFrom(undefined, stage, schedule, options))!;
}

/**
 * Plays a schedule on the platform from a checkpoint on; until there, for an empty subscriber as the platform played it.
 * @returns undefined if the subscriber answers otherwise until there, or the story does something else
 */
export async function playFrom(
  checkpoint: Checkpoint | undefined,
  stage: Stage,
  schedule: Schedule,
  options: RunOptions,
): Promise<Played | undefined> {
  const { sandbox, checkpoints, story, subject, signal } = stage;
  const { calm } = options;
  const { deliveries, organizations } = sandbox.part(paymentsArea);
  const byHand = schedule.filter(({ kind }) => BY_HAND.has(kind));
  const progress = { ...(checkpoint?.progress ?? BEGINNING) };
  /** The time of the attempt that is repeated, up to the checkpoint. */
  let past: number | undefined;
  const { run, outage, end, leave } = beginRun(stage, schedule, options, {
    now: () => past ?? sandbox.clock.now(),
    recovery: () => progress.recovery,
  });
  const stopListening = sandbox.journal.subscribe(({ type, data }) => {
    if (type === "delivery.skipped" && data.webhook_id === stage.endpoint())
      progress.skipped = [...progress.skipped, data.event_id as string];
  });
  const site = { subscriber: subject.url, calm: calm === undefined, remote: stage.remote };
  const pauses = story.play(sandbox, site, progress.story ?? 0);

  /** What a person does at this point. */
  async function act(): Promise<void> {
    // A payment waits only so long for a subscriber that does not answer.
    if (run.busy) await sandbox.clock.advance({ by: 0 });
    run.check();
    // Without a calm run there is nothing to compare with, so its retries are not worth their time-outs.
    if (!calm && run.attempts.some(({ failed }) => failed)) throw new CalmRunFailed(run.attempts);
    run.pauseNow();
    for (let next = byHand[progress.byHand]; next; next = byHand[progress.byHand]) {
      if (next.at >= run.attempts.length) return;
      const { id } = run.attempts[next.at]!;
      // A time-out is a failure only 30 s later.
      if (next.kind === "manual-retry" && deliveries.byId(id)!.status === "pending") return;
      progress.byHand += 1;
      if (next.kind === "manual-resend") await sandbox.payments.resend(id, {});
      else if (next.kind === "test") await deliveries.test(organizations.main().id, stage.endpoint());
      else await sandbox.payments.retry(id);
      run.check();
    }
  }

  /** A person enables each endpoint that is disabled, and retries what was missed. */
  async function recover(): Promise<void> {
    progress.retriedAll = true;
    for (const { id, status } of stage.endpoints()) {
      if (status === "disabled") sandbox.payments.enableWebhook(id, "/explore");
      const { retried } = await sandbox.payments.retryFailed({ since: "365d", webhook_id: id });
      if (retried > 0) progress.retriedAll = false;
    }
  }

  /** Lets the next thing happen. @returns false once nothing more will */
  async function goOn(): Promise<boolean> {
    if (progress.story !== null) {
      const { done } = await abortable(pauses.next(), signal);
      progress.story = done ? null : progress.story + 1;
      return true;
    }
    // A story that begins in an empty world has no seeded past.
    const own = story.settingsFor !== undefined;
    const isMoreDue = own ? sandbox.clock.hasOwnTimers() : sandbox.world.timers.first() !== undefined;
    if (isMoreDue && progress.advances < MOST_ADVANCES) {
      progress.advances += 1;
      await sandbox.clock.advance({ until: "next", own });
      return true;
    }
    if (outage && progress.recovery === null) {
      progress.recovery = run.attempts.length;
      await recover();
      return true;
    }
    await run.settle();
    const settled = isSettled(run.attempts, progress.halts.at(-1)?.after);
    progress.halts = [...progress.halts, { after: run.attempts.length, settled }];
    if (
      settled ||
      !(story.by?.sender.facts.resend ?? true) ||
      progress.retriedAll ||
      progress.rounds === MOST_RECOVERIES
    )
      return false;
    progress.rounds += 1;
    await recover();
    return true;
  }

  try {
    if (checkpoint) {
      const record = recordOf(checkpoint.run, checkpoint.progress.halts, checkpoint);
      const isSame = await follow(run, record, (at) => {
        past = at;
      });
      if (!isSame) return undefined;
      past = undefined;
    }
    await checkpoints.goBack(checkpoint);
    if (!checkpoint && hasSecondEndpoint(schedule)) stage.registerAgain();
    // A scenario of one's own may call the subscriber itself before the first webhook, and finds it empty.
    const isKnown = story.repeats && options.root.next.size > 0;
    if (story.file !== null && !checkpoint && !isKnown) await run.goLive();
    while (await goOn()) {
      if (checkpoint && !story.repeats) return undefined;
      await act();
      if (story.repeats && !callsApi(subject) && (story.resumes?.(progress.story) ?? true))
        await checkpoints.add(schedule, run, progress);
    }
    const ended = await end(progress.skipped);
    return {
      run: ended,
      trace: { ...recordOf(run, progress.halts), recovery: progress.recovery, skipped: progress.skipped },
    };
  } catch (error) {
    if (checkpoint && !story.repeats) return undefined;
    // What ended the run explains what the platform refused after it.
    run.check();
    throw error;
  } finally {
    leave();
    stopListening();
  }
}
