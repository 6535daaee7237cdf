import type { Sandbox } from "../../../sandbox/sandbox.ts";
import type { SendResult } from "../../../webhooks/exchange.ts";
import type { StatementPoint } from "../../statements/point.ts";
import type { Interruption, Statement, Watch } from "../../statements/statements.ts";
import type { Story } from "../../stories/stories.ts";
import type { Surroundings } from "../../subject/surroundings.ts";
import type { SentAttempt } from "../attempt.ts";

/** A kind of deviation, with everything specific to it. `index.ts` lists all of them. */
export interface Deviation {
  name: string;
  /**
   * The deviation's scope, unless it affects a single attempt: all later attempts (until the end, or until a person
   * recovers from it), a person's action after the attempt, or the whole story.
   */
  scope?: "from-then-on" | "until-recovery" | "person" | "beginning";

  /** Whether the deviation can happen in a story. By default, it can happen in every story. */
  canHappenIn?(story: Pick<Story, "by" | "settingsFor">): boolean;
  /** Whether the deviation can happen at an attempt of a run. By default, it can happen at every attempt. */
  isPossible?(attempts: readonly Attempt[], at: number): boolean;
  /**
   * Whether the deviation prevents the subscriber from working. If so, a response such as 503 does not count as a
   * rejection.
   */
  keepsFromWork?: true;
  /** The deviation's effect on the subscriber's process, which the exploration must have started. */
  server?: "restarted" | "killed";
  /** The points within an attempt at which the deviation can happen, instead of at the attempt as a whole. */
  points?(statements: readonly Statement[]): readonly StatementPoint[];
  /** Whether a point has the same outcome as a later one (of this kind or an equivalent one), which then represents it. */
  leavesSame?(point: StatementPoint, statements: readonly Statement[]): boolean;
  does?: Interruption;
  /** Whether the deviation can happen only at a statement. */
  isInside?: true;
  /**
   * Whether the deviation hits a handler at a random place. If statements are observed, other deviations try each
   * statement instead.
   */
  isOutside?: true;
  /**
   * Whether the deviation is never combined with others: it takes real time and finds the same faults as a similar
   * kind.
   */
  isAlone?: true;
  /** Whether the deviation can happen while the subscriber is down. */
  isInVain?: true;
  /** The sender file fields that the deviation depends on; by default, the retry fields. */
  restsOn?: readonly string[];
  /**
   * The deviation's effect as seen by the platform. Deviations with equal values look alike; no value means no effect.
   */
  seenAs?: string;

  /**
   * What happens when the deviation's attempt coincides with another: both are processed concurrently, or it arrives
   * after the other.
   */
  meets?: "together" | "in turn";
  /** Delivers an attempt's request. By default, it is delivered unchanged. */
  carry?(carriage: Carriage): Promise<void> | void;
  encounter?: Encounter;
  /** Performs a person's action. @returns false if that is not possible yet */
  act?(person: { sandbox: Sandbox; endpoint: string; deliveryId: string }): Promise<boolean>;
  /** Sets up whatever must exist when the story starts. */
  begin?(stage: { registerAgain(): void }): void;
  /** A new secret with which the sender also signs. */
  newSecretOf?(story: Pick<Story, "by">): string;

  /** Describes an attempt's deviation, phrased to follow `attempt 2`. Undefined for the default description. */
  line?(words: LineWords): string | undefined;
  /** Describes the deviation's effect on a run in a sentence. */
  sentence(parts: SentenceParts): string;
  /** Advice if the final state differs and nothing else is known. */
  advice?: string;
  /** Advice if a run shows that this deviation alone made the difference. */
  explains?(run: SentenceParts["run"]): string | undefined;
  /** Whether the timeline shows the deviation's attempt as lost. */
  isLoss?: true;
}

/** The fields of an attempt that determine what can happen at it. */
export type Attempt = Readonly<
  Pick<SentAttempt, "at" | "failed" | "trigger" | "pause" | "background" | "calls" | "statements">
>;

/** An attempt's request on its way to the subscriber. */
export interface Carriage {
  settle(result: SendResult): void;
  /** Delivers the request, together with held ones. @param answered receives the subscriber's response */
  arrive(answered: (result: SendResult) => void): Promise<void>;
  /**
   * Holds the request until the next one arrives, so that both are processed at the same time.
   * @param headStart real milliseconds until the next request is sent; if omitted, the request stays in progress until
   * another one arrives
   */
  hold(answered: (result: SendResult) => void, headStart?: number): void;
  /** Delivers the request. An API call by its handler then waits for the next request. */
  stall(): Promise<void>;
}

export interface Encounter {
  /** Runs before the request is sent. */
  begin?(subject: Surroundings): void;
  /**
   * Runs while the request is in progress.
   * @param done settles once the subscriber has responded
   * @param usual how long such a request took the first time, in real milliseconds
   * @returns the result that the platform gets instead of the response; undefined leaves the response unchanged
   */
  interrupt?(
    subject: Surroundings & { watch?: Watch | undefined },
    done: Promise<unknown>,
    usual: number,
  ): Promise<SendResult | undefined>;
  /** Runs once the subscriber has finished its work after the response. */
  end?(subject: Surroundings): Promise<void>;
}

export interface LineWords {
  sent: SentAttempt;
  at: number;
  answered: string;
  /** Lists attempts processed at the same time; empty if there were none. */
  together: string;
}

/** The input for a sentence about a deviation in a run. */
export interface SentenceParts {
  run: { attempts: readonly SentAttempt[]; recovery: number | null };
  sent: SentAttempt;
  at: number;
  /** How sentences refer to the sender and events. */
  speech: { sender: string; nameOf(sent: SentAttempt): string };
}
