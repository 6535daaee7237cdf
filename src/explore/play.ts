import { paymentsArea } from "../payments/area.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import { wallNow, wallSleep } from "../world/clock.ts";
import { SECOND } from "../world/duration.ts";
import type { ExploreCourier, SentAttempt } from "./courier.ts";
import type { DeviationKind, Schedule } from "./schedule.ts";
import { differences, type Json, withLabels } from "./state.ts";
import type { Story } from "./stories.ts";
import type { Subject } from "./subscriber.ts";

/** A story at its beginning, and everything that a run of it needs. */
export interface Stage {
  sandbox: Sandbox;
  /** Takes the world back to before the story, when it has the subscriber's endpoint and nothing else. */
  rewind: () => Promise<void>;
  endpoint: string;
  courier: ExploreCourier;
  story: Story;
  subject: Subject;
  ignore: readonly string[];
}

/** What a run came to. */
export interface Run {
  schedule: Schedule;
  attempts: readonly SentAttempt[];
  state: Json;
  /** Real milliseconds until the state was what it is, after the last answer. */
  lag: number;
}

/** A story that never ends would be played for ever: the platform's own schedule of an event has 4 attempts. */
const MOST_PAUSES = 1_000;

/** How long a subscriber that works after its answers may take until its state shows it. */
const SETTLES_WITHIN_MS = 2 * SECOND;
/** The state of one that took no time in the calm run is waited for at least so long, before it counts as different. */
const LEAST_PATIENCE_MS = 100;
const POLL_MS = 10;

/**
 * Plays the story with a schedule, on a world and a subscriber that begin anew, until nothing more is due.
 * @param calm the run whose state this one should end in; without it, the state is read until it no longer changes
 */
export async function play(stage: Stage, schedule: Schedule, calm?: Run): Promise<Run> {
  const { sandbox, rewind, courier, story, subject } = stage;
  const { deliveries, organizations } = sandbox.part(paymentsArea);
  await subject.reset();
  await rewind();
  const onTheWire = new Map(
    schedule.filter(({ kind }) => !BY_HAND.has(kind)).map(({ at, kind }) => [at, kind]),
  );
  const byHand = schedule.filter(({ kind }) => BY_HAND.has(kind));
  const outage = schedule.find(({ kind }) => kind === "outage");
  let down = outage !== undefined;
  courier.begin({
    now: sandbox.clock.now,
    deviationOf: (at) => (down && outage && at >= outage.at ? "outage" : onTheWire.get(at)),
  });

  /** What a person does at this point. */
  async function act(): Promise<void> {
    courier.pauseNow();
    while (byHand[0] && byHand[0].at < courier.attempts.length) {
      const { at, kind } = byHand[0];
      const { id } = courier.attempts[at]!;
      // A time-out is a failure only 30 s later.
      if (kind === "manual-retry" && deliveries.byId(id)!.status === "pending") return;
      byHand.shift();
      if (kind === "test") await deliveries.test(organizations.main().id, stage.endpoint);
      else await sandbox.payments.retry(id);
    }
  }
  async function runDry(): Promise<void> {
    for (let pauses = 0; pauses < MOST_PAUSES; pauses += 1) {
      await act();
      const { timers } = sandbox.clock.preview({ until: "next" });
      if (timers.length === 0) return;
      await sandbox.clock.advance({ until: "next" });
    }
  }

  for await (const _pause of story.play(sandbox)) await act();
  await runDry();
  if (down) {
    down = false;
    if (sandbox.payments.webhooks().find(({ id }) => id === stage.endpoint)!.status === "disabled")
      sandbox.payments.enableWebhook(stage.endpoint, "/explore");
    await sandbox.payments.retryFailed({ since: "365d", webhook_id: stage.endpoint });
    await runDry();
  }
  await courier.settle();
  return {
    schedule,
    attempts: courier.attempts,
    ...(await (calm ? awaitState(stage, calm) : settleState(stage))),
  };
}

const BY_HAND: ReadonlySet<DeviationKind> = new Set(["manual-retry", "test"]);

async function readState({ subject, courier }: Stage): Promise<Json> {
  return withLabels(await subject.state(), labelsOf(courier.attempts));
}

/** Reads the state until it is that of the calm run, or has had several times as long as the calm run's. */
async function awaitState(stage: Stage, calm: Run): Promise<Pick<Run, "state" | "lag">> {
  const began = wallNow();
  const patience = Math.min(SETTLES_WITHIN_MS, Math.max(LEAST_PATIENCE_MS, 4 * calm.lag));
  for (;;) {
    const state = await readState(stage);
    const lag = wallNow() - began;
    if (lag >= patience || differences(calm.state, state, stage.ignore).length === 0) return { state, lag };
    await wallSleep(POLL_MS);
  }
}

/** Reads the state until it has not changed for a while. */
async function settleState(stage: Stage): Promise<Pick<Run, "state" | "lag">> {
  const began = wallNow();
  let state = await readState(stage);
  let lag = 0;
  while (wallNow() - began < Math.min(SETTLES_WITHIN_MS, 2 * lag + LEAST_PATIENCE_MS)) {
    await wallSleep(POLL_MS);
    const next = await readState(stage);
    if (differences(state, next, stage.ignore).length > 0) lag = wallNow() - began;
    state = next;
  }
  return { state, lag };
}

/**
 * What ids of events and deliveries stand for. A test between two events, or one attempt more, gives those after it
 * other ids, which is no difference to a subscriber.
 */
function labelsOf(attempts: readonly SentAttempt[]): Map<string, string> {
  const labels = new Map<string, string>();
  let events = 0;
  for (const { id, eventId, event, trigger } of attempts) {
    if (!labels.has(eventId)) {
      if (trigger === "test") labels.set(eventId, "test event");
      else {
        events += 1;
        labels.set(eventId, `event ${events}, ${event}`);
      }
    }
    labels.set(id, `delivery of ${labels.get(eventId)}`);
  }
  return labels;
}
