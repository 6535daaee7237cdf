import type { Groups } from "../findings/findings.ts";
import type { Exploration, Finding, Flaky, Level, StopReason } from "./exploration.ts";
import type { ExploreOptions } from "./options.ts";
import type { Helper, Player } from "./player.ts";
import { hasMissed, type Played } from "./runs.ts";
import type { Schedule } from "./schedule.ts";
import type { IdleEvents } from "./stand-ins.ts";

/** A session's options. Its stage contains the story and the subscriber. */
export interface SessionOptions
  extends Pick<
    ExploreOptions,
    "seed" | "ignore" | "ordered" | "deviations" | "budget" | "only" | "shard" | "all" | "onProgress"
  > {
  /** Confirms a finding, which may exceed the budget. */
  certify: <Result>(work: () => Promise<Result>) => Promise<Result>;
  /** The findings so far, including those of other stories. */
  groups: Groups;
  /** Opens additional servers for the story if the schedules take long enough. See `Crew`. */
  openHelpers(calmMs: number, restarts: number): Promise<readonly Helper[]>;
  /** Stops the additional servers permanently. */
  dismissHelpers(): Promise<void>;
}

/** The results of the schedules so far. */
export interface Progress
  extends Pick<Exploration, "calm" | "levels" | "crashPlaces" | "unknownCalls" | "wallMs"> {
  /** The paths of the runs so far. */
  paths: Set<string>;
  /** The current level's schedules, and those of the next level so far. */
  schedules: readonly Schedule[];
  next: Schedule[];
  idle: IdleEvents;
  findings: Finding[];
  flaky: Flaky | undefined;
}

/** A story's exploration: its first server and the helpers. */
export interface Trial extends Player {
  options: SessionOptions;
  progress: Progress;
  helpers: readonly Helper[];
  /** The players on additional servers that took part. */
  joined: Set<Player>;
}

/** Whether the exploration has reached a conclusion. */
export const hasEnded = ({ options, progress: { findings, flaky, unknownCalls } }: Trial): boolean =>
  unknownCalls.length > 0 || flaky !== undefined || (findings.length > 0 && !options.all);

/** Adds a run to its level's counts. @param paths the paths of all runs so far */
export function count(level: Level, paths: Set<string>, { run, isAnew }: Played): void {
  const { schedule, attempts, delivered, path } = run;
  level.tried += 1;
  if (!isAnew && path !== undefined && paths.has(path)) level.alike += 1;
  if (path !== undefined) paths.add(path);
  if (schedule.some(({ point }) => point)) level.inside += 1;
  if (hasMissed(run)) level.unreached += 1;
  else if (attempts.some(({ missed }) => missed === "one-process")) level.oneProcess += 1;
  else if (!delivered) level.undelivered += 1;
}

/** The result so far. @param stopped why it ends early */
export function resultOf(trial: Trial, stopped: StopReason | null): Exploration {
  const { options, progress } = trial;
  const { story, subject } = trial.stage;
  const { only, shard } = options;
  const { calm, levels, findings, flaky = null, unknownCalls, crashPlaces, wallMs } = progress;
  const isDone = hasEnded(trial) || levels.every(({ schedules, tried }) => schedules === tried);
  return {
    story: {
      ...{ name: story.name, title: story.title, file: story.file },
      ...(story.by && {
        sender: {
          ...{ name: story.by.sender.name, named: story.by.named },
          ...(story.by.isListed && { events: story.by.events }),
          ...(story.by.sender.facts.known && { known: story.by.sender.facts.known }),
        },
      }),
    },
    ...{
      subscriber: subject.url,
      stateUrl: subject.state.source,
      reset: subject.state.resetBy,
      seed: options.seed,
    },
    ...{ ignore: options.ignore, ordered: options.ordered ?? [] },
    ...differingIn([trial, ...trial.joined]),
    accepted: [...new Map([trial, ...trial.joined].flatMap(({ judge }) => [...judge.accepted()])).values()],
    ...{ unknownCalls, calm, crashPlaces, unmoving: trial.unmoving, levels },
    revivals: [trial, ...trial.joined].reduce((sum, { runs }) => sum + runs.revivals, 0),
    unwatched:
      subject.server !== undefined &&
      subject.state.tables !== undefined &&
      !calm.attempts.some(({ statements }) => statements.some(({ of }) => of !== "api")),
    ...{ finding: findings[0] ?? null, others: findings.slice(1), only: only?.schedule ?? null },
    shard: shard ? `${shard.index}/${shard.count}` : null,
    ...{ flaky, stopped: isDone ? null : stopped, wallMs },
  };
}

/** The arrays and places that differ even between identical runs, on any of the servers. */
function differingIn(players: readonly Player[]): Pick<Exploration, "reordered" | "ownPlaces"> {
  const all = players.map(({ stage }) => stage.comparison);
  const lists = Map.groupBy(
    all.flatMap(({ reordered }) => reordered),
    ({ path }) => path,
  );
  const places = new Map(all.flatMap(({ names }) => names.own).map((one) => [one.path, one]));
  return {
    reordered: [...lists].map(([path, ones]) => ({ path, numbered: ones.some(({ numbered }) => numbered) })),
    ownPlaces: [...places.values()],
  };
}
