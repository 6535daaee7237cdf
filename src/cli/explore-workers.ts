import { invalidState, misuse } from "../errors/errors.ts";
import { isFree, nextFree } from "../runtime/free-port.ts";
import { isAddress } from "../runtime/http-url.ts";
import { withoutPasswords } from "../runtime/redact.ts";
import { isTables } from "../trial/database/source.ts";
import { joinSurveys } from "../trial/findings/findings.ts";
import type { Level, Survey } from "../trial/schedules/exploration.ts";
import { sumOfCounts } from "../trial/schedules/exploration.ts";
import { exploreStories } from "../trial/schedules/explore.ts";
import type { SurveyOptions } from "../trial/schedules/options.ts";
import { type ExplorePlan, explorePlan } from "./explore-plan.ts";
import { readShard } from "./run-flags.ts";
import { ofWorker, type SubjectFacts, WORKER } from "./subject.ts";

/**
 * Opens the plan of each worker: its part of the schedules, with a server on its own port and its own state.
 * @throws SandboxError `bad_request` for workers that would share a state; `invalid_state` without free ports; as `explorePlan`
 */
export async function openPlans(facts: SubjectFacts, shard: string | undefined): Promise<ExplorePlan[]> {
  // A shard is already one of several parts.
  const count = shard === undefined ? facts.workers : 1;
  if (shard !== undefined && facts.start !== undefined) return [await openPart(facts, shard)];
  if (count === 1) return [await explorePlan(ofWorker(facts), shard)];
  checkWorkers(facts);
  const urls = [new URL(facts.url)];
  while (urls.length < count) urls.push(await atNextPort(urls.at(-1)!));
  // The workers' servers start at the same time.
  const read = await Promise.allSettled(
    urls.map((own, at) => explorePlan(ofWorker(facts, at + 1, own), `${at + 1}/${count}`)),
  );
  const plans = read.flatMap((one) => (one.status === "fulfilled" ? one.value : []));
  const failed = read.find((one) => one.status === "rejected");
  if (!failed) return plans;
  await closePlans(plans);
  throw failed.reason;
}

/** The plan of a part whose server gets the next free port if another part on this machine has taken its own. */
async function openPart(facts: SubjectFacts, shard: string): Promise<ExplorePlan> {
  const { index } = readShard(shard);
  for (let own = new URL(facts.url); ; own = await atNextPort(own)) {
    if (!(await isFree(...placeOf(own)))) continue;
    try {
      return await explorePlan(ofWorker(facts, index, own), shard);
    } catch (error) {
      // The other part's server may have taken it since.
      if (await isFree(...placeOf(own))) throw error;
    }
  }
}

/** Ends the servers of all plans, and restores their tables. */
export async function closePlans(plans: readonly ExplorePlan[]): Promise<void> {
  const ends = await Promise.allSettled(plans.map(({ subject }) => subject.close()));
  const failed = ends.find((one) => one.status === "rejected");
  if (failed) throw failed.reason;
}

function checkWorkers({ start, state, reset }: SubjectFacts): void {
  if (start === undefined)
    throw misuse(
      "subject.workers needs subject.start, as each worker has a server of its own.",
      'For example { "workers": 4, "start": "node server.mjs" }',
    );
  const shared = Object.entries({ state, reset }).find(
    // A database is copied for each worker's server.
    ([, text]) => text && !isAddress(text) && !isTables(text) && !text.includes(WORKER),
  );
  if (shared)
    throw misuse(
      `The ${shared[0]} '${withoutPasswords(shared[1]!)}' would be the same for all workers, and each needs a state of its own.`,
      `Write ${WORKER} for the worker's number: "start": "DATA=data-${WORKER} node server.mjs", "state": "cat data-${WORKER}/orders.json"`,
    );
}

const placeOf = ({ port, hostname }: URL): [port: number, host: string] => [
  Number(port || 80),
  hostname.replace(/^\[|\]$/g, ""),
];

async function atNextPort(url: URL): Promise<URL> {
  const [taken, host] = placeOf(url);
  const port = await nextFree(taken, host);
  if (port === undefined)
    throw invalidState(
      `No port after ${taken} is free for another server.`,
      "Name an address with another port, or less of subject.workers.",
    );
  return Object.assign(new URL(url), { port: String(port) });
}

type Place = Level & { story: string };

/**
 * Explores with all plans at once, and joins the results. Once a worker has a finding, the others stop at the point where that
 * finding would have stopped them; with `all` they continue.
 * @throws as `exploreStories`, for the first worker that fails
 */
export async function explorePlans(
  plans: readonly ExplorePlan[],
  { signal, ...rest }: Pick<SurveyOptions, "serve" | "onProgress"> & { signal: AbortSignal },
): Promise<Survey> {
  const [{ all, stories }] = plans as [ExplorePlan];
  if (plans.length === 1) return exploreStories({ ...plans[0]!, ...rest, signal });
  const names = stories.map(({ name }) => name);
  const workers = plans.map((plan) => ({
    plan,
    end: new AbortController(),
    place: undefined as Place | undefined,
    isBeyond: false,
  }));
  let found: Pick<Place, "deviations" | "story"> | undefined;

  /** Fewest deviations first, then in the order of the stories. */
  function endBeyond(): void {
    for (const worker of workers) {
      const { place } = worker;
      if (!found || !place || place.deviations < found.deviations) continue;
      worker.isBeyond =
        place.deviations > found.deviations || names.indexOf(place.story) > names.indexOf(found.story);
      if (worker.isBeyond) worker.end.abort();
    }
  }

  async function explore(worker: (typeof workers)[number]): Promise<Survey> {
    const survey = await exploreStories({
      ...worker.plan,
      ...rest,
      signal: AbortSignal.any([worker.end.signal, signal]),
      onProgress(place) {
        worker.place = place;
        endBeyond();
        rest.onProgress?.(sumOf(place, workers));
      },
    });
    const first = survey.explorations.find(({ finding }) => finding);
    if (first && !all) {
      found ??= { story: first.story.name, deviations: first.finding!.run.schedule.length };
      endBeyond();
    }
    const { explorations, unplayed } = survey;
    // The result of a worker that was not stopped is complete.
    return !worker.isBeyond
      ? survey
      : {
          ...survey,
          explorations: explorations.map((one) => ({ ...one, stopped: null })),
          unplayed: unplayed.map((one) => ({ ...one, failed: false })),
        };
  }

  const failures: unknown[] = [];
  const surveys = await Promise.all(
    workers.map(async (worker) => {
      try {
        return [await explore(worker)];
      } catch (error) {
        // Workers that are stopped now fail as well, with a less useful error.
        failures.push(error);
        for (const { end } of workers) end.abort();
        return [];
      }
    }),
  );
  if (failures.length > 0) throw failures[0];
  return joinSurveys(surveys.flat());
}

/** The sum of the progress of workers at the same story and level. */
function sumOf(place: Place, workers: readonly { place: Place | undefined }[]): Place {
  const beside = workers.flatMap(({ place: one }) =>
    one && one.story === place.story && one.deviations === place.deviations ? one : [],
  );
  const schedules = beside.reduce((total, one) => total + (one.schedules ?? 0), 0);
  return { ...place, schedules, ...sumOfCounts(beside) };
}
