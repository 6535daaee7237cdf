import type { Sandbox } from "../../../sandbox/sandbox.ts";
import type { SendResult } from "../../../webhooks/exchange.ts";
import type { Interruption, Statement, Watch } from "../../statements/statements.ts";
import type { Story } from "../../stories/stories.ts";
import type { Subject } from "../../subject/subscriber.ts";
import type { SentAttempt } from "../attempt.ts";

/** A kind of deviation, with everything that is special about it. `index.ts` lists them. */
export interface Deviation {
  /** The name in schedules, files and reports. */
  name: string;
  /**
   * Its scope, if not a single attempt: all later attempts, to the end or until a person recovers from it; a person's act after
   * it; or the whole story.
   */
  scope?: "from-then-on" | "until-recovery" | "person" | "beginning";

  /** Whether it can happen in a story; in any by default. */
  canHappenIn?(story: Pick<Story, "by" | "settingsFor">): boolean;
  /** Whether it can happen at an attempt of a run; at any by default. */
  isPossible?(attempts: readonly Attempt[], at: number): boolean;
  /** Whether its request does not count as the subscriber's try when the subscriber asks for a later one. */
  keepsFromWork?: true;
  /** Its effect on the subscriber's process, which must be one that the exploration has started. */
  server?: "restarted" | "killed";
  /** The statements of an attempt at which it can happen, instead of the attempt as a whole. */
  points?(statements: readonly Statement[]): readonly Statement[];
  /** Its effect on that statement. */
  does?: Interruption;
  /** Whether it can only happen at a statement. */
  isInside?: true;
  /** Whether chance decides what it meets in a handler: if statements are seen, other deviations try each of them. */
  isOutside?: true;
  /** Whether it is never combined with others: it takes real time, and finds the same as a similar one in a slower handler. */
  isAlone?: true;
  /** Whether it can happen while the subscriber is down. */
  isInVain?: true;
  /** Whether it makes one event, or all events, arrive once more. */
  copies?: "one" | "all";
  /** The fields of a sender's file that it rests on; by default, those of retries. */
  restsOn?: readonly string[];
  /** Its effect for the platform, which is equal for all deviations with this value. No effect without it. */
  seenAs?: string;

  /** Whether its attempt arrives with the next one of that instant, or after it. */
  order?: "with-next" | "after-next";
  /** Carries the request of an attempt; by default, it arrives. */
  carry?(carriage: Carriage): Promise<void> | void;
  /** Its effect at the subscriber. */
  encounter?: Encounter;
  /** A person's action. @returns false if it is not possible yet */
  act?(person: Person): Promise<boolean>;
  /** Sets up what exists from the beginning on. */
  begin?(stage: { registerAgain(): void }): void;
  /** The secret with which the sender signs before its own. */
  newSecretOf?(story: Pick<Story, "by">): string;

  /** The deviation of an attempt, as the text after `attempt 2`; undefined for the usual words. */
  line?(words: LineWords): string | undefined;
  /** Its effect in a run, in a sentence. */
  sentence(told: Told): string;
  /** Advice for a handler, if the state shows only that it differs. */
  advice?: string;
  /** Advice for a handler, if a run shows that this alone made the difference. */
  explains?(run: Told["run"]): string | undefined;
  /** Whether a drawing calls its attempt lost. */
  isLoss?: true;
}

/** The fields of a run's attempt that schedules need. */
export interface Attempt {
  /** The virtual instant at which it began; attempts of one instant are in progress together. */
  at: number;
  /** Whether the platform counted it as failed. */
  failed: boolean;
  trigger: "automatic" | "manual" | "test" | "resend";
  /** The pause of the story that follows it: the next moment at which a person can act. */
  pause: number;
  /** Whether it is background traffic, which no schedule changes. */
  background: boolean;
  /** How often the subscriber called the platform's API while it handled it. */
  calls: number;
  /** The statements that it made at its database, in order, if they are seen. */
  statements: readonly Statement[];
}

/** The request of an attempt, before it reaches the subscriber. */
export interface Carriage {
  /** Reports the attempt's result to the platform. */
  settle(result: SendResult): void;
  /** Lets the request arrive, with held ones. @param answered gets the subscriber's answer */
  arrive(answered: (result: SendResult) => void): Promise<void>;
  /**
   * Holds the request until the next one arrives, so that both are processed at the same time.
   * @param headStart real milliseconds until the next one is sent; without it, the request is in progress until any arrives
   */
  hold(answered: (result: SendResult) => void, headStart?: number): void;
  /** Lets the request arrive; a call of the API by its handler waits for the next request. */
  stall(): Promise<void>;
}

export interface Encounter {
  /** Before the request is sent. */
  begin?(subject: Pick<Subject, "api">): void;
  /**
   * Runs while the request is in progress.
   * @param done settles once it is answered
   * @param usual how long such a request took the first time, real milliseconds
   * @returns what the platform gets instead of the answer; undefined for no effect
   */
  interrupt?(
    subject: Pick<Subject, "server"> & { watch?: Watch | undefined },
    done: Promise<unknown>,
    usual: number,
  ): Promise<SendResult | undefined>;
  /** Runs once the subscriber has done its work after the answer. */
  end?(subject: Pick<Subject, "server">): Promise<void>;
}

/** A person at the dashboard, who looks at an attempt. */
export interface Person {
  sandbox: Sandbox;
  /** The subscriber's endpoint. */
  endpoint: string;
  /** The attempt's delivery. */
  deliveryId: string;
}

export interface LineWords {
  sent: SentAttempt;
  /** The subscriber's answer. */
  answered: string;
  /** The attempts that were processed at the same time; empty if there were none. */
  together: string;
}

/** A deviation in a run, for the sentence about it. */
export interface Told {
  run: { attempts: readonly SentAttempt[]; recovery: number | null };
  sent: SentAttempt;
  /** The number of the attempt. */
  at: number;
  /** The names of the sender and of events in sentences. */
  speech: { sender: string; nameOf(sent: SentAttempt): string };
}
