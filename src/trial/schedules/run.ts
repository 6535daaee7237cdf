import type { Sandbox as LibrarySandbox } from "../../library/index.ts";
import { abortable } from "../../runtime/abortable.ts";
import type { Sandbox } from "../../sandbox/sandbox.ts";
import { SECOND } from "../../world/duration.ts";
import type { Story } from "../stories/stories.ts";
import type { Comparison, Json } from "../subject/state.ts";
import type { Subject } from "../subject/subscriber.ts";
import type { SentAttempt } from "./attempt.ts";
import type { Checkpoints } from "./checkpoints.ts";
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

/** A story at its beginning, and everything that a run of it needs. */
export interface Stage {
  sandbox: Sandbox;
  /** Takes the world back: at its beginning, it has the subscriber's endpoint and nothing else. */
  checkpoints: Checkpoints;
  /** The subscriber's endpoint; a story of one's own registers it itself. */
  endpoint: () => string;
  /** It, and the second one with the same URL if there is one. */
  endpoints: () => { id: string; status: string }[];
  /** Whether an endpoint is that second one. */
  isSecond: (webhookId: string) => boolean;
  /** Registers the subscriber's URL a second time. */
  registerAgain: () => void;
  /** Reads the subscriber's state, with what its calls of the sender's API did. */
  state: () => Promise<Json>;
  /** The same before the first delivery, without anything that calls of an earlier run did. */
  stateBefore: () => Promise<Json>;
  /** Calls that the sender's file does not describe. */
  unknownCalls: () => Promise<readonly string[]>;
  /** Lets the API, where it is served, answer for this world. */
  serveApi: () => void;
  /** The world as the library has it. */
  remote: () => Promise<LibrarySandbox>;
  courier: ExploreCourier;
  story: Story;
  subject: Subject;
  /** Compares two states. */
  differences: Comparison["differences"];
  viewer: Comparison["viewer"];
  invariant: Invariant | null;
  /** Where the story ends where it began: the states on its way, which are compared, too. */
  passing: Passing | undefined;
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
  /** Real milliseconds that the subscriber works on after an answer, until its state shows it. */
  lag: number;
  /** The numbers of the events that never reached the subscriber. */
  undelivered: string;
  /** Whether the same events reached it as in the calm run; if not, its state cannot be the calm run's. */
  delivered: boolean;
  /** What the subscriber refused for ever, although it accepts it in the calm run. */
  refused: readonly Refusal[];
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

export interface RunOptions {
  /** The calm run, which a run is compared with; without it, the state is read until it no longer changes. */
  calm?: Run | undefined;
  /** The state of an empty subscriber: a state that is still equal to it is waited for. */
  empty?: Json;
  /** The state that is expected; without it, that of the calm run. In a calm run, the one that an earlier one ended in. */
  awaited?: Json;
  /** As of the calm run. By default, that of the calm run that is compared with. */
  lag?: number | undefined;
  /** Called after each step, with what reads the state and the attempts so far. */
  onStep?: (read: () => Promise<Json>, attempts: readonly SentAttempt[]) => Promise<void>;
  /** What is known of the subscriber's answers. */
  root: WireNode;
}

/** What a run is made of: the platform, or a record of it. */
export interface RunSource {
  /** Virtual milliseconds. */
  now: () => number;
  /** The number of the first attempt after the schedule's outage; null before that attempt, and without an outage. */
  recovery: () => number | null;
}

/** How long the state of a calm run must stay as it is, after twice the time of its latest change. */
const QUIET_MS = { server: SECOND / 2, function: SECOND / 10 };
/** A state that differs from the calm run's may still become equal to it. */
const LEAST_PATIENCE_MS = 100;

/** What a schedule does to each attempt. */
function happenings(
  schedule: Schedule,
  story: Story,
  { recovery: recoveryNow }: RunSource,
): Pick<CourierOptions, "deviationAt" | "newSecretOf"> {
  const onTheWire = new Map(schedule.filter(({ kind }) => isOfOneAttempt(kind)).map((one) => [one.at, one]));
  const outage = schedule.find(({ kind }) => deviationOf(kind).scope === "until-recovery");
  const rotation = schedule.find(({ kind }) => deviationOf(kind).newSecretOf);
  return {
    deviationAt(index) {
      const recovery = recoveryNow();
      const isDown = outage && index >= outage.at && (recovery === null || index < recovery);
      return isDown ? outage : onTheWire.get(index);
    },
    newSecretOf: (index) =>
      rotation && index >= rotation.at ? deviationOf(rotation.kind).newSecretOf!(story) : undefined,
  };
}

/** Begins a run on the subscriber's side: what arrives there by the schedule, and the state that it ends in. */
export function beginRun(stage: Stage, schedule: Schedule, options: RunOptions, source: RunSource) {
  const { calm, root, lag = calm?.lag ?? 0, awaited = calm?.state } = options;
  const { courier, story, subject, signal, invariant, differences } = stage;
  let broken: BrokenInvariant | null = null;
  const ordinals = new Map<string, number>();

  stage.serveApi();
  const run = courier.begin({
    now: source.now,
    ...happenings(schedule, story, source),
    nameOf: createNames(stage.contentOf, (eventId) => {
      if (!ordinals.has(eventId)) ordinals.set(eventId, ordinals.size);
      return ordinals.get(eventId)!;
    }),
    marksOf: ({ webhookId }, body) => ({
      background: story.isBackground?.(body) ?? false,
      second: stage.isSecond(webhookId),
    }),
    ...{ root, subject },
    // Senders sign the machine's time by themselves.
    hasMachineTime: subject.atNow === true && story.by === undefined,
    reset: () => abortable(subject.reset(), signal),
    rest: subject.idle ? () => abortable(subject.idle!(), signal) : lag === 0 ? undefined : rest,
    onStep: invariant?.always || stage.passing || options.onStep ? checkStep : undefined,
  });
  const translate = (value: Json): Json => translationTo(calm?.attempts, run.attempts)(value);
  const read = async (): Promise<Json> => translate(await abortable(stage.state(), signal));
  const abort = () => run.fail(signal.reason);
  signal.addEventListener("abort", abort);
  if (signal.aborted) abort();

  /** The state after the latest rest. */
  let latest: Json;
  /** Between two attempts is virtual time, in which the subscriber would have been done. */
  async function rest(node: { settled?: Json }): Promise<void> {
    const isThere = (state: Json): boolean => {
      if ("settled" in node) return differences(node.settled, state).length === 0;
      // What leads to the state of the calm run has been done then. Without a change, it may still be under way.
      return calmState !== undefined && latest !== undefined && isCalm(state) && !isCalm(latest);
    };
    ({ state: latest } = await awaitState(read, isThere, 1.5 * lag + 2 * POLL_MS));
    node.settled = latest;
  }
  const calmState = calm ? calm.state : awaited;
  const isCalm = (state: Json): boolean => differences(calmState, state).length === 0;

  async function checkStep(node: WireNode, live: boolean): Promise<void> {
    await options.onStep?.(read, run.attempts);
    const passing = calm && stage.passing;
    if (!invariant?.always && !passing) return;
    const passingIn = (state: Json) => passing && passingWords(stage, run.attempts, state);
    if (live)
      ({ state: node.state } = await awaitState(read, (state) => !passingIn(state), quietOf(subject)));
    if (broken || !("state" in node)) return;
    const message =
      passingIn(node.state) ??
      (invariant?.always ? await checkInvariant(invariant, node.state, run.attempts, translate) : undefined);
    if (message !== undefined) broken = { message, after: run.attempts.length - 1 };
  }

  return {
    run,

    /** Reads the state that the run ends in. @param skipped the events that the platform did not try to deliver */
    async end(skipped: readonly string[]): Promise<Run> {
      run.check();
      const { attempts } = run;
      const left = undelivered(attempts, skipped);
      const delivered = left === (calm?.undelivered ?? left);
      const alike = !run.live && run.node.end !== undefined;
      if (!alike) {
        if (!run.live) await run.goLive();
        await (subject.idle && abortable(subject.idle(), signal));
        run.node.end = await lastState(stage, options, read, delivered);
      }
      const { state, lag } = run.node.end!;
      if (invariant && !broken) {
        const message = await checkInvariant(invariant, state, run.attempts, translate);
        if (message !== undefined) broken = { message, after: null };
      }
      broken = endOf(attempts) ?? broken;
      const recovery = source.recovery();
      return {
        ...{ schedule, attempts, recovery, state, lag, undelivered: left, delivered, alike, broken },
        refused: delivered ? refusedForEver(attempts) : [],
      };
    },

    leave: (): void => signal.removeEventListener("abort", abort),
  };
}

/** Where the server ended by itself. */
function endOf(attempts: readonly SentAttempt[]): BrokenInvariant | undefined {
  const after = attempts.findIndex(({ hasEnded }) => hasEnded);
  if (after < 0) return undefined;
  const what =
    attempts[after]!.deviation === "db-error-lost"
      ? "its connection to the database is lost"
      : "a statement fails";
  return { message: `The server ends when ${what}.`, after, isEnd: true };
}

/** Real milliseconds that a state must stay as it is. */
export const quietOf = ({ idle, quiet, handler }: Subject): number =>
  idle ? 0 : (quiet ?? QUIET_MS[handler ? "function" : "server"]);

/** Reads the state that a run ends in. @param counts whether it is compared with that of the calm run */
function lastState(
  { subject, invariant, differences }: Stage,
  { calm, empty, awaited = calm?.state }: RunOptions,
  read: () => Promise<Json>,
  counts: boolean,
): Promise<Settled> {
  const isEqual = (one: Json, other: Json): boolean => differences(one, other).length === 0;
  const quiet = quietOf(subject);
  if (!calm) return settleState(read, isEqual, { empty, awaited, quiet });
  // Where the state counts, it is given time enough that being slow is no explanation for a difference.
  const least = counts ? quiet : invariant ? LEAST_PATIENCE_MS : undefined;
  const isPatient = !subject.idle && least !== undefined;
  const patience = isPatient ? Math.min(SETTLES_WITHIN_MS, Math.max(least, 4 * calm.lag)) : 0;
  return awaitState(read, (state) => isEqual(awaited, state), patience, subject.statements?.quietFor);
}
