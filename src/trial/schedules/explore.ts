import { SandboxError } from "../../errors/errors.ts";
import { abortable } from "../../runtime/abortable.ts";
import { holdProcess, wallNow, wallTimer } from "../../world/clock.ts";
import { MINUTE } from "../../world/duration.ts";
import { createGroups } from "../findings/findings.ts";
import type { Fitted, Fitting } from "../fitting/fitted.ts";
import { mayLackRow } from "../fitting/leads.ts";
import type { Story } from "../stories/stories.ts";
import type { Subject } from "../subject/subscriber.ts";
import { isOk, type SentAttempt } from "./attempt.ts";
import { type Exploration, Stopped, type Survey, type UnplayedStory } from "./exploration.ts";
import type { ExploreOptions, SurveyOptions } from "./options.ts";
import { type Helper, openHelpers } from "./player.ts";
import { whyRefused } from "./refused-signature.ts";
import type { Stage } from "./run.ts";
import { openSession, type Session } from "./session.ts";
import { openStage } from "./stage.ts";
import { Unhandled } from "./unhandled.ts";

/**
 * Schedules with background traffic take about a second, so a story with background traffic gets only one deviation if
 * other stories run, too.
 */
const depthOf = ({ isBackground }: Story, deviations: number, isAlone: boolean): number =>
  isAlone || !isBackground ? deviations : 1;

/** How long a schedule with one deviation may take, however short the budget is: it may restart a slow server three times. */
const LONGEST_SCHEDULE_MS = 5 * MINUTE;
const NOT_HANDLED = "Not compared: no event changed the state.";

/**
 * Runs stories against a subscriber with every delivery schedule that the platform can produce, fewest deviations first,
 * until one ends in a different state than the calm run or breaks the invariant. See docs/explore.md.
 * @throws SandboxError `unreachable` for a subscriber, state or reset that does not respond, `invalid_state` for a failing
 *   calm run; PlatformError for a URL that the platform rejects
 */
export async function exploreStories(options: SurveyOptions): Promise<Survey> {
  try {
    return await exploreOnce(options);
  } catch (error) {
    if (!(error instanceof Refitted)) throw error;
    const { fit, setsRows } = error.fitted;
    // The other servers' database copies lack the ids that were set in this server's rows.
    const crew = setsRows ? undefined : options.crew;
    return exploreOnce({ ...options, stories: options.stories.map(fit), fitting: undefined, crew });
  }
}

/** Thrown when rows for the stories were found in the user's database, so the stories must restart with these rows. */
class Refitted extends Error {
  readonly fitted: Fitted;

  constructor(fitted: Fitted) {
    super("Rows were found.");
    this.fitted = fitted;
  }
}

/** Whether an event's lookup probably lacks a row. */
const lacksRow = ({ by }: Story, attempts: readonly SentAttempt[]): boolean =>
  by !== undefined &&
  attempts.some((sent) => mayLackRow({ ...sent, isAccepted: isOk(sent.status) }, by.sender.facts));

/**
 * Fits the stories to the user's rows if an event needs a row that may exist in the database under another id.
 * @param isUnexplained whether an event had no effect, and no statement could show why
 * @throws Refitted
 */
async function refit(
  story: Story,
  attempts: readonly SentAttempt[],
  fitting: Fitting | undefined,
  isUnexplained = false,
): Promise<void> {
  if (!(isUnexplained || lacksRow(story, attempts))) return;
  const fitted = await fitting?.find();
  if (fitted) throw new Refitted(fitted);
}

async function exploreOnce({ stories, fitting, ...options }: SurveyOptions): Promise<Survey> {
  const began = wallNow();
  const end = new AbortController();
  const cancel = () => end.abort(new Stopped("cancelled"));
  options.signal?.addEventListener("abort", cancel);
  if (options.signal?.aborted) cancel();
  let certifying = 0;
  let isOver = false;
  const expire = () => {
    isOver = true;
    if (certifying === 0) end.abort(new Stopped("budget"));
  };
  /** Whether the budget's clock has started; until then, each schedule gets the whole budget, and time for slow restarts. */
  let isCounting = false;
  let ends = 0;
  let stopTimer = () => {};
  const giveTime = (given = Math.max(options.budget, LONGEST_SCHEDULE_MS)) => {
    if (isCounting) return;
    stopTimer();
    isOver = false;
    ends = wallNow() + given;
    stopTimer = wallTimer(given, expire);
  };
  const startClock = () => {
    giveTime(options.budget);
    isCounting = true;
  };
  if (options.isLimited) startClock();
  else giveTime();
  /** Confirming a finding may exceed the budget. */
  async function certify<Result>(work: () => Promise<Result>): Promise<Result> {
    certifying += 1;
    try {
      return await work();
    } finally {
      certifying -= 1;
      giveTime();
      // Unless `all` is set, a finding ends the exploration.
      if (isOver && options.all) expire();
    }
  }
  const groups = createGroups();
  for (const finding of options.known ?? []) groups.add(finding);
  // Keep the process alive until the exploration ends, even if only a function's promise is pending.
  const release = holdProcess();
  const sessions = new Map<Story, Session>();
  const stages: Stage[] = [];
  const helpers: Helper[] = [];
  const unplayed: UnplayedStory[] = [];
  const unhandled: { error: Unhandled; stage: Stage }[] = [];
  let stopped: Stopped | undefined;

  /** Opens a story. A story that cannot run does not stop the others. */
  async function open(story: Story): Promise<void> {
    const deviations = depthOf(story, options.deviations, stories.length === 1);
    try {
      giveTime();
      const onProgress: ExploreOptions["onProgress"] = (progress) => {
        giveTime();
        options.onProgress?.(progress);
      };
      const stage = await openStage({ ...options, story }, end.signal);
      stages.push(stage);
      const own = { onProgress, certify, groups, openHelpers: joinIn(stage), dismissHelpers };
      const session = await openSession(stage, { ...options, deviations, ...own });
      await certify(() => refit(story, session.calm.attempts, fitting));
      sessions.set(story, session);
    } catch (error) {
      const isUnexplained = options.subject.statements?.seesAll === false;
      if (error instanceof Unhandled)
        await certify(() => refit(story, error.attempts, fitting, isUnexplained));
      if (error instanceof Refitted) throw error;
      if (error instanceof Unhandled) unhandled.push({ error, stage: stages.at(-1)! });
      else if (story === stories[0] || !(error instanceof SandboxError)) throw error;
      // A server need not handle every story's events, as long as it handles one story's.
      const isIgnored = error instanceof Unhandled && !error.isRefused;
      const lacking = isIgnored && lacksRow(story, error.attempts) ? error.unmet : "";
      const reason = isIgnored ? [NOT_HANDLED, lacking].filter(Boolean).join(" ") : error.message;
      unplayed.push({ name: story.name, title: story.title, reason, failed: !isIgnored || lacking !== "" });
    }
  }

  /** Returns a function that opens a story for the crew's servers. */
  const joinIn =
    ({ story, contentOf }: Stage) =>
    async (calmMs: number, restarts: number): Promise<readonly Helper[]> => {
      const { crew } = options;
      if (!crew || options.only) return [];
      giveTime();
      const subjects = await abortable(crew.open(calmMs, restarts), end.signal);
      const openOwn = async (subject: Subject, signal: AbortSignal): Promise<Stage> => {
        const both = AbortSignal.any([end.signal, signal]);
        const stage = await openStage({ ...options, story, subject }, both, contentOf);
        stages.push(stage);
        return stage;
      };
      const opened = await openHelpers(crew, subjects, openOwn, options);
      helpers.push(...opened);
      giveTime();
      return opened;
    };

  async function stopHelpers(): Promise<void> {
    for (const { stop } of helpers) stop();
    await Promise.allSettled(helpers.map(({ player }) => player));
  }

  async function dismissHelpers(): Promise<void> {
    await stopHelpers();
    await options.crew?.close();
  }

  /** Builds the error that is thrown if no story has an effect. It explains the first rejection by experiment. */
  async function joinUnhandled(): Promise<Unhandled> {
    const { error, stage } = unhandled.find((one) => one.error.isRefused) ?? unhandled[0]!;
    const refused = error.attempts.find(({ failed }) => failed);
    stage.serveApi();
    const why = refused && (await whyRefused(stage, options, refused));
    return new Unhandled(
      unhandled.flatMap((one) => one.error.attempts),
      { ...options, story: stage.story },
      why,
    );
  }

  /** Tries each level with every story before the next level, so that a finding has as few deviations as possible. */
  async function playAll(): Promise<void> {
    for (let level = 0; level < options.deviations; level += 1) {
      if (level > 0) startClock();
      let left = stories.filter((story) => level < depthOf(story, options.deviations, stories.length === 1));
      while (left.length > 0) {
        const unfinished: Story[] = [];
        for (const [index, story] of left.entries()) {
          if (level === 0 && !sessions.has(story)) await open(story);
          // Limit a slow story, so that the others get their share of the budget.
          const share = (ends - wallNow()) / (left.length - index);
          const played = await sessions.get(story)?.playLevel(level, wallNow() + share);
          if (played === "ended") return;
          if (played === "unfinished") unfinished.push(story);
        }
        left = unfinished;
      }
    }
  }

  try {
    await playAll().catch((error) => {
      if (!(error instanceof Stopped)) throw error;
      stopped = error;
    });
    if (sessions.size === 0 && unhandled.length > 0) throw await joinUnhandled();
    const explorations = [...sessions.values()].map((session) => session.result(stopped?.cause ?? null));
    const isAnswered = explorations.some(({ finding, flaky }) => finding ?? flaky);
    for (const story of stories)
      if (!sessions.has(story) && !unplayed.some(({ name }) => name === story.name))
        unplayed.push({
          ...{ name: story.name, title: story.title, failed: !isAnswered },
          reason: isAnswered
            ? "Not run, because another story already gave the result."
            : "Not started: the exploration ended first.",
        });
    return { explorations, unplayed, wallMs: wallNow() - began };
  } finally {
    release();
    isCounting = true;
    stopTimer();
    options.signal?.removeEventListener("abort", cancel);
    await stopHelpers();
    for (const stage of stages) await stage.close();
  }
}

/** Explores with one story. @throws the errors of `exploreStories` */
export async function exploreSubscriber({ story, ...options }: ExploreOptions): Promise<Exploration> {
  return (await exploreStories({ ...options, stories: [story] })).explorations[0]!;
}
