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
  /** Where the secret was specified, such as `--secret`. */
  secretFrom?: string | undefined;
  deviations: number;
  /**
   * The budget in real milliseconds. It starts after the schedules with one deviation; before that, it limits each
   * single schedule.
   */
  budget: number;
  /** Whether the budget covers everything, because the user set it. */
  isLimited?: boolean | undefined;
  /** The subscriber's response timeout, in real milliseconds. */
  timeout: number;
  ignore: readonly string[];
  /** Paths of arrays whose order is compared; none by default. */
  ordered?: readonly string[] | undefined;
  /** The rule that the state must satisfy after every schedule, or after every delivery. */
  invariant?: Invariant | null | undefined;
  seed: string;
  /** Whether to continue after a finding, to find all faults. */
  all?: boolean | undefined;
  /** The only schedule to try. For a saved finding, only the places listed in its file are compared. */
  only?: { schedule: Schedule; data?: ExploreFinding } | undefined;
  /** Fits the sender's examples to the user's rows, if an event has no effect otherwise. */
  fitting?: Fitting | undefined;
  /** Known faults, which are not reported as new findings. */
  known?: readonly Finding[] | undefined;
  /** The part of the schedules to try. Schedules are divided by their first deviation. */
  shard?: Share | undefined;
  /** Additional servers that try schedules concurrently. */
  crew?: Crew | undefined;
  settings: Settings;
  /** Whether the story starts at the machine's time, because a verifier compares timestamps with its own clock. */
  atNow?: boolean | undefined;
  /** Stops the exploration, which returns its result so far. */
  signal?: ExploreSignal | undefined;
  onProgress?: ((progress: Level & { story: string }) => void) | undefined;
  /** Serves a scenario's world, which the scenario calls over HTTP; unused for shipped stories. */
  serve?: Serve | undefined;
}

/** Additional servers under test, opened if the user asked for them or if they save more time than they take to start. */
export interface Crew {
  /**
   * Opens the servers once. Servers that cannot be opened are skipped, unless the user asked for them.
   * @param calmMs real milliseconds for all schedules, if each takes as long as the calm run
   * @param restarts the number of additional server restarts
   * @returns the servers that take part
   * @throws SandboxError like `openSubject`, if the user asked for the crew
   */
  open(calmMs: number, restarts: number): Promise<readonly Subject[]>;
  /** All opened servers, including those that have exited since. */
  opened(): readonly Subject[];
  /** Stops the servers permanently. */
  close(): Promise<void>;
  /** Whether the user asked for the additional servers. If so, every server must take part. */
  isAsked: boolean;
}

/** Opens a server for one story. @param options `base` is the default world's content; by default, the settings decide */
export type Serve = (
  settings: Settings,
  options: { socket: true; base: Buffer | undefined },
) => Promise<{ sandbox: Sandbox; url: string; socketPath: string | null; close: () => Promise<void> }>;
