import type { KnownValues } from "../../webhooks/known.ts";
import type { StorySender } from "../stories/stories.ts";
import type { Difference, Reordered } from "../subject/state.ts";
import type { OwnPlace } from "../subject/state-names.ts";
import type { BrokenInvariant } from "./invariant.ts";
import type { DrawnRun, Run } from "./run.ts";
import type { Schedule } from "./schedule.ts";
import type { ChangedAnswer } from "./wire.ts";

/**
 * The result of exploring a subscriber with one story, from which every report is made. It is plain data, as `--json` prints
 * it.
 */
export interface Exploration {
  story: {
    name: string;
    title: string;
    /** The scenario's file, for a user's own story; null for a shipped story. */
    file: string | null;
    /** The sender of the webhooks, for a sender's file. */
    sender?: Pick<StorySender, "named"> & {
      name: string;
      /** Omitted for a story of the sender's file. */
      events?: StorySender["events"];
      /** What the user's database has, which a saved finding names. */
      known?: KnownValues;
    };
  };
  subscriber: string;
  /** The source of the subscriber's state: a URL, `sqlite:` and a file, or a shell command; null for a function. */
  stateUrl: string | null;
  /** The URL or the shell command that resets the subscriber; null for a function, and if explore restores its tables. */
  reset: string | null;
  /** Decides the ids of the world. The same seed and the same subscriber give the same exploration. */
  seed: string;
  ignore: readonly string[];
  /** Paths of lists whose order was compared. */
  ordered: readonly string[];
  /** Lists whose order differed between runs, which does not count as a finding. */
  reordered: readonly Reordered[];
  /** Places whose values differ from run to run by themselves. Only whether they are there was compared. */
  ownPlaces: readonly OwnPlace[];
  /** Calls of the sender's API that its file does not describe: they prevent a verdict. */
  unknownCalls: readonly string[];
  /** What calls do in some schedules and no handler can avoid, in words. */
  accepted: readonly string[];
  calm: DrawnRun;
  /** How many places in the calm run a crash leaves something different at; 0 if the server cannot be killed there. */
  crashPlaces: number;
  /** Whether the server was started, and changed its database without a statement that was seen. */
  unwatched: boolean;
  /** One level for each number of deviations up to the bound, fewest first, including levels that were never begun. */
  levels: Level[];
  finding: Finding | null;
  /** With `all`: further findings, each with a fault that no earlier finding has. */
  others: Finding[];
  /** The one schedule that was played, if only one was asked for. */
  only: Schedule | null;
  /** The part of the schedules that was explored, such as `1/4`; null for all. */
  shard: string | null;
  flaky: Flaky | null;
  /** Why the exploration ended before everything within the bound was tried, although nothing was found; null otherwise. */
  stopped: StopReason | null;
  wallMs: number;
}

export type StopReason = "budget" | "cancelled";

/** The result of exploring a subscriber with one story, or with several until one has a finding. */
export interface Survey {
  /** The exploration of each story whose calm run worked. */
  explorations: Exploration[];
  unplayed: UnplayedStory[];
  wallMs: number;
}

/** A story without any tried schedule. */
export interface UnplayedStory {
  name: string;
  title: string;
  reason: string;
  /** Whether the story leaves the question open; false if a finding in another story answers it. */
  failed: boolean;
}

export const COUNTS = [
  "tried",
  "alike",
  "stoodFor",
  "undelivered",
  "inside",
  "unreached",
  "oneProcess",
] as const;

export const sumOfCounts = (levels: readonly Level[]): Pick<Level, (typeof COUNTS)[number]> =>
  Object.fromEntries(
    COUNTS.map((field) => [field, levels.reduce((sum, level) => sum + level[field], 0)]),
  ) as Pick<Level, (typeof COUNTS)[number]>;

/** The schedules with a number of deviations. */
export interface Level {
  deviations: number;
  /** The number of schedules; null for a level that was not begun, because they follow from the level before. */
  schedules: number | null;
  /** How many schedules were tried: those played, and those equivalent to a played one. */
  tried: number;
  /** How many of the tried schedules were not played because they look the same to the subscriber as a played one. */
  alike: number;
  /** How many more schedules were not tried, as a tried one stands for them: an event that makes no statement and no change, or a crash that leaves the same. */
  stoodFor: number;
  /**
   * How many of the tried schedules left an event undelivered that arrives in the calm run, for example because the endpoint was
   * disabled. Their states are not compared.
   */
  undelivered: number;
  /** How many of the tried schedules have a deviation at a statement of the server. */
  inside: number;
  /** How many of those did not reach the statement, and how many wait for another request inside one process. Neither counts. */
  unreached: number;
  oneProcess: number;
}

/** The final fault, and how the server handled the schedule: these distinguish findings. */
export interface Wrong extends Pick<Finding, "differences" | "invariant"> {
  run: Pick<Run, "refused"> & Partial<Pick<Run, "attempts">>;
}

/** A schedule that ends in a different state than the calm run, breaks an invariant, or has an event refused permanently. */
export interface Finding {
  /** The run. Its permanently `refused` events are part of the fault. */
  run: DrawnRun;
  /** The differences of the state from the calm run's, with the platform's ids replaced by the calm run's. */
  differences: Difference[];
  /** The state that a finding's file expects of a corrected handler, by place; `*` in a place matches any entry. */
  expected: Difference[];
  /** The effect of each delivery on the state, beside the calm run's; empty if the intermediate states are unknown. */
  steps: StateStep[];
  /** The invariant that the schedule breaks; null if only the state differs. */
  invariant: BrokenInvariant | null;
  /** The fault's cause, according to the handler's answers and its state, and what to do about it. */
  why: string;
  /** How often the schedule was played, and how many of these runs went wrong: not all of them for a race. */
  runs: number;
  wrong: number;
  /** How many other schedules have the same fault. */
  alike: number;
}

/** The effect of a delivery of the found run on the state, beside its effect in the calm run. */
export interface StateStep {
  /** The numbers of the step's attempts, from 0. Several attempts were processed at the same time. */
  attempts: number[];
  /** The changes that the same events made in the calm run; empty for a repeated event, or for a test delivery. */
  calm: Difference[];
  found: Difference[];
  /** Whether this is the first delivery after which the state differs from the calm run's with the same events. */
  parts: boolean;
}

/** Two runs of one schedule that differ, because the subscriber is not deterministic. The exploration ends there. */
export interface Flaky {
  /** The schedule; empty for the calm run. */
  schedule: Schedule;
  /** Where the runs' states differ; empty if only an answer does. */
  differences: Difference[];
  /** A request that was answered differently than before. */
  answer: ChangedAnswer | null;
}

export class Stopped extends Error {
  override readonly cause: StopReason;

  constructor(cause: StopReason) {
    super(cause);
    this.cause = cause;
  }
}
