import type { Sandbox as LibrarySandbox } from "../library/index.ts";
import { paymentsArea } from "../payments/area.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import { wallNow, wallSleep } from "../world/clock.ts";
import { SECOND } from "../world/duration.ts";
import type { SentAttempt } from "./attempt.ts";
import type { CourierRun, ExploreCourier } from "./courier.ts";
import { type BrokenInvariant, checkInvariant, type Invariant } from "./invariant.ts";
import { BY_HAND, type DeviationKind, type Schedule } from "./schedule.ts";
import { differences, type Json } from "./state.ts";
import type { Story } from "./stories.ts";
import type { Subject } from "./subscriber.ts";
import { translationTo } from "./translation.ts";
import { createNames, type WireNode } from "./wire.ts";

/** A story at its beginning, and everything that a run of it needs. */
export interface Stage {
  sandbox: Sandbox;
  /** Takes the world back to before the story, when it has the subscriber's endpoint and nothing else. */
  rewind: () => Promise<void>;
  /** The subscriber's endpoint; a story of one's own registers it itself. */
  endpoint: () => string;
  /** The world as the library has it. */
  remote: () => Promise<LibrarySandbox>;
  courier: ExploreCourier;
  story: Story;
  subject: Subject;
  ignore: readonly string[];
  invariant: Invariant | null;
  /** Numbers what requests say. */
  contentOf: (body: string) => number;
  /** Ends a run, whatever it waits for. */
  signal: AbortSignal;
}

/** The result of playing a schedule. */
export interface Run {
  schedule: Schedule;
  attempts: readonly SentAttempt[];
  /** The number of the first attempt after an outage; null in a run without one. */
  recovery: number | null;
  /** Ids that the platform drew are replaced by those that the calm run had for the same things. */
  state: Json;
  /** Real milliseconds until the state was what it is, after the last answer. */
  lag: number;
  /** Whether every event reached the subscriber; if not, its state cannot be the calm run's. */
  delivered: boolean;
  /** Whether a subscriber cannot tell it from a run before; it was not asked then. */
  alike: boolean;
  broken: BrokenInvariant | null;
}

/** The calm run met a subscriber that does not accept an event although nothing happens to it. */
export class CalmRunFailed extends Error {
  readonly attempts: readonly SentAttempt[];

  constructor(attempts: readonly SentAttempt[]) {
    super("The calm run failed.");
    this.attempts = attempts;
  }
}

/** What a run is compared with, and what is known of the subscriber's answers. */
export interface PlayOptions {
  /** The calm run; without it, the state is read until it no longer changes. */
  calm?: Run | undefined;
  root: WireNode;
}

/** A story that never ends would be played for ever: the platform's own schedule of an event has 4 attempts. */
const MOST_PAUSES = 1_000;
/** How often a person retries what is still undelivered: each time, deviations can spoil it again. */
const MOST_RECOVERIES = 12;

/** How long a subscriber that works after its answers may take until its state shows it. */
const SETTLES_WITHIN_MS = 2 * SECOND;
/** The state of one that took no time in the calm run is waited for at least so long, before it counts as different. */
const LEAST_PATIENCE_MS = 100;
const POLL_MS = 10;

/** Plays the story with a schedule, on a world at its beginning and an empty subscriber, until nothing more is due. */
export async function play(stage: Stage, schedule: Schedule, { calm, root }: PlayOptions): Promise<Run> {
  const { sandbox, rewind, courier, story, subject, signal, invariant } = stage;
  const { deliveries, organizations } = sandbox.part(paymentsArea);
  await rewind();
  const onTheWire = new Map(
    schedule.filter(({ kind }) => !BY_HAND.has(kind)).map(({ at, kind }) => [at, kind]),
  );
  const byHand = schedule.filter(({ kind }) => BY_HAND.has(kind));
  const outage = schedule.find(({ kind }) => kind === "outage");
  let recovery: number | null = null;
  let broken: BrokenInvariant | null = null;
  let unsent = 0;
  const ordinals = new Map<string, number>();

  const run: CourierRun = courier.begin({
    now: sandbox.clock.now,
    deviationOf: (index): DeviationKind | undefined =>
      outage && index >= outage.at && recovery === null ? "outage" : onTheWire.get(index),
    nameOf: createNames(stage.contentOf, (eventId) => {
      if (!ordinals.has(eventId)) ordinals.set(eventId, ordinals.size);
      return ordinals.get(eventId)!;
    }),
    isBackground: story.isBackground ?? (() => false),
    root,
    reset: () => abortable(subject.reset(), signal),
    onStep: invariant?.always ? checkStep : undefined,
  });
  const translate = (value: Json): Json => translationTo(calm?.attempts, run.attempts)(value);
  const stopListening = sandbox.journal.subscribe(({ type, data }) => {
    if (type === "delivery.skipped" && data.webhook_id === stage.endpoint()) unsent += 1;
  });
  const abort = () => run.fail(signal.reason);
  signal.addEventListener("abort", abort);
  if (signal.aborted) abort();

  async function checkStep(node: WireNode, live: boolean): Promise<void> {
    if (live) node.state = translate(await abortable(subject.state(), signal));
    if (broken || !("state" in node)) return;
    const message = await checkInvariant(invariant!, node.state, run.attempts, translate);
    if (message !== undefined) broken = { message, after: run.attempts.length - 1 };
  }

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

  try {
    const site = { subscriber: subject.url, calm: calm === undefined, remote: stage.remote };
    const pauses = story.play(sandbox, site);
    while (!(await abortable(pauses.next(), signal)).done) await act();
    await runDry();
    if (outage) {
      recovery = run.attempts.length;
      await recover();
    }
    await run.settle();
    for (let round = 0; round < MOST_RECOVERIES && !reached(run.attempts); round += 1) {
      if (!(await recover())) break;
      await run.settle();
    }
    run.check();
    const alike = !run.live && run.node.end !== undefined;
    if (!alike) {
      if (!run.live) await run.goLive();
      const read = async () => translate(await abortable(subject.state(), signal));
      run.node.end = await (calm ? awaitState(read, calm, stage.ignore) : settleState(read, stage.ignore));
    }
    const { state, lag } = run.node.end!;
    if (invariant && !broken) {
      const message = await checkInvariant(invariant, state, run.attempts, translate);
      if (message !== undefined) broken = { message, after: null };
    }
    const delivered = unsent === 0 && reached(run.attempts);
    return { schedule, attempts: run.attempts, recovery, state, lag, delivered, alike, broken };
  } catch (error) {
    // What ended the run explains what the platform refused after it.
    run.check();
    throw error;
  } finally {
    signal.removeEventListener("abort", abort);
    stopListening();
  }
}

/**
 * Whether every event reached the subscriber: it answered 2xx, or refused the last attempt itself. A schedule that ends
 * otherwise ends elsewhere through no fault of the subscriber.
 */
function reached(attempts: readonly SentAttempt[]): boolean {
  const accepted = new Set<string>();
  const lastArrived = new Map<string, boolean>();
  for (const { eventId, trigger, arrivals, status } of attempts) {
    if (trigger === "test") continue;
    if (status !== null && status >= 200 && status <= 299) accepted.add(eventId);
    lastArrived.set(eventId, arrivals > 0);
  }
  return [...lastArrived].every(([eventId, arrived]) => arrived || accepted.has(eventId));
}

/** Rejects as soon as the signal says so, whatever the work does then. */
function abortable<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
  // It may still fail when nothing waits for it any more.
  work.catch(() => undefined);
  if (signal.aborted) return Promise.reject(signal.reason);
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    signal.addEventListener("abort", abort, { once: true });
    void work.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}

type Settled = { state: Json; lag: number };

/** Reads the state until it is that of the calm run, or has had several times as long as the calm run's. */
async function awaitState(read: () => Promise<Json>, calm: Run, ignore: readonly string[]): Promise<Settled> {
  const began = wallNow();
  const patience = Math.min(SETTLES_WITHIN_MS, Math.max(LEAST_PATIENCE_MS, 4 * calm.lag));
  for (;;) {
    const state = await read();
    const lag = wallNow() - began;
    if (lag >= patience || differences(calm.state, state, ignore).length === 0) return { state, lag };
    await wallSleep(POLL_MS);
  }
}

/** Reads the state until it has not changed for a while. */
async function settleState(read: () => Promise<Json>, ignore: readonly string[]): Promise<Settled> {
  const began = wallNow();
  let state = await read();
  let lag = 0;
  while (wallNow() - began < Math.min(SETTLES_WITHIN_MS, 2 * lag + LEAST_PATIENCE_MS)) {
    await wallSleep(POLL_MS);
    const next = await read();
    if (differences(state, next, ignore).length > 0) lag = wallNow() - began;
    state = next;
  }
  return { state, lag };
}
