import { isDeepStrictEqual } from "node:util";
import { SandboxError } from "../errors/errors.ts";
import { formatDuration } from "../story/duration.ts";
import { holdProcess, wallNow, wallTimer } from "../world/clock.ts";
import type { SentAttempt } from "./attempt.ts";
import { gatherEvidence } from "./evidence.ts";
import type { Exploration, Level } from "./exploration.ts";
import type { ExploreOptions } from "./options.ts";
import { play } from "./play.ts";
import { createPlayer } from "./player.ts";
import { mainDifference } from "./report/headline.ts";
import { reasonOf } from "./report/reason.ts";
import { abortable, CalmRunFailed, type Run } from "./run.ts";
import { extensions, type Schedule } from "./schedule.ts";
import { type OpenStage, openStage } from "./stage.ts";
import { type Difference, differences, type Json } from "./state.ts";
import { leftBehind, notReset, unchanged, unsteady } from "./state-errors.ts";
import type { Story } from "./stories.ts";
import { wireRoot } from "./wire.ts";

/** How often a found schedule is played again before it is reported. */
const CONFIRMATIONS = 3;

/** Why a run was ended before its end. */
class Stopped extends Error {
  override readonly cause: "budget" | "cancelled";

  constructor(cause: "budget" | "cancelled") {
    super(cause);
    this.cause = cause;
  }
}

/**
 * Plays a story against a subscriber with every delivery schedule that the platform can produce, fewest deviations first,
 * until one ends in another state than the calm one, or breaks the invariant. See docs/explore.md.
 * @throws SandboxError `unreachable` for a subscriber, state or reset that does not answer, `invalid_state` for a calm run
 *   that does not work; PlatformError for an address that the platform refuses
 */
export async function exploreSubscriber(options: ExploreOptions): Promise<Exploration> {
  const began = wallNow();
  const end = new AbortController();
  const cancel = () => end.abort(new Stopped("cancelled"));
  options.signal?.addEventListener("abort", cancel);
  if (options.signal?.aborted) cancel();
  const stopTimer = wallTimer(options.budget, () => end.abort(new Stopped("budget")));
  // A function that never returns holds no process.
  const release = holdProcess();
  let open: OpenStage | undefined;
  try {
    open = await openStage(options, end.signal);
    return await explore(open, options, began, stopTimer);
  } finally {
    release();
    stopTimer();
    options.signal?.removeEventListener("abort", cancel);
    await open?.close();
  }
}

async function explore(
  { stage, draw }: OpenStage,
  options: ExploreOptions,
  began: number,
  stopTimer: () => void,
): Promise<Exploration> {
  const { story, subject, ignore, invariant, seed, onProgress } = options;
  const root = wireRoot();
  const calm = await playCalm();
  const drawnCalm = draw(calm);
  const levels = Array.from(
    { length: options.deviations },
    (_, index): Level => ({ deviations: index + 1, schedules: null, tried: 0, alike: 0, undelivered: 0 }),
  );
  const result = (rest: Partial<Exploration>): Exploration => ({
    story: { name: story.name, title: story.title, file: story.file },
    subscriber: subject.url,
    stateUrl: subject.stateUrl,
    reset: subject.resetBy,
    seed,
    ignore,
    calm: drawnCalm,
    levels,
    finding: null,
    flaky: null,
    stopped: null,
    wallMs: wallNow() - began,
    ...rest,
  });

  try {
    const unstable = await findUnlike(calm, 1);
    if (unstable) {
      // Chance does not end every run but the first in the same way.
      const alwaysLater = isDeepStrictEqual(
        [await findUnlike(calm, 1), await findUnlike(calm, 1)],
        [unstable, unstable],
      );
      if (alwaysLater && unstable[0]) throw leftBehind(unstable[0]);
      return result({ flaky: { schedule: [], differences: unstable } });
    }
    const playNext = createPlayer(stage, { calm, root });
    let schedules = extensions([], calm.attempts);
    for (const level of levels) {
      level.schedules = schedules.length;
      const next: Schedule[] = [];
      for (const schedule of schedules) {
        const run = await playNext(schedule).catch((error) => {
          throw brokenDown(error, schedule, level.tried);
        });
        const found = run.delivered ? differences(calm.state, run.state, ignore) : [];
        if (found.length > 0 || run.broken) {
          await checkAnswers(run).catch((error) => {
            throw brokenDown(error, schedule, level.tried);
          });
          // What was found is worth the time to be certain of it.
          stopTimer();
          // From its beginning: the world may show one that the platform cannot tell from it.
          const { run: whole } = await play(stage, schedule, { calm, root });
          const drawn = draw(whole);
          const unlike = await findUnlike(run, CONFIRMATIONS);
          count(level, run);
          if (unlike) return result({ flaky: { schedule, differences: unlike } });
          const place = mainDifference(found);
          const why = reasonOf(
            calm,
            run,
            found,
            place ? await gatherEvidence(stage, calm, run, place) : null,
          );
          return result({ finding: { run: drawn, differences: found, invariant: run.broken, why } });
        }
        count(level, run);
        onProgress?.(level);
        if (level !== levels.at(-1)) next.push(...extensions(schedule, run.attempts, run.recovery));
      }
      schedules = next;
    }
    return result({});
  } catch (error) {
    if (error instanceof Stopped) return result({ stopped: error.cause });
    throw error;
  }

  /** @throws SandboxError `unreachable` if a run had no answer, and the calm one has none any more, either */
  async function checkAnswers(run: Run): Promise<void> {
    if (unanswered(run) === undefined) return;
    const { run: again } = await play(stage, [], { calm, root: wireRoot() });
    const silent = unanswered(again);
    if (silent) throw stoppedAnswering(silent);
  }

  /** Plays a schedule again, on a subscriber of which nothing is known. @returns how a run differs; undefined if none does */
  async function findUnlike(run: Run, times: number): Promise<Difference[] | undefined> {
    for (let time = 0; time < times; time += 1) {
      const { run: again } = await play(stage, run.schedule, { calm, root: wireRoot(), awaited: run.state });
      const unlike = differences(run.state, again.state, ignore);
      if (unlike.length === 0 && run.broken?.message === again.broken?.message) continue;
      await checkAnswers(again);
      return unlike;
    }
    return undefined;
  }

  /** The state after a reset. */
  async function emptyState(): Promise<Json> {
    await abortable(subject.reset(), stage.signal);
    return abortable(subject.state(), stage.signal);
  }

  /** Plays the story when everything goes well. A state that shows nothing of it would make every run seem right. */
  async function playCalm(): Promise<Run> {
    try {
      const empty = await emptyState();
      const unstable = differences(empty, await abortable(subject.state(), stage.signal), ignore);
      if (unstable.length > 0) throw unsteady(unstable);
      // A state that an invariant judges may stay empty.
      const { run: first } = await play(stage, [], invariant ? { root } : { root, empty });
      checkCalm(first, story);
      if (!invariant && differences(empty, first.state, ignore).length === 0)
        throw unchanged(subject, ignore);
      const after = await emptyState();
      const [left] = differences(empty, after, ignore);
      // What differs by itself is found by playing the calm run twice.
      if (left && differences(after, await emptyState(), ignore).length === 0) throw notReset(left);
      const { lag } = first;
      // It works on after its answers. Each answer is followed by the time for that from now on, in the calm run, too.
      if (lag === 0) return first;
      root.next.clear();
      const { run: calm } = await play(stage, [], { root, lag });
      const [missing] = differences(first.state, calm.state, ignore);
      if (missing && !invariant && differences(empty, calm.state, ignore).length === 0)
        throw leftBehind(missing);
      return { ...calm, lag };
    } catch (error) {
      if (error instanceof CalmRunFailed) throw refused(error);
      if (!(error instanceof Stopped)) throw error;
      throw new SandboxError(
        "invalid_state",
        error.cause === "budget"
          ? `The budget of ${formatDuration(options.budget)} ran out before the calm run ended.`
          : "It was cancelled before the calm run ended.",
        error.cause === "budget"
          ? `Nothing was explored. ${story.file === null ? "The" : "See whether the story waits for something. The"} reset, the subscriber's answers and its state usually take milliseconds: see which takes long.`
          : "Nothing was explored.",
      );
    }
  }
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

function refused({ attempts }: CalmRunFailed): SandboxError {
  const { event, detail, status } = attempts.find(({ failed }) => failed)!;
  return new SandboxError(
    "unreachable",
    `The subscriber does not accept ${event} when everything goes well: it ${detail ?? "did not answer in time"}.`,
    status === 400 || status === 401 || status === 403
      ? "Most likely the secrets differ: start it with the one of --secret. If they are equal, it may compare the timestamp header with its own clock; explore sends virtual times."
      : status === null
        ? "See whether your server runs at this address, and answers there."
        : {
            command: "Find out why with: npx sandglass check",
            library: "Find out why: npx sandglass check tries a server, and a test of your own a function.",
            http: "Find out why with: npx sandglass check",
          },
  );
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

/** @throws SandboxError for a calm run that nothing can be compared with */
function checkCalm({ attempts, broken }: Run, story: Story): void {
  if (attempts.length === 0)
    throw new SandboxError(
      "invalid_state",
      `The story ${story.name} sends no webhooks.`,
      "Choose a story with events that an endpoint can subscribe to.",
    );
  if (broken)
    throw new SandboxError(
      "invalid_state",
      `The invariant does not hold in the calm run: ${broken.message}`,
      "Nothing was lost or repeated in it: correct the invariant, or the subscriber.",
    );
}
