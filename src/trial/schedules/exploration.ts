import type { Sandbox } from "../../sandbox/sandbox.ts";
import type { StorySender } from "../stories/stories.ts";
import type { Difference, OwnColumn, Reordered } from "../subject/state.ts";
import type { OtherChange } from "../subject/tables.ts";
import type { BrokenInvariant } from "./invariant.ts";
import type { Run } from "./run.ts";
import type { Schedule } from "./schedule.ts";
import type { ChangedAnswer } from "./wire.ts";

/** The result of exploring a subscriber with one story: what every report is made from. It is plain data, as `--json` prints it. */
export interface Exploration {
  story: {
    name: string;
    title: string;
    /** The scenario's file, for a story of one's own; null for a shipped one. */
    file: string | null;
    /** Whose webhooks they are, for those of a sender's file. */
    sender?: Pick<StorySender, "named"> & {
      name: string;
      /** Left out for a story of the sender's file. */
      events?: StorySender["events"];
    };
  };
  /** Where the subscriber takes webhooks. */
  subscriber: string;
  /** Where its state was read: a URL, `sqlite:` and a file, or a shell command; null for a function. */
  stateUrl: string | null;
  /** The URL or the shell command that reset it; null for a function, and where explore put its tables back. */
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
  /** What other programs changed in its tables meanwhile. It stays, and was not compared. */
  byOthers: readonly OtherChange[];
  /** Calls of the sender's API that its file does not describe: nothing can be told with them. */
  unknownCalls: readonly string[];
  calm: DrawnRun;
  /** One for each number of deviations up to the bound, fewest first, those that were never begun included. */
  levels: Level[];
  finding: Finding | null;
  /** With `all`: further findings, each with something wrong that is right in those before it. */
  others: Finding[];
  /** The one schedule that was played, where no other was asked for. */
  only: Schedule | null;
  /** Which part of the schedules it is about, such as `1/4`; null for all. */
  shard: string | null;
  flaky: Flaky | null;
  /** Why it ended before everything within the bound was tried, although nothing was found; null if it did not. */
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
  /** Whether it leaves the question open; false where a finding in another story answers it. */
  failed: boolean;
}

/** What is counted of the schedules that were tried. */
export const COUNTS = ["tried", "alike", "undelivered", "inside", "unreached", "oneProcess"] as const;

/** Adds up what was counted in several places. */
export const sumOfCounts = (levels: readonly Level[]): Pick<Level, (typeof COUNTS)[number]> =>
  Object.fromEntries(
    COUNTS.map((field) => [field, levels.reduce((sum, level) => sum + level[field], 0)]),
  ) as Pick<Level, (typeof COUNTS)[number]>;

/** The schedules with a number of deviations. */
export interface Level {
  deviations: number;
  /** How many there are; null for a level that was not begun, as they follow from the runs of the level before. */
  schedules: number | null;
  /** How many were tried: those that were played, and those that are alike. */
  tried: number;
  /** Of those tried: how many a subscriber cannot tell from one that was played before, so they were not played. */
  alike: number;
  /**
   * Of those tried: how many left an event undelivered that arrives in the calm run, such as one of a time when the
   * endpoint was disabled. Their state is not compared with that of the calm run.
   */
  undelivered: number;
  /** Of those tried: how many do something at a statement of the server. */
  inside: number;
  /** Of those: how many did not get to that statement, and how many wait for another request inside one process. Neither counts. */
  unreached: number;
  oneProcess: number;
}

/** What is wrong in the end: findings are told apart by it. */
export interface Wrong extends Pick<Finding, "differences" | "invariant"> {
  run: Pick<Run, "refused">;
}

/** A schedule that ends in another state than the calm one, breaks an invariant, or has an event refused for ever. */
export interface Finding {
  /** What it `refused` for ever is part of what is wrong. */
  run: DrawnRun;
  /** Where the state differs from that of the calm run, ids of the platform replaced by those of the calm run. */
  differences: Difference[];
  /** What a file expects of the state of a mended handler, by place; `*` in a place is any entry. */
  expected: Difference[];
  /** What each delivery did to the state, beside the calm run; empty where the state after each is not known. */
  steps: StateStep[];
  /** The invariant that it breaks; null where only the state differs. */
  invariant: BrokenInvariant | null;
  /** What led to it, as far as the handler's answers and its state show, and what to do about it. */
  why: string;
  /** How often the schedule was played, and in how many of these runs it went wrong: fewer for a race. */
  runs: number;
  wrong: number;
  /** How many other schedules go wrong in no other way. */
  alike: number;
}

/** What a delivery of the found run did to the state, beside what it did when everything went well. */
export interface StateStep {
  /** The numbers of its attempts, from 0: several that were processed at the same time. */
  attempts: number[];
  /** What its events changed in the calm run: nothing for an event that comes again, or for a test delivery. */
  calm: Difference[];
  found: Difference[];
  /** Whether the runs part here: it is the first after which the state is not that of the calm run with the same events. */
  parts: boolean;
}

/** Two runs of one schedule that differ, as the subscriber does; nothing is explored after that. */
export interface Flaky {
  /** Empty for the calm one. */
  schedule: Schedule;
  /** Where their states differ; empty if only an answer does. */
  differences: Difference[];
  /** A request that was answered otherwise than before. */
  answer: ChangedAnswer | null;
}

/** A run with its endpoint's timeline, as it stood at the end. */
export interface DrawnRun extends Run {
  timeline: EndpointTimeline;
  /** That of the second endpoint with the same URL; null without one. */
  second: EndpointTimeline | null;
}

export type EndpointTimeline = ReturnType<Sandbox["payments"]["timeline"]>;

/** Why a run was ended before its end. */
export class Stopped extends Error {
  override readonly cause: StopReason;

  constructor(cause: StopReason) {
    super(cause);
    this.cause = cause;
  }
}
