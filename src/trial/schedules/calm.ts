import { invalidState, SandboxError, unreachable } from "../../errors/errors.ts";
import { abortable } from "../../runtime/abortable.ts";
import { formatDuration } from "../../timeline/duration.ts";
import { wallNow, wallSleep } from "../../world/clock.ts";
import { SECOND } from "../../world/duration.ts";
import { UNKNOWN_CALLS_HINT, unknownCallWords } from "../findings/unknown-calls.ts";
import type { Story } from "../stories/stories.ts";
import { withoutEffects } from "../subject/effects.ts";
import { ignoreWords } from "../subject/ignore-words.ts";
import { outputWords, printedWords } from "../subject/output.ts";
import { hasWholeTimes, type SeenRun } from "../subject/own-values.ts";
import { EFFECTS_ALONE } from "../subject/remote-state.ts";
import type { Difference, Json } from "../subject/state.ts";
import type { SubjectState } from "../subject/subject-state.ts";
import type { Subject } from "../subject/subscriber.ts";
import type { Surroundings } from "../subject/surroundings.ts";
import type { SentAttempt } from "./attempt.ts";
import { isLater } from "./delivered.ts";
import { deviationIn } from "./deviations/index.ts";
import { Stopped } from "./exploration.ts";
import { type Learnt, learnPassing } from "./learn-passing.ts";
import type { ExploreOptions } from "./options.ts";
import { play } from "./play.ts";
import { CalmRunFailed, type Run, type Stage } from "./run.ts";
import { type IdleEvents, watchIdle } from "./stand-ins.ts";
import { type Tried, Unhandled } from "./unhandled.ts";
import { type ChangedAnswer, type WireNode, wireRoot } from "./wire.ts";
import { pathWords, shown } from "./words.ts";

const MOST_SHOWN = 100;

/** The budget was exhausted, or the exploration was cancelled, before the calm run ended. */
export class NothingExplored extends SandboxError {}

export interface Calm {
  calm: Run;
  /** Whether an earlier run had the same responses and final state, in which case the calm run need not be repeated. */
  isConfirmed: boolean;
  idle: IdleEvents;
  /** The types of events that left the state as it was. */
  unmoving: readonly string[];
  /** The calm run's duration in real milliseconds. */
  took: number;
}

/**
 * Measures the time between the first and the last response at a story's last instant. Work that follows the last
 * response may still belong to the first one.
 */
function watchLastInstant() {
  let [instant, began, ended] = [0, 0, 0];
  return {
    async note(_read: unknown, attempts: readonly SentAttempt[]): Promise<void> {
      ended = wallNow();
      const { at } = attempts.at(-1)!;
      if (at !== instant) [instant, began] = [at, ended];
    },
    /** Real milliseconds between the first and the last of these responses. */
    took: () => ended - began,
  };
}

/**
 * Runs the story's calm run. Fails if the state does not reflect the run, because then every run would look right.
 * @param root collects the subscriber's responses
 * @param remember reverts a `forget` that made no difference
 * @throws SandboxError `unreachable`; `invalid_state` if nothing can be compared with the run
 */
export async function playCalm(
  stage: Stage,
  options: Pick<ExploreOptions, "budget" | "ignore">,
  root: WireNode,
  remember?: () => void,
): Promise<Calm> {
  const { story, subject, signal, comparison, invariant } = stage;
  const { differences, isEqual } = comparison;
  const tried = { story, subject, ignore: options.ignore };
  stage.serveApi();
  try {
    const empty = await emptyState();
    const tables = await subject.state.tables?.();
    comparison.names.begin(empty, await tables?.shapes());
    const unstable = differences(empty, await abortable(stage.stateBefore(), signal));
    if (unstable.length > 0) throw unsteady(unstable);
    // With an invariant, an unchanged state is acceptable.
    const burst = watchLastInstant();
    const began = wallNow();
    let first = await play(stage, [], { root, onStep: burst.note, ...(!invariant && { empty }) });
    if (first.lag > 0) first = { ...first, lag: first.lag + burst.took() };
    await subject.state.checkCopy?.();
    if (first.attempts.length === 0)
      throw invalidState(
        `The story ${story.name} does not send any webhooks.`,
        "Choose a story with events that an endpoint can subscribe to.",
      );
    let passed: Learnt | undefined;
    const hasEffects = !isEqual(empty, first.state);
    if (!invariant && endsAsItBegan(stage, empty, first.state)) {
      passed = madeNothing(subject, first) ? undefined : await learnPassing(stage, first, empty);
      if (passed ? passed.missing : !hasEffects) {
        const undo = subject.state.forget();
        root.next.clear();
        if (undo) return playCalm(stage, options, root, undo);
        if (passed?.missing) throw leftBehind(passed.missing, subject.state);
        remember?.();
        throw new Unhandled(first.attempts, tried);
      }
      if (passed) {
        stage.passing = passed.passing;
        first = { ...first, lag: Math.max(first.lag, passed.lag) };
      }
    }
    const after = await emptyState();
    const [left] = differences(empty, after);
    // Repeating the calm run reveals places that differ between identical runs.
    if (left && isEqual(after, await emptyState())) throw notReset(left);
    const { lag } = first;
    const seen: SeenRun = { state: first.state, began, ended: wallNow() };
    const bodies = first.attempts.map(({ body }) => body);
    if (hasWholeTimes(seen, empty, bodies)) await nextSecond(seen.ended);
    const { idle, unmoving, note } = watchIdle(empty, isEqual, subject.statements?.seesAll ? null : lag > 0);
    // The server keeps working after it responds. From now on, wait long enough after each response, even in the calm
    // run.
    root.next.clear();
    const beganAgain = wallNow();
    const calm = await play(stage, [], { root, lag, awaited: first.state, onStep: note });
    const endedAgain = wallNow();
    if (!passed || hasEffects)
      comparison.names.learn(seen, { state: calm.state, began: beganAgain, ended: endedAgain });
    agreeOnStatements(subject, first, calm);
    const [missing] = differences(first.state, calm.state);
    const lacks = subject.state.tables && missing?.actual === undefined;
    if (missing && !invariant && (lacks || isEqual(empty, calm.state))) {
      if (!subject.state.forget()) throw leftBehind(missing, subject.state);
      root.next.clear();
      return playCalm(stage, options, root);
    }
    const isConfirmed = !missing && comparison.names.own.length === 0 && !changedAnswer(first, calm);
    return { calm: { ...calm, lag }, isConfirmed, idle, unmoving: unmoving(), took: endedAgain - beganAgain };
  } catch (error) {
    if (error instanceof CalmRunFailed) {
      const tls = subject.statements?.insistsOnTls?.();
      if (tls) throw tls;
      const unknown = await stage.unknownCalls();
      throw unknown.length > 0 ? undescribed(unknown, story) : await explained(error);
    }
    if (!(error instanceof Stopped)) throw error;
    throw new NothingExplored(
      "invalid_state",
      error.cause === "budget"
        ? `The budget of ${formatDuration(options.budget)} ran out before the calm run ended.`
        : "It was cancelled before the calm run ended.",
      error.cause === "budget"
        ? `Nothing was explored. ${story.file === null ? "The" : "Check whether the story waits for something. The"} reset, the subscriber's responses and its state usually take milliseconds: find out which one is slow.`
        : "Nothing was explored.",
    );
  }

  async function emptyState(): Promise<Json> {
    await abortable(subject.state.reset(), signal);
    return abortable(stage.stateBefore(), signal);
  }

  /** Explains a rejection. A subscriber that accepts the same request when repeated is not deterministic. */
  async function explained(failed: CalmRunFailed): Promise<SandboxError> {
    const attempt = failed.attempts.find((one) => one.failed)!;
    const { event, status } = attempt;
    const isSeldom = status !== null && isLater(status);
    const again = isSeldom && (await play(stage, [], { root: wireRoot() }).catch(() => undefined));
    if (again) return unsure(event, status);
    return refused(failed, tried);
  }
}

/** Waits until timestamps in whole seconds have changed. */
async function nextSecond(since: number): Promise<void> {
  while (wallNow() < since + SECOND) await wallSleep(since + SECOND - wallNow());
}

/** Whether a run leaves no trace in the state apart from the effects of its calls. */
function endsAsItBegan({ comparison, subject }: Stage, empty: Json, last: Json): boolean {
  if (comparison.isEqual(empty, last)) return true;
  const isAllEffects = subject.state.source === EFFECTS_ALONE;
  return !isAllEffects && comparison.isEqual(withoutEffects(empty), withoutEffects(last));
}

/** Whether statements were observed and a run made none, so it never touched its tables. */
const madeNothing = ({ state, statements }: Subject, { attempts }: Run): boolean =>
  state.tables !== undefined &&
  statements?.seesAll === true &&
  attempts.every((sent) => sent.statements.length === 0);

/** A deviation can target only statements that occur in both calm runs. */
function agreeOnStatements({ statements }: Surroundings, first: Run, calm: Run): void {
  for (const [index, { statements: made }] of calm.attempts.entries())
    statements?.agree(first.attempts[index]?.statements ?? [], made);
}

/**
 * The first response that differs in a repeated run, up to the first step whose outcome is random: an overlap or a
 * crash.
 */
export function changedAnswer({ attempts }: Run, again: Run): ChangedAnswer | null {
  for (const [index, sent] of attempts.entries()) {
    const { event, status: earlier, overlaps } = sent;
    const now = again.attempts[index]?.status;
    if (overlaps.length > 0 || deviationIn(sent)?.server === "killed" || now === undefined) return null;
    if (now !== earlier) return { event, earlier, now };
  }
  return null;
}

const unsure = (event: string, status: number): SandboxError =>
  invalidState(
    `The subscriber is not deterministic: ${event} got ${status}, but was accepted in another run, after the same requests.`,
    "Check your server's log to find out why it refused the request.",
  );

/** The error for an event that was not accepted. A server that does not respond to one event will not respond to others. */
function refused({ attempts }: CalmRunFailed, tried: Tried): SandboxError {
  const { output } = tried.subject.server ?? {};
  const { event, detail, status, printed } = attempts.find(({ failed }) => failed)!;
  if (status !== null) return new Unhandled(attempts, tried);
  return unreachable(
    `The subscriber does not accept ${event} when everything goes well: it ${detail ?? "did not respond in time"}${printedWords(printed)}.`,
    outputWords(output?.last() ?? "") ||
      "Check whether your server is running and responding at this address.",
  );
}

/** A subscriber may be right to reject an event if Sandglass could not answer its API call correctly. */
const undescribed = (calls: readonly string[], { by }: Story): SandboxError =>
  invalidState(`Inconclusive: ${unknownCallWords(calls, by!.named)}`, UNKNOWN_CALLS_HINT);

function unsteady(unstable: readonly Difference[]): SandboxError {
  const { path, expected, actual } = unstable[0]!;
  return invalidState(
    `The state changes even without events: in two reads before the first event, ${pathWords(path)} was ${shown(expected, MOST_SHOWN)}, then ${shown(actual, MOST_SHOWN)}.`,
    ignoreWords(unstable),
  );
}

function notReset({ path, expected, actual }: Difference): SandboxError {
  return invalidState(
    `The reset does not restore the state: before the story, ${pathWords(path)} was ${shown(expected, MOST_SHOWN)}; after the story and a reset, it is ${shown(actual, MOST_SHOWN)}.`,
    "The reset must undo every change that the events make: each schedule starts with it. Use ignore to exclude values that may stay.",
  );
}

/** The error if a reset leaves something behind that shows in the subscriber's responses but not in its state. */
export function leftBehind(
  { path, expected, actual }: Difference,
  { tables, resetBy }: SubjectState,
): SandboxError {
  const areTables = tables && resetBy === null;
  return invalidState(
    `${areTables ? "Restoring the tables" : "The reset"} leaves something behind: when everything goes well, ${pathWords(path)} ends up as ${shown(expected, MOST_SHOWN)} the first time, and as ${shown(actual, MOST_SHOWN)} every time after that.`,
    areTables
      ? "Only the tables were restored, so your server remembers the rest in memory, such as the events that it has seen. Store that data in a table, specify a --reset that clears it, or let explore restart your server with --start."
      : "Make the reset clear everything that your server remembers, such as a cache of the events that it has seen.",
  );
}
