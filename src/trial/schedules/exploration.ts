import type { KnownValues } from "../../webhooks/known.ts";
import type { StorySender } from "../stories/stories.ts";
import type { Difference, Reordered } from "../subject/state.ts";
import type { OwnPlace } from "../subject/state-names.ts";
import type { BrokenInvariant } from "./invariant.ts";
import type { DrawnRun, Run } from "./run.ts";
import type { Schedule } from "./schedule.ts";
import type { ChangedAnswer } from "./wire.ts";

/**
 * The result of exploring a subscriber with one story. It is plain data, as printed by `--json`, and the source of every
 * report.
 */
export interface Exploration {
  story: {
    name: string;
    title: string;
    /** The scenario's file, for a user's own story; null for a shipped story. */
    file: string | null;
    /** The webhook sender, if the story uses a sender file. */
    sender?: Pick<StorySender, "named"> & {
      name: string;
      /** Omitted for a story in the sender file. */
      events?: StorySender["events"];
      /** Known values in the user's database, to which saved findings refer by name. */
      known?: KnownValues;
    };
  };
  subscriber: string;
  /** The state's source: a URL, `sqlite:` and a file, or a shell command; null for a function. */
  stateUrl: string | null;
  /** The URL or shell command that resets the subscriber; null for a function, or if explore restores its tables. */
  reset: string | null;
  /** Determines the world's ids. The same seed and subscriber give the same exploration. */
  seed: string;
  ignore: readonly string[];
  /** Paths of lists whose order was compared. */
  ordered: readonly string[];
  /** Arrays whose order differed between runs, which does not count as a finding. */
  reordered: readonly Reordered[];
  /** Places whose values differ even between identical runs. Only their presence was compared. */
  ownPlaces: readonly OwnPlace[];
  /** Sender API calls that the sender file does not describe. They prevent a verdict. */
  unknownCalls: readonly string[];
  /** Descriptions of call effects that occur in some schedules and that no handler can avoid. */
  accepted: readonly string[];
  calm: DrawnRun;
  /** The number of places in the calm run where a crash leaves a distinct state; 0 if the server cannot be killed. */
  crashPlaces: number;
  /** The types of events that left the state as it was in the calm run. */
  unmoving: readonly string[];
  /** Whether the server was started and changed its database without an observed statement. */
  unwatched: boolean;
  /** How many times the server stopped responding, and responded to the same requests after a restart. */
  revivals: number;
  /** One level per number of deviations up to the bound, fewest first, including levels that were never started. */
  levels: Level[];
  finding: Finding | null;
  /** Further findings, if `all` is set. Each has a fault that no earlier finding has. */
  others: Finding[];
  /** The only schedule that was tried, if a single one was requested. */
  only: Schedule | null;
  /** The part of the schedules that was explored, such as `1/4`; null for all. */
  shard: string | null;
  flaky: Flaky | null;
  /** Why the exploration ended early without a finding; null otherwise. */
  stopped: StopReason | null;
  wallMs: number;
}

export type StopReason = "budget" | "cancelled";

/** The result of exploring a subscriber with one story, or with several until one has a finding. */
export interface Survey {
  /** The exploration of each story whose calm run succeeded. */
  explorations: Exploration[];
  unplayed: UnplayedStory[];
  wallMs: number;
}

/** A story for which no schedule was tried. */
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

/** The schedules with a certain number of deviations. */
export interface Level {
  deviations: number;
  /** The number of schedules; null for a level that was not started, because they depend on the previous level. */
  schedules: number | null;
  /** How many schedules were tried: those that ran, and those equivalent to one that ran. */
  tried: number;
  /** How many of the tried schedules did not run because they look the same to the subscriber as one that ran. */
  alike: number;
  /**
   * How many more schedules a tried one represents: those that differ only in events without a statement or change, or
   * in equivalent crashes.
   */
  stoodFor: number;
  /**
   * How many of the tried schedules failed to deliver an event that arrives in the calm run, for example because the endpoint
   * was disabled. Their states are not compared.
   */
  undelivered: number;
  /** How many of the tried schedules have a deviation at one of the server's statements. */
  inside: number;
  /**
   * How many of those missed the statement, and how many waited for another request in the same process. Neither kind
   * counts.
   */
  unreached: number;
  oneProcess: number;
}

/** The final fault and how the server handled the schedule, which together distinguish findings. */
export interface Wrong extends Pick<Finding, "differences" | "invariant"> {
  run: Pick<Run, "refused"> & Partial<Pick<Run, "attempts">>;
}

/** A schedule that ends in a different state than the calm run, breaks an invariant, or permanently loses an event. */
export interface Finding {
  /** The run that shows the fault. Events that it permanently `refused` are part of the fault. */
  run: DrawnRun;
  /** How the state differs from the calm run's, with the platform's ids replaced by the calm run's. */
  differences: Difference[];
  /** The state that a finding file expects from a fixed handler, keyed by place. `*` in a place matches any entry. */
  expected: Difference[];
  /** Each delivery's effect on the state, next to the calm run's; empty if the intermediate states are unknown. */
  steps: StateStep[];
  /** The invariant that the schedule breaks; null if only the state differs. */
  invariant: BrokenInvariant | null;
  /** The fault's cause, derived from the handler's responses and state, and what to do about it. */
  why: string;
  /** How many times the schedule ran, and how many of these runs went wrong. In a race, only some do. */
  runs: number;
  wrong: number;
  /** How many other schedules have the same fault. */
  alike: number;
}

/** A delivery's effect on the state in the found run, next to its effect in the calm run. */
export interface StateStep {
  /** The step's attempt numbers, starting at 0. If there are several, the attempts were processed at the same time. */
  attempts: number[];
  /** The changes that the same events made in the calm run; empty for a repeated event, or for a test delivery. */
  calm: Difference[];
  found: Difference[];
  /**
   * Whether this is the first delivery after which the state differs from the calm run's state after the same events.
   */
  parts: boolean;
}

/** Two runs of one schedule that differ, because the subscriber is not deterministic. The exploration ends there. */
export interface Flaky {
  /** The schedule; empty for the calm run. */
  schedule: Schedule;
  /** Where the runs' states differ; empty if only a response does. */
  differences: Difference[];
  /** A request that got a different response than before. */
  answer: ChangedAnswer | null;
}

export class Stopped extends Error {
  override readonly cause: StopReason;

  constructor(cause: StopReason) {
    super(cause);
    this.cause = cause;
  }
}
