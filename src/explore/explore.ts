import { resolveConfig, type Settings } from "../config/config.ts";
import { SandboxError } from "../errors/errors.ts";
import { serve } from "../server/serve.ts";
import { wallNow } from "../world/clock.ts";
import { createCourier, type ExploreCourier } from "./courier.ts";
import { play, type Run, type Stage } from "./play.ts";
import { extensions, type Schedule } from "./schedule.ts";
import { type Difference, differences, type Json } from "./state.ts";
import type { Story } from "./stories.ts";
import { callHandler, type Subject } from "./subscriber.ts";

export interface ExploreOptions {
  subject: Subject;
  story: Story;
  /** The secret that the subscriber verifies with. */
  secret: string;
  /** The most deviations in a schedule. */
  deviations: number;
  /** Real milliseconds to spend. */
  budget: number;
  /** Paths of the state that do not count. */
  ignore: readonly string[];
  seed: string;
  settings: Settings;
  /** Called after each schedule. */
  onProgress?: ((progress: Level) => void) | undefined;
}

/** The schedules with so many deviations: how many there are, and how many were played. */
export interface Level {
  deviations: number;
  schedules: number;
  played: number;
  /** Of the played: how many the subscriber could not tell from one that was played before. */
  alike: number;
}

/** A schedule that ends in another state than the calm one. */
export interface Finding {
  run: Run;
  differences: Difference[];
}

export interface Exploration {
  calm: Run;
  levels: Level[];
  finding: Finding | null;
  /** Two runs of one schedule that ended in different states; then nothing more was explored. */
  flaky: { schedule: Schedule; differences: Difference[] } | null;
  /** Whether the budget ran out. */
  exhausted: boolean;
  wallMs: number;
}

/** How often a found schedule is played again before it is reported. */
const CONFIRMATIONS = 3;

/**
 * Plays a story against a subscriber with every delivery schedule that the platform can produce, fewest deviations first,
 * until one ends in another state than the calm one. See docs/explore.md.
 * @throws SandboxError `unreachable` for a subscriber, state or reset that does not answer; `bad_request` for a calm run
 *   that is not delivered
 */
export async function exploreSubscriber(options: ExploreOptions): Promise<Exploration> {
  const began = wallNow();
  const { stage, close } = await prepareStage(options);
  try {
    const calm = await playCalm(stage);
    const levels: Level[] = [];
    const result = (rest: Partial<Exploration>): Exploration => ({
      calm,
      levels,
      finding: null,
      flaky: null,
      exhausted: false,
      wallMs: wallNow() - began,
      ...rest,
    });
    const again = await play(stage, [], calm);
    const unstable = differences(calm.state, again.state, options.ignore);
    if (unstable.length > 0) return result({ flaky: { schedule: [], differences: unstable } });

    const seen = new Set([signatureOf(calm)]);
    let parents: Run[] = [calm];
    for (let deviations = 1; deviations <= options.deviations; deviations += 1) {
      const schedules = parents.flatMap(({ schedule, attempts }) => extensions(schedule, attempts));
      const level: Level = { deviations, schedules: schedules.length, played: 0, alike: 0 };
      levels.push(level);
      parents = [];
      for (const schedule of schedules) {
        if (wallNow() - began >= options.budget) return result({ exhausted: true });
        const run = await play(stage, schedule, calm);
        level.played += 1;
        options.onProgress?.(level);
        const found = differences(calm.state, run.state, options.ignore);
        if (found.length > 0) {
          const other = await findUnlike(stage, run, calm, options.ignore);
          return result(
            other === undefined
              ? { finding: { run, differences: found } }
              : { flaky: { schedule, differences: other } },
          );
        }
        const signature = signatureOf(run);
        if (seen.has(signature)) level.alike += 1;
        else {
          seen.add(signature);
          parents.push(run);
        }
      }
    }
    return result({});
  } finally {
    close();
  }
}

/** Plays a found schedule again. @returns how a run differs from the first one; undefined if none does */
async function findUnlike(
  stage: Stage,
  run: Run,
  calm: Run,
  ignore: readonly string[],
): Promise<Difference[] | undefined> {
  for (let time = 0; time < CONFIRMATIONS; time += 1) {
    const again = await play(stage, run.schedule, calm);
    const unlike = differences(run.state, again.state, ignore);
    if (unlike.length > 0) return unlike;
  }
  return undefined;
}

async function playCalm(stage: Stage): Promise<Run> {
  const calm = await play(stage, []);
  const failed = calm.attempts.find((attempt) => attempt.failed);
  if (calm.attempts.length === 0)
    throw new SandboxError(
      "bad_request",
      `The story ${stage.story.name} sends no webhooks.`,
      "Choose a story with events that an endpoint can subscribe to.",
    );
  if (failed)
    throw new SandboxError(
      "unreachable",
      `The subscriber does not accept ${failed.event} when everything goes well: ${failed.status === null ? "it did not answer" : `it answered ${failed.status}`}.`,
      "Start it with the secret that explore signs with, and test it with: sandglass check",
    );
  return calm;
}

/** What a subscriber could see of a run: which requests arrived, in which order, and which overlapped. */
function signatureOf({ attempts }: Run): string {
  const names = new Map<string, number>();
  const nameOf = (eventId: string) => {
    if (!names.has(eventId)) names.set(eventId, names.size);
    return names.get(eventId)!;
  };
  return attempts
    .filter(({ arrivals }) => arrivals > 0)
    .map(({ eventId, event, trigger, at, arrivals, deviation }) =>
      [
        trigger === "test" ? "test" : `${event}#${nameOf(eventId)}`,
        at,
        arrivals,
        deviation === "overlap" || deviation === "slow" ? deviation : "",
      ].join(" "),
    )
    .join("\n");
}

/** A sandbox with the subscriber's endpoint, and nothing else in it. */
async function prepareStage(options: ExploreOptions): Promise<{ stage: Stage; close: () => void }> {
  const { subject, story, secret, seed, settings, ignore } = options;
  const courier = createCourier();
  const served = await serve(
    {
      ...settings,
      port: 0,
      host: "127.0.0.1",
      ports: {},
      dataDir: undefined,
      seed: "empty",
      clock: { mode: "paused", rate: 1 },
      payments: {
        ...settings.payments,
        confirmationDelay: story.confirmationDelay,
        webhooks: {
          ...settings.payments.webhooks,
          endpoints: [],
          courier: courierFor(courier, subject),
        },
      },
    },
    { socket: true },
  );
  void seed;
  const { sandbox } = served;
  const endpoint = sandbox.payments.registerWebhook(
    { url: subject.url, events: ["*"], secret },
    {},
    "/explore",
  );
  return {
    stage: {
      sandbox,
      rewind: await sandbox.mark(),
      endpoint: endpoint.id,
      courier,
      story,
      subject,
      ignore,
    },
    close: () => void served.close(),
  };
}

const courierFor =
  (courier: ExploreCourier, { handler }: Subject): Settings["payments"]["webhooks"]["courier"] =>
  (send) =>
    courier.wrap(
      handler ? (request) => ({ result: callHandler(handler, request), hurry: () => undefined }) : send,
    );

export type { Json };
export { resolveConfig };
