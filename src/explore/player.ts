import { play } from "./play.ts";
import { platformKey, replay, type Trace } from "./replay.ts";
import type { Run, RunOptions, Stage } from "./run.ts";
import type { Schedule } from "./schedule.ts";

/** A trace has whole requests: those of long runs are not stored, and no more than this. */
const MOST_STEPS = 100;
const MOST_TRACES = 2_000;

/** Plays schedules: on the platform, or as it played one before that looks the same to it. */
export function createPlayer(stage: Stage, options: RunOptions) {
  const traces = new Map<string, Trace>();
  /** What the world shows now. */
  let latest: Run | undefined;
  // The platform gets the answers of requests that overlap in another order.
  const isComparable = (schedule: Schedule): boolean =>
    stage.story.repeats && schedule.every(({ kind }) => kind !== "overlap");

  async function playOnPlatform(schedule: Schedule): Promise<Run> {
    const { run, trace } = await play(stage, schedule, options);
    latest = run;
    if (isComparable(schedule) && trace.steps.length <= MOST_STEPS && traces.size < MOST_TRACES)
      traces.set(platformKey(schedule), trace);
    return run;
  }

  return {
    async play(schedule: Schedule): Promise<Run> {
      const trace = isComparable(schedule) ? traces.get(platformKey(schedule)) : undefined;
      return (trace && (await replay(stage, schedule, trace, options))) ?? (await playOnPlatform(schedule));
    },

    /** The run of the schedule that was played last, as the world shows it. */
    onPlatform: async (schedule: Schedule): Promise<Run> =>
      latest?.schedule === schedule ? latest : playOnPlatform(schedule),
  };
}
