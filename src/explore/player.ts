import { play, playFrom } from "./play.ts";
import { replay, type Trace } from "./replay.ts";
import type { Run, RunOptions, Stage } from "./run.ts";
import { platformKey, type Schedule } from "./schedule.ts";
import { callsApi } from "./subscriber.ts";
import { wireRoot } from "./wire.ts";

/** A trace has whole requests: those of long runs are not stored, and no more than this. */
const MOST_STEPS = 100;
const MOST_TRACES = 2_000;

/**
 * Makes what plays the schedules of an exploration, one after another: as the platform played one before that looks the
 * same to it, else from where it left the one before, else from the beginning.
 */
export function createPlayer(stage: Stage, options: RunOptions): (schedule: Schedule) => Promise<Run> {
  const { story, checkpoints } = stage;
  const traces = new Map<string, Trace>();

  async function playOnPlatform(schedule: Schedule): Promise<Run> {
    const checkpoint = checkpoints.latestOf(schedule);
    const { run, trace } =
      (checkpoint && (await playFrom(checkpoint, stage, schedule, options))) ??
      (await play(stage, schedule, options));
    if (story.repeats && trace.steps.length <= MOST_STEPS && traces.size < MOST_TRACES)
      traces.set(platformKey(schedule), trace);
    return run;
  }

  return async (schedule) => {
    if (!callsApi(stage.subject)) {
      const run = await playNext(schedule);
      if (!callsApi(stage.subject)) return run;
    }
    return (await play(stage, schedule, { ...options, root: wireRoot() })).run;
  };

  async function playNext(schedule: Schedule): Promise<Run> {
    const trace = traces.get(platformKey(schedule));
    return (trace && (await replay(stage, schedule, trace, options))) ?? playOnPlatform(schedule);
  }
}
