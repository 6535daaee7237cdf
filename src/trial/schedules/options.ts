import type { Settings } from "../../config/config.ts";
import type { ExploreSignal } from "../../library/explore.ts";
import type { ExploreFinding } from "../../library/finding.ts";
import type { Sandbox } from "../../sandbox/sandbox.ts";
import type { Fitting } from "../fitting/fitted.ts";
import type { Story } from "../stories/stories.ts";
import type { Subject } from "../subject/subscriber.ts";
import type { Finding, Level } from "./exploration.ts";
import type { Invariant } from "./invariant.ts";
import type { Schedule, Share } from "./schedule.ts";

export type SurveyOptions = Omit<ExploreOptions, "story"> & { stories: readonly Story[] };

export interface ExploreOptions {
  subject: Subject;
  story: Story;
  secret: string;
  /** Where the secret comes from, such as `--secret`. */
  secretFrom?: string | undefined;
  deviations: number;
  /** The budget in real milliseconds: for what comes after the schedules with one deviation. Until then, no single one may take longer. */
  budget: number;
  /** Whether the budget is for everything, as a person has limited it. */
  isLimited?: boolean | undefined;
  /** Real milliseconds that one answer of the subscriber may take. */
  timeout: number;
  ignore: readonly string[];
  /** Paths of lists whose order is compared; none by default. */
  ordered?: readonly string[] | undefined;
  /** The rule that the state must satisfy after every schedule, or after every delivery. */
  invariant?: Invariant | null | undefined;
  seed: string;
  /** Whether to continue after a finding, in order to find all faults. */
  all?: boolean | undefined;
  /** The only schedule to play. For a saved finding, only the places that its file expects count. */
  only?: { schedule: Schedule; data?: ExploreFinding } | undefined;
  /** Fits the sender's examples to the user's rows, if an event has no effect without. */
  fitting?: Fitting | undefined;
  /** Known faults, which are not reported as new findings. */
  known?: readonly Finding[] | undefined;
  /** The part of the schedules to try. Schedules are divided by their first deviation. */
  shard?: Share | undefined;
  /** Further servers that play schedules at the same time. */
  crew?: Crew | undefined;
  settings: Settings;
  /** Whether the story begins at the machine's time, because a verifier compares times with its own clock. */
  atNow?: boolean | undefined;
  /** Ends the exploration, which returns its result so far. */
  signal?: ExploreSignal | undefined;
  onProgress?: ((progress: Level & { story: string }) => void) | undefined;
  /** Serves the world of a scenario, which calls it over HTTP; unused for shipped stories. */
  serve?: Serve | undefined;
}

/** Further servers under test, which are opened when they are worth their start. */
export interface Crew {
  /**
   * Opens the servers once. Servers that cannot be opened are left out, unless a person asked for them.
   * @param calmMs real milliseconds that all schedules take if each takes as long as the calm run
   * @param restarts how often the server is restarted besides
   * @returns the servers that take part
   * @throws SandboxError as `openSubject` for a crew that a person asked for
   */
  open(calmMs: number, restarts: number): Promise<readonly Subject[]>;
  /** The servers that were opened, including those that have ended since. */
  opened(): readonly Subject[];
  /** Ends the servers for good. */
  close(): Promise<void>;
  /** Whether a person asked for it, so that each server must take part. */
  isAsked: boolean;
}

/** Opens a server for one story. @param options `base` is the beginning of the default world; without it, the settings decide */
export type Serve = (
  settings: Settings,
  options: { socket: true; base: Buffer | undefined },
) => Promise<{ sandbox: Sandbox; url: string; socketPath: string | null; close: () => Promise<void> }>;
