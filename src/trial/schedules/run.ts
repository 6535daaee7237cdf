import type { Sandbox as LibrarySandbox } from "../../library/index.ts";
import { abortable } from "../../runtime/abortable.ts";
import type { Sandbox } from "../../sandbox/sandbox.ts";
import type { CourierAttempt } from "../../webhooks/courier.ts";
import type { Story } from "../stories/stories.ts";
import type { Comparison, Json } from "../subject/state.ts";
import type { Subject } from "../subject/subscriber.ts";
import type { SentAttempt } from "./attempt.ts";
import type { Checkpoints, Progress } from "./checkpoints.ts";
import type { ExploreCourier } from "./courier.ts";
import type { CourierOptions } from "./courier-options.ts";
import { type Refusal, refusedForEver, undelivered } from "./delivered.ts";
import { deviationOf } from "./deviations/index.ts";
import { type BrokenInvariant, checkInvariant, type Invariant } from "./invariant.ts";
import { type Passing, passingWords } from "./passing.ts";
import { isOfOneAttempt, type Schedule } from "./schedule.ts";
import { awaitState, POLL_MS, SETTLES_WITHIN_MS, type Settled, settleState } from "./settle.ts";
import { translationTo } from "./translation.ts";
import { createNames, type WireNode } from "./wire.ts";

/** A story ready to run, with everything that a run needs. */
export interface Stage {
  sandbox: Sandbox;
  /** Restores the world, which at its beginning contains only the subscriber's endpoint. */
  checkpoints: Checkpoints;
  /** The id of the subscriber's endpoint. A scenario registers the endpoint itself. */
  endpoint: () => string;
  /** The endpoint, and the second one with the same URL, if any. */
  endpoints: () => { id: string; status: string }[];
  isSecond: (webhookId: string) => boolean;
  registerAgain: () => void;
  /** Reads the subscriber's state, including the outside effects of its calls and responses. */
  state: (attempts: readonly SentAttempt[]) => Promise<Json>;
  /** The state before the first delivery, without the effects of an earlier run's calls. */
  stateBefore: () => Promise<Json>;
  /** API calls that the sender file does not describe. */
  unknownCalls: () => Promise<readonly string[]>;
  /** Points the API server at this world, if the world is served. */
  serveApi: () => void;
  /** The world as the library's sandbox object. */
  remote: () => Promise<LibrarySandbox>;
  courier: ExploreCourier;
  story: Story;
  subject: Subject;
  comparison: Comparison;
  invariant: Invariant | null;
  /** The intermediate states of a story that ends where it began. They are compared, too. */
  passing: Passing | undefined;
  contentOf: (body: string) => number;
  /** The next due work after the story has ended; undefined if nothing more is due. */
  nextDue: () => (() => Promise<unknown>) | undefined;
  /** How many times a person retries undelivered events at the end (a deviation can spoil a try), and since when. */
  retries: { most: number; since: string };
  /** Whether the subscriber remembers earlier runs. If so, events need fresh ids. */
  remembers: boolean;
  /** Aborts a run, even while it is waiting. */
  signal: AbortSignal;
  /** Adds the endpoint's timeline to the latest run. */
  draw: (run: Run) => DrawnRun;
  close: () => Promise<void>;
}

export interface Run {
  schedule: Schedule;
  attempts: readonly SentAttempt[];
  /** The number of the first attempt after an outage; null if there was no outage. */
  recovery: number | null;
  /** The state, with the platform's ids replaced by the calm run's corresponding ones. */
  state: Json;
  /** How long the subscriber kept working after a response, until its state showed the result, in real milliseconds. */
  lag: number;
  /** The numbers of events that never reached the subscriber. */
  undelivered: string;
  /** Whether the same events reached the subscriber as in the calm run. Otherwise, the states cannot be compared. */
  delivered: boolean;
  /** Events that the subscriber permanently rejected but accepts in the calm run. */
  refused: readonly Refusal[];
  /** Identifies what the subscriber sees: runs with equal paths look the same to it. Undefined if it calls an API. */
  path?: string | undefined;
  broken: BrokenInvariant | null;
}

/** A run with its endpoint's final timeline. */
export interface DrawnRun extends Run {
  timeline: EndpointTimeline;
  /** The timeline of the second endpoint with the same URL; null if there is no second endpoint. */
  second: EndpointTimeline | null;
}

export type EndpointTimeline = ReturnType<Sandbox["webhooks"]["timeline"]>;

/** The subscriber did not accept an event in the calm run, which has no deviations. */
export class CalmRunFailed extends Error {
  readonly attempts: readonly SentAttempt[];

  constructor(attempts: readonly SentAttempt[]) {
    super("The calm run failed.");
    this.attempts = attempts;
  }
}

export interface RunOptions {
  /** The calm run for comparison; if omitted, the state is read until it no longer changes. */
  calm?: Run | undefined;
  /** The state of an empty subscriber. As long as the state equals this one, it is read again. */
  empty?: Json;
  /** The expected state: by default, the calm run's; in a repeated calm run, the earlier one's final state. */
  awaited?: Json;
  /** Whether the run ends with `Stuck` when a request without a deviation gets no response. */
  endsWhenStuck?: boolean;
  /** How long to wait for the state, in real milliseconds: by default, the lag of the `calm` run. */
  lag?: number | undefined;
  /** The deviation that the user chose for an attempt, regardless of its number. */
  wishFor?: (attempt: CourierAttempt) => string | undefined;
  /** Called after each step with a function that reads the state, and with the attempts so far. */
  onStep?: (read: () => Promise<Json>, attempts: readonly SentAttempt[]) => Promise<void>;
  root: WireNode;
}

/** The minimum wait, during which a state that differs from the calm run's may still become equal. */
const LEAST_PATIENCE_MS = 100;

function happenings(
  schedule: Schedule,
  story: Story,
  progress: Progress,
  wishFor: RunOptions["wishFor"],
): Pick<CourierOptions, "deviationAt" | "newSecretOf"> {
  const onTheWire = new Map(schedule.filter(({ kind }) => isOfOneAttempt(kind)).map((one) => [one.at, one]));
  const outage = schedule.find(({ kind }) => deviationOf(kind).scope === "until-recovery");
  const rotation = schedule.find(({ kind }) => deviationOf(kind).newSecretOf);
  return {
    deviationAt(index, attempt) {
      const { recovery } = progress;
      const isDown = outage && index >= outage.at && (recovery === null || index < recovery);
      if (isDown) return outage;
      const wish = wishFor?.(attempt);
      return wish === undefined ? onTheWire.get(index) : { kind: wish };
    },
    newSecretOf: (index) =>
      rotation && index >= rotation.at ? deviationOf(rotation.kind).newSecretOf!(story) : undefined,
  };
}

/**
 * Starts a run on the subscriber's side: sends requests according to the schedule, and reads the final state.
 * @param now returns the time of an attempt that is starting, in virtual milliseconds
 */
export function beginRun(
  stage: Stage,
  schedule: Schedule,
  options: RunOptions,
  progress: Progress,
  now: () => number,
) {
  const { calm, root, lag = calm?.lag ?? 0, awaited = calm?.state } = options;
  const { courier, story, subject, signal, invariant, comparison } = stage;
  let broken: BrokenInvariant | null = null;

  stage.serveApi();
  const run = courier.begin({
    now,
    ...happenings(schedule, story, progress, options.wishFor),
    nameOf: createNames(stage.contentOf),
    marksOf: ({ webhookId }, body) => ({
      background: story.isBackground?.(body) ?? false,
      second: stage.isSecond(webhookId),
    }),
    ...{ root, subject, endsWhenStuck: options.endsWhenStuck ?? false },
    reset: () => abortable(subject.state.reset(), signal),
    rest: subject.idle ? () => abortable(subject.idle!(), signal) : lag === 0 ? undefined : rest,
    onStep: invariant?.always || stage.passing || options.onStep ? checkStep : undefined,
  });
  const translate = (value: Json): Json => translationTo(calm?.attempts, run.attempts)(value);
  const read = async (): Promise<Json> => translate(await abortable(stage.state(run.attempts), signal));
  const abort = () => run.fail(signal.reason);
  signal.addEventListener("abort", abort);
  if (signal.aborted) abort();

  /** The state after the latest step. */
  let latest: Json;
  /** Waits until the subscriber has finished. Only virtual time passes between two attempts; in reality it would be done by then. */
  async function rest(node: { settled?: Json }): Promise<void> {
    const isThere = (state: Json): boolean => {
      if ("settled" in node) return comparison.isEqual(node.settled, state);
      // If the state becomes equal to the calm run's, the work is done. If it was equal before, that proves nothing.
      return calmState !== undefined && latest !== undefined && isCalm(state) && !isCalm(latest);
    };
    ({ state: latest } = await awaitState(read, isThere, 1.5 * lag + 2 * POLL_MS));
    node.settled = latest;
  }
  const calmState = calm ? calm.state : awaited;
  const isCalm = (state: Json): boolean => comparison.isEqual(calmState, state);

  async function checkStep(node: WireNode, live: boolean): Promise<void> {
    await options.onStep?.(read, run.attempts);
    const passing = calm && stage.passing;
    if (!invariant?.always && !passing) return;
    const passingIn = (state: Json) => passing && passingWords(stage, run.attempts, state);
    if (live) ({ state: node.state } = await awaitState(read, (state) => !passingIn(state), subject.quiet));
    if (broken || !("state" in node)) return;
    const message =
      passingIn(node.state) ??
      (invariant?.always ? await checkInvariant(invariant, node.state, run.attempts, translate) : undefined);
    if (message !== undefined)
      broken = { message, after: run.attempts.findLastIndex(({ arrivals }) => arrivals > 0) };
  }

  return {
    run,

    async end(): Promise<Run> {
      run.check();
      const { attempts, arrivals } = run;
      const { skipped, recovery } = progress;
      const left = undelivered(attempts, skipped);
      const delivered = left === (calm?.undelivered ?? left);
      // A run that looks like an earlier one is not sent again.
      if (arrivals.live || !arrivals.node.end) {
        if (!arrivals.live) await arrivals.goLive();
        await (subject.idle && abortable(subject.idle(), signal));
        arrivals.node.end = await lastState(stage, options, read, delivered);
      }
      const { state, lag } = arrivals.node.end!;
      if (invariant && !broken) {
        const message = await checkInvariant(invariant, state, run.attempts, translate);
        if (message !== undefined) broken = { message, after: null };
      }
      broken = endOf(attempts) ?? broken;
      return {
        ...{ schedule, attempts, recovery, state, lag, undelivered: left, delivered, broken },
        path: arrivals.node.path,
        refused: delivered ? refusedForEver(attempts) : [],
      };
    },

    leave: (): void => signal.removeEventListener("abort", abort),
  };
}

/** The attempt during which the server exited on its own. */
function endOf(attempts: readonly SentAttempt[]): BrokenInvariant | undefined {
  const after = attempts.findIndex(({ hasEnded }) => hasEnded);
  if (after < 0) return undefined;
  const what =
    attempts[after]!.deviation === "db-error-lost" ? "its database connection is lost" : "a statement fails";
  return { message: `The server stops when ${what}.`, after, isEnd: true };
}

/** Reads a run's final state. @param counts whether the state is compared with the calm run's */
function lastState(
  { subject, invariant, comparison: { isEqual } }: Stage,
  { calm, empty, awaited = calm?.state }: RunOptions,
  read: () => Promise<Json>,
  counts: boolean,
): Promise<Settled> {
  const { quiet } = subject;
  if (!calm) return settleState(read, isEqual, { empty, awaited, quiet });
  // If the state is compared, wait long enough that slowness cannot explain a difference.
  const least = counts ? quiet : invariant ? LEAST_PATIENCE_MS : undefined;
  const isPatient = !subject.idle && least !== undefined;
  const patience = isPatient ? Math.min(SETTLES_WITHIN_MS, Math.max(least, 4 * calm.lag)) : 0;
  return awaitState(read, (state) => isEqual(awaited, state), patience, subject.statements?.quietFor);
}
