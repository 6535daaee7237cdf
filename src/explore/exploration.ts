import type { Sandbox } from "../sandbox/sandbox.ts";
import type { BrokenInvariant } from "./invariant.ts";
import type { Run } from "./run.ts";
import type { Schedule } from "./schedule.ts";
import type { Difference } from "./state.ts";

/** The result of exploring a subscriber: what every report is made from. It is plain data, as `--json` prints it. */
export interface Exploration {
  story: {
    name: string;
    title: string;
    /** The scenario's file, for a story of one's own; null for a shipped one. */
    file: string | null;
  };
  /** Where the subscriber takes webhooks. */
  subscriber: string;
  /** Where its state was read; null for a function. */
  stateUrl: string | null;
  /** The URL or the shell command that reset it; null for a function. */
  reset: string | null;
  /** Decides the ids of the world: the same seed and the same subscriber give the same exploration. */
  seed: string;
  /** Paths of the state that were not compared. */
  ignore: readonly string[];
  calm: DrawnRun;
  /** One for each number of deviations up to the bound, fewest first, those that were never begun included. */
  levels: Level[];
  finding: Finding | null;
  flaky: Flaky | null;
  /** Why it ended before everything within the bound was tried, although nothing was found; null if it did not. */
  stopped: "budget" | "cancelled" | null;
  /** Real milliseconds. */
  wallMs: number;
}

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
   * Of those played: how many left an event undelivered, such as one of a time when the endpoint was disabled. Their
   * state is not compared with that of the calm run.
   */
  undelivered: number;
}

/** A schedule that ends in another state than the calm one, or breaks an invariant. */
export interface Finding {
  run: DrawnRun;
  /** Where the state differs from that of the calm run, ids of the platform replaced by those of the calm run. */
  differences: Difference[];
  /** The invariant that it breaks; null where only the state differs. */
  invariant: BrokenInvariant | null;
  /** What led to it, as far as the handler's answers and its state show, and what to do about it. */
  why: string;
}

/** Two runs of one schedule that ended differently; nothing is explored after that. */
export interface Flaky {
  /** Empty for the calm one. */
  schedule: Schedule;
  /** Where their states differ; empty if they differ in what an invariant says. */
  differences: Difference[];
}

/** A run with its endpoint's timeline, as it stood at the end. */
export interface DrawnRun extends Run {
  timeline: EndpointTimeline;
}

export type EndpointTimeline = ReturnType<Sandbox["payments"]["timeline"]>;
