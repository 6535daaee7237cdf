import type { Settings } from "../../config/config.ts";
import type { ExploreSignal } from "../../library/explore.ts";
import type { ExploreFinding } from "../../library/finding.ts";
import type { Sandbox } from "../../sandbox/sandbox.ts";
import type { Story } from "../stories/stories.ts";
import type { Subject } from "../subject/subscriber.ts";
import type { Finding, Level } from "./exploration.ts";
import type { Invariant } from "./invariant.ts";
import type { Schedule } from "./schedule.ts";
import type { Share } from "./share.ts";

/** What to explore with several stories. */
export type SurveyOptions = Omit<ExploreOptions, "story"> & { stories: readonly Story[] };

/** What to explore, and how far. */
export interface ExploreOptions {
  subject: Subject;
  story: Story;
  /** The secret that the subscriber verifies with. */
  secret: string;
  /** What gave it, such as `--secret`. */
  secretFrom?: string | undefined;
  /** The most deviations in a schedule. */
  deviations: number;
  /** Real milliseconds to spend. */
  budget: number;
  /** Real milliseconds that one answer of the subscriber may take. */
  timeout: number;
  /** Paths of the state that are not compared. */
  ignore: readonly string[];
  /** Paths of lists whose order is compared; none by default. */
  ordered?: readonly string[] | undefined;
  /** What must hold for the state after every schedule, or after every delivery. */
  invariant?: Invariant | null | undefined;
  seed: string;
  /** Whether it goes on after a finding, to find all that can go wrong. */
  all?: boolean | undefined;
  /** The one schedule to play, in place of all; of a saved finding, only what its file expects counts. */
  only?: { schedule: Schedule; data?: ExploreFinding } | undefined;
  /** What is known to go wrong: it is no finding of its own any more. */
  known?: readonly Finding[] | undefined;
  /** Which part of the schedules is tried, by those with one deviation. */
  shard?: Share | undefined;
  settings: Settings;
  /** Ends it; what was explored until then is the result. */
  signal?: ExploreSignal | undefined;
  /** Called after each schedule. */
  onProgress?: ((progress: Level & { story: string }) => void) | undefined;
  /** Serves the world of a story of one's own, which calls it over HTTP; shipped ones need none. */
  serve?: Serve | undefined;
}

/**
 * Opens a server for one story.
 * @param options the default world begins with `base`; without it, with what the settings say
 */
export type Serve = (
  settings: Settings,
  options: { socket: true; base: Buffer | undefined },
) => Promise<{ sandbox: Sandbox; url: string; socketPath: string | null; close: () => Promise<void> }>;
