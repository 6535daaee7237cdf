import type { Sandbox } from "../../../sandbox/sandbox.ts";
import type { SendResult } from "../../../webhooks/exchange.ts";
import type { StatementPoint } from "../../statements/point.ts";
import type { Interruption, Statement, Watch } from "../../statements/statements.ts";
import type { Story } from "../../stories/stories.ts";
import type { Surroundings } from "../../subject/surroundings.ts";
import type { SentAttempt } from "../attempt.ts";

/** A kind of deviation, with everything that is specific to it. `index.ts` lists them. */
export interface Deviation {
  name: string;
  /**
   * What it affects, if not a single attempt: all later attempts, to the end or until a person recovers from it; a person's act
   * after the attempt; or the whole story.
   */
  scope?: "from-then-on" | "until-recovery" | "person" | "beginning";

  /** Whether it can happen in a story; by default, in any. */
  canHappenIn?(story: Pick<Story, "by" | "settingsFor">): boolean;
  /** Whether it can happen at an attempt of a run; by default, at any. */
  isPossible?(attempts: readonly Attempt[], at: number): boolean;
  /** Whether it keeps the subscriber from its work, so that an answer such as 503 does not count as a refusal. */
  keepsFromWork?: true;
  /** Its effect on the subscriber's process, which the exploration must have started. */
  server?: "restarted" | "killed";
  /** The points of an attempt at which it can happen, instead of the attempt as a whole. */
  points?(statements: readonly Statement[]): readonly StatementPoint[];
  /** Whether it leaves at a point what it, or a kind that has the same effect, leaves at a later one, which stands for it. */
  leavesSame?(point: StatementPoint, statements: readonly Statement[]): boolean;
  does?: Interruption;
  /** Whether it can only happen at a statement. */
  isInside?: true;
  /** Whether chance decides where it hits a handler. If statements are observed, other deviations try each statement instead. */
  isOutside?: true;
  /** Whether it is never combined: it takes real time, and finds the same as a similar one in a slower handler. */
  isAlone?: true;
  /** Whether it can happen while the subscriber is down. */
  isInVain?: true;
  /** The fields of a sender's file on which it depends; by default, the fields of retries. */
  restsOn?: readonly string[];
  /** Its effect as seen by the platform: deviations with the same value look alike. Without a value, it has no effect. */
  seenAs?: string;

  /** How its attempt meets another one of the same instant: both are processed at the same time, or it moves past the other. */
  meets?: "together" | "in turn";
  /** Delivers the request of an attempt; by default, unchanged. */
  carry?(carriage: Carriage): Promise<void> | void;
  encounter?: Encounter;
  /** Does what a person would do. @returns false if that is not possible yet */
  act?(person: Person): Promise<boolean>;
  /** Sets up what exists from the beginning of the story. */
  begin?(stage: { registerAgain(): void }): void;
  /** A new secret with which the sender signs in addition to its own. */
  newSecretOf?(story: Pick<Story, "by">): string;

  /** Describes the deviation of an attempt, as the text after `attempt 2`; undefined for the usual words. */
  line?(words: LineWords): string | undefined;
  /** Describes its effect in a run, in a sentence. */
  sentence(parts: SentenceParts): string;
  /** Advice for a handler, if the final state differs and nothing else is known. */
  advice?: string;
  /** Advice for a handler, if a run shows that this deviation alone made the difference. */
  explains?(run: SentenceParts["run"]): string | undefined;
  /** Whether the timeline shows its attempt as lost. */
  isLoss?: true;
}

/** The fields of an attempt that decide what can happen at it. */
export type Attempt = Readonly<
  Pick<SentAttempt, "at" | "failed" | "trigger" | "pause" | "background" | "calls" | "statements">
>;

/** The request of an attempt, before it reaches the subscriber. */
export interface Carriage {
  settle(result: SendResult): void;
  /** Lets the request arrive, together with held ones. @param answered gets the subscriber's answer */
  arrive(answered: (result: SendResult) => void): Promise<void>;
  /**
   * Holds the request until the next one arrives, so that both are processed at the same time.
   * @param headStart real milliseconds until the next request is sent; without it, the request is in progress until any request
   *   arrives
   */
  hold(answered: (result: SendResult) => void, headStart?: number): void;
  /** Lets the request arrive. An API call by its handler waits for the next request. */
  stall(): Promise<void>;
}

export interface Encounter {
  /** Runs before the request is sent. */
  begin?(subject: Surroundings): void;
  /**
   * Runs while the request is in progress.
   * @param done settles once the request is answered
   * @param usual how long such a request took the first time, in real milliseconds
   * @returns the result for the platform instead of the answer; undefined for no effect
   */
  interrupt?(
    subject: Surroundings & { watch?: Watch | undefined },
    done: Promise<unknown>,
    usual: number,
  ): Promise<SendResult | undefined>;
  /** Runs once the subscriber has done its work after the answer. */
  end?(subject: Surroundings): Promise<void>;
}

export interface Person {
  sandbox: Sandbox;
  endpoint: string;
  deliveryId: string;
}

export interface LineWords {
  sent: SentAttempt;
  at: number;
  answered: string;
  /** Names the attempts that were processed at the same time; empty if there were none. */
  together: string;
}

/** The parts of a sentence about a deviation in a run. */
export interface SentenceParts {
  run: { attempts: readonly SentAttempt[]; recovery: number | null };
  sent: SentAttempt;
  at: number;
  /** The names of the sender and of events, for sentences. */
  speech: { sender: string; nameOf(sent: SentAttempt): string };
}
