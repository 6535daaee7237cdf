import { paymentsArea } from "../payments/area.ts";
import { type Halt, type Trace, traceOf } from "./replay.ts";
import { abortable, beginRun, CalmRunFailed, type Run, type RunOptions, reached, type Stage } from "./run.ts";
import { BY_HAND, type Schedule } from "./schedule.ts";

/** A run that the platform played, and what it did in it. */
export interface Played {
  run: Run;
  trace: Trace;
}

/** A story that never ends would be played for ever: the platform's own schedule of an event has 4 attempts. */
const MOST_PAUSES = 1_000;
/** How often a person retries what is still undelivered: each time, deviations can spoil it again. */
const MOST_RECOVERIES = 12;

/** Plays the story with a schedule, on a world at its beginning and an empty subscriber, until nothing more is due. */
export async function play(stage: Stage, schedule: Schedule, options: RunOptions): Promise<Played> {
  const { sandbox, rewind, story, subject, signal } = stage;
  const { calm } = options;
  const { deliveries, organizations } = sandbox.part(paymentsArea);
  await rewind();
  const byHand = schedule.filter(({ kind }) => BY_HAND.has(kind));
  let recovery: number | null = null;
  let skipped = 0;
  const halts: Halt[] = [];
  const { run, outage, end, leave } = beginRun(stage, schedule, options, {
    now: sandbox.clock.now,
    recovery: () => recovery,
  });
  const stopListening = sandbox.journal.subscribe(({ type, data }) => {
    if (type === "delivery.skipped" && data.webhook_id === stage.endpoint()) skipped += 1;
  });

  /** What a person does at this point. */
  async function act(): Promise<void> {
    // A payment waits only so long for a subscriber that does not answer.
    if (run.busy) await sandbox.clock.advance({ by: 0 });
    run.check();
    // Without a calm run there is nothing to compare with, so its retries are not worth their time-outs.
    if (!calm && run.attempts.some(({ failed }) => failed)) throw new CalmRunFailed(run.attempts);
    run.pauseNow();
    while (byHand[0] && byHand[0].at < run.attempts.length) {
      const { at, kind } = byHand[0];
      const { id } = run.attempts[at]!;
      // A time-out is a failure only 30 s later.
      if (kind === "manual-retry" && deliveries.byId(id)!.status === "pending") return;
      byHand.shift();
      if (kind === "test") await deliveries.test(organizations.main().id, stage.endpoint());
      else await sandbox.payments.retry(id);
      run.check();
    }
  }

  async function runDry(): Promise<void> {
    for (let pauses = 0; pauses < MOST_PAUSES; pauses += 1) {
      await act();
      // A story that begins in an empty world has no seeded past.
      const own = story.settingsFor !== undefined;
      if (own ? !sandbox.clock.hasOwnTimers() : sandbox.world.timers.first() === undefined) return;
      await sandbox.clock.advance({ until: "next", own });
    }
  }

  /** A person enables the endpoint if it is disabled, and retries what was missed. */
  async function recover(): Promise<boolean> {
    if (sandbox.payments.webhooks().find(({ id }) => id === stage.endpoint())!.status === "disabled")
      sandbox.payments.enableWebhook(stage.endpoint(), "/explore");
    const { retried } = await sandbox.payments.retryFailed({ since: "365d", webhook_id: stage.endpoint() });
    await runDry();
    return retried > 0;
  }

  async function settle(): Promise<void> {
    await run.settle();
    halts.push({ after: run.attempts.length, reached: reached(run.attempts) });
  }

  try {
    const site = { subscriber: subject.url, calm: calm === undefined, remote: stage.remote };
    const pauses = story.play(sandbox, site);
    while (!(await abortable(pauses.next(), signal)).done) await act();
    await runDry();
    if (outage) {
      recovery = run.attempts.length;
      await recover();
    }
    await settle();
    for (let round = 0; round < MOST_RECOVERIES && !reached(run.attempts); round += 1) {
      if (!(await recover())) break;
      await settle();
    }
    const ended = await end(skipped);
    return { run: ended, trace: traceOf(run, { recovery, skipped, halts }) };
  } catch (error) {
    // What ended the run explains what the platform refused after it.
    run.check();
    throw error;
  } finally {
    leave();
    stopListening();
  }
}
