import type { Sandbox } from "../../sandbox/sandbox.ts";
import type { StorySender } from "../stories/stories.ts";
import type { Difference, OwnColumn, Reordered } from "../subject/state.ts";
import type { OtherChange } from "../subject/tables.ts";
import type { BrokenInvariant } from "./invariant.ts";
import type { Run } from "./run.ts";
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
    /** The scenario's file, for a story of one's own; null for a shipped one. */
    file: string | null;
    /** The sender of the webhooks, for a sender's file. */
    sender?: Pick<StorySender, "named"> & {
      name: string;
      /** Left out for a story of the sender's file. */
      events?: StorySender["events"];
    };
  };
  /** Where the subscriber takes webhooks. */
  subscriber: string;
  /** The source of its state: a URL, `sqlite:` and a file, or a shell command; null for a function. */
  stateUrl: string | null;
  /** The URL or the shell command that reset it; null for a function, and if explore put its tables back. */
  reset: string | null;
  /** Decides the ids of the world: the same seed and the same subscriber give the same exploration. */
  seed: string;
  /** Paths of the state that were not compared. */
  ignore: readonly string[];
  /** Paths of lists whose order was compared. */
  ordered: readonly string[];
  /** Lists whose order differed between runs, which is no finding. */
  reordered: readonly Reordered[];
  /** Columns of its tables that differ from run to run by themselves. They were not compared. */
  leftOut: readonly OwnColumn[];
  /** Changes of its tables by other programs. They stay, and were not compared. */
  byOthers: readonly OtherChange[];
  /** Calls of the sender's API that its file does not describe: they prevent a verdict. */
  unknownCalls: readonly string[];
  calm: DrawnRun;
  /** One for each number of deviations up to the bound, fewest first, those that were never begun included. */
  levels: Level[];
  finding: Finding | null;
  /** With `all`: further findings, each with a fault that those before it do not have. */
  others: Finding[];
  /** The one schedule that was played, if only one was asked for. */
  only: Schedule | null;
  /** The part of the schedules that it covers, such as `1/4`; null for all. */
  shard: string | null;
  flaky: Flaky | null;
  /** Why it ended before everything within the bound was tried, although nothing was found; null otherwise. */
  stopped: StopReason | null;
  /** Real milliseconds. */
  wallMs: number;
}

export type StopReason = "budget" | "cancelled";

/** The result of exploring a subscriber with one story, or with several until one has a finding. */
export interface Survey {
  /** One for each story whose calm run worked. */
  explorations: Exploration[];
  unplayed: UnplayedStory[];
  /** Real milliseconds. */
  wallMs: number;
}

/** A story of which no schedule was tried. */
export interface UnplayedStory {
  name: string;
  title: string;
  /** Why, in a sentence. */
  reason: string;
  /** Whether it leaves the question open; false if a finding in another story answers it. */
  failed: boolean;
}

/** The counted results of tried schedules. */
export const COUNTS = ["tried", "alike", "undelivered", "inside", "unreached", "oneProcess"] as const;

/** The sum of several counts. */
export const sumOfCounts = (levels: readonly Level[]): Pick<Level, (typeof COUNTS)[number]> =>
  Object.fromEntries(
    COUNTS.map((field) => [field, levels.reduce((sum, level) => sum + level[field], 0)]),
  ) as Pick<Level, (typeof COUNTS)[number]>;

/** The schedules with a number of deviations. */
export interface Level {
  deviations: number;
  /** How many there are; null for a level that was not begun, as they follow from the level before. */
  schedules: number | null;
  /** How many were tried: those that were played, and those that are alike. */
  tried: number;
  /** Of those tried: how many are alike for the subscriber with one that was played, so that they were not played. */
  alike: number;
  /**
   * Of those tried: how many left an event undelivered that arrives in the calm run, such as one from a time when the endpoint
   * was disabled. Their state is not compared.
   */
  undelivered: number;
  /** Of those tried: how many have a deviation at a statement of the server. */
  inside: number;
  /**
   * Of those: how many did not reach that statement, and how many wait for another request inside one process. Neither counts.
   */
  unreached: number;
  oneProcess: number;
}

/** The final fault, by which findings are distinguished. */
export interface Wrong extends Pick<Finding, "differences" | "invariant"> {
  run: Pick<Run, "refused">;
}

/** A schedule that ends in another state than the calm run, breaks an invariant, or has an event refused for ever. */
export interface Finding {
  /** The events that it `refused` for ever are part of the fault. */
  run: DrawnRun;
  /** The differences of the state from the calm run's, with the platform's ids replaced by the calm run's. */
  differences: Difference[];
  /** The state that a file expects of a corrected handler, by place; `*` in a place is any entry. */
  expected: Difference[];
  /** The effect of each delivery on the state, beside the calm run; empty if the state after each is not known. */
  steps: StateStep[];
  /** The invariant that it breaks; null if only the state differs. */
  invariant: BrokenInvariant | null;
  /** Its cause, according to the handler's answers and its state, and what to do about it. */
  why: string;
  /** How often the schedule was played, and how many of these runs went wrong: fewer for a race. */
  runs: number;
  wrong: number;
  /** How many other schedules have the same fault. */
  alike: number;
}

/** The effect of a delivery of the found run on the state, beside its effect in the calm run. */
export interface StateStep {
  /** The numbers of its attempts, from 0: several that were processed at the same time. */
  attempts: number[];
  /** The changes of its events in the calm run: none for a repeated event, or for a test delivery. */
  calm: Difference[];
  found: Difference[];
  /**
   * Whether the runs part here: it is the first delivery after which the state differs from the calm run's with the same
   * events.
   */
  parts: boolean;
}

/** Two runs of one schedule that differ, as the subscriber does; nothing is explored after that. */
export interface Flaky {
  /** Empty for the calm run. */
  schedule: Schedule;
  /** Where their states differ; empty if only an answer does. */
  differences: Difference[];
  /** A request that was answered differently than before. */
  answer: ChangedAnswer | null;
}

/** A run with its endpoint's timeline at the end. */
export interface DrawnRun extends Run {
  timeline: EndpointTimeline;
  /** The timeline of the second endpoint with the same URL; null without one. */
  second: EndpointTimeline | null;
}

export type EndpointTimeline = ReturnType<Sandbox["payments"]["timeline"]>;

/** Why a run was ended early. */
export class Stopped extends Error {
  override readonly cause: StopReason;

  constructor(cause: StopReason) {
    super(cause);
    this.cause = cause;
  }
}
