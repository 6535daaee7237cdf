import { callsApi } from "../subject/subscriber.ts";
import { play, playFrom } from "./play.ts";
import { replay, type Trace } from "./replay.ts";
import type { Run, RunOptions, Stage } from "./run.ts";
import { platformKey, type Schedule } from "./schedule.ts";
import { wireRoot } from "./wire.ts";

/** A trace has whole requests: those of long runs are not stored, and no more than this. */
const MOST_STEPS = 100;
const MOST_TRACES = 2_000;

/**
 * Makes what plays the schedules of an exploration, one after another: as the platform played one before that looks the
 * same to it, else from where it left the one before, else from the beginning.
 */
export function createPlayer(
  stage: Stage,
  options: RunOptions & { calm: Run },
): (schedule: Schedule) => Promise<Run> {
  const { story, checkpoints } = stage;
  const traces = new Map<string, Trace>();
  let isChecked = story.file === null;

  /**
   * A scenario of one's own may call the subscriber itself. Then a run that is played from its record lacks that, and ends
   * elsewhere.
   */
  async function checkRepeats(): Promise<void> {
    isChecked = true;
    const fresh = () => ({ ...options, root: wireRoot() });
    const { trace } = await play(stage, [], fresh());
    const again = await replay(stage, [], trace, fresh());
    if (!again || stage.differences(options.calm.state, again.state).length > 0) story.repeats = false;
  }

  async function playOnPlatform(schedule: Schedule): Promise<Run> {
    const checkpoint = checkpoints.latestOf(schedule);
    const { run, trace } =
      (checkpoint && (await playFrom(checkpoint, stage, schedule, options))) ??
      (await play(stage, schedule, options));
    if (story.repeats && trace.steps.length <= MOST_STEPS && traces.size < MOST_TRACES)
      traces.set(platformKey(schedule), trace);
    return run;
  }

  /** Whether what was found once is what happens again. */
  const isRepeated = () => story.repeats && !callsApi(stage.subject);

  return async (schedule) => {
    if (!isChecked && isRepeated()) await checkRepeats();
    if (isRepeated()) {
      const run = await playNext(schedule);
      if (isRepeated()) return run;
    }
    return (await play(stage, schedule, { ...options, root: wireRoot() })).run;
  };

  async function playNext(schedule: Schedule): Promise<Run> {
    const trace = traces.get(platformKey(schedule));
    return (trace && (await replay(stage, schedule, trace, options))) ?? playOnPlatform(schedule);
  }
}
