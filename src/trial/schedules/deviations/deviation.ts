import type { Sandbox } from "../../../sandbox/sandbox.ts";
import type { SendResult } from "../../../webhooks/exchange.ts";
import type { Interruption, Statement, Watch } from "../../statements/statements.ts";
import type { Story } from "../../stories/stories.ts";
import type { Subject } from "../../subject/subscriber.ts";
import type { SentAttempt } from "../attempt.ts";

/** A kind of deviation: all that is special about it. `index.ts` lists them. */
export interface Deviation {
  /** As schedules, files and reports have it. */
  name: string;
  /**
   * What it is about, if not its attempt alone: all attempts from it on, to the end or until a person recovers from it; a person's
   * act after it; or the story from its beginning on.
   */
  scope?: "from-then-on" | "until-recovery" | "person" | "beginning";

  /** Whether it can happen in a story at all; in any without it. */
  canHappenIn?(story: Pick<Story, "by" | "settingsFor">): boolean;
  /** Whether it can happen at an attempt of a run; at any without it. */
  isPossible?(attempts: readonly Attempt[], at: number): boolean;
  /** Whether its request is no try of the subscriber's where that asks for a later one. */
  keepsFromWork?: true;
  /** What happens to the process of the subscriber: only one that the exploration has started can be made to do that. */
  server?: "restarted" | "killed";
  /** At which statements of an attempt it can happen: there in place of at the attempt as a whole. */
  points?(statements: readonly Statement[]): readonly Statement[];
  /** What happens to that statement. */
  does?: Interruption;
  /** Whether it can happen at a statement only. */
  isInside?: true;
  /** Whether it is left to chance what it meets in a handler: where statements are seen, others try each of them. */
  isOutside?: true;
  /** Whether it is tried in no schedule with others: it takes real time, and shows what a similar one shows in a slower handler. */
  isAlone?: true;
  /** Whether it can happen while the subscriber is down. */
  isInVain?: true;
  /** Whether it makes an event come once more, or every event twice. */
  copies?: "one" | "all";
  /** What of a sender's file it rests on; by default, that the sender retries. */
  restsOn?: readonly string[];
  /** What the platform sees of it: of several that it sees as one, it does the same. Without it, nothing. */
  seenAs?: string;

  /** Whether its attempt arrives together with the next one of that instant, or after it. */
  order?: "with-next" | "after-next";
  /** Does to the request of an attempt what happens to it; by default, it arrives. */
  carry?(carriage: Carriage): Promise<void> | void;
  /** What the request meets at the subscriber. */
  encounter?: Encounter;
  /** What a person does. @returns false if it is not possible yet */
  act?(person: Person): Promise<boolean>;
  /** Does what is there from the beginning on. */
  begin?(stage: { registerAgain(): void }): void;
  /** The secret that the sender signs with before its own. */
  newSecretOf?(story: Pick<Story, "by">): string;

  /** What happened to an attempt, as what follows `attempt 2`; undefined for the usual words. */
  line?(words: LineWords): string | undefined;
  /** What it came to in a run, in a sentence. */
  sentence(told: Told): string;
  /** What a handler needs, where the state shows no more than that it differs. */
  advice?: string;
  /** What a handler needs, where a run shows that this alone made the difference. */
  explains?(run: Told["run"]): string | undefined;
  /** Whether its attempt is named in a drawing as lost. */
  isLoss?: true;
}

/** An attempt of a run, as far as schedules need it. */
export interface Attempt {
  /** The instant of virtual time at which it began; attempts of one instant are under way together. */
  at: number;
  /** Whether the platform counted it as failed. */
  failed: boolean;
  trigger: "automatic" | "manual" | "test" | "resend";
  /** Which pause of the story follows it: the next moment at which a person can do something. */
  pause: number;
  /** Whether the schedule may do something to it: not to traffic that a story has only for its mass. */
  background: boolean;
  /** How often the subscriber called the platform's API while it handled it. */
  calls: number;
  /** The statements that it made at its database, in their order, as far as they are seen. */
  statements: readonly Statement[];
}

/** The request of an attempt, on its way to the subscriber. */
export interface Carriage {
  /** Tells the platform how the attempt ended. */
  settle(result: SendResult): void;
  /** Lets the request arrive, and those that are held. @param answered gets the subscriber's answer */
  arrive(answered: (result: SendResult) => void): Promise<void>;
  /**
   * Holds the request until the next one arrives: then both are processed at the same time.
   * @param headStart real milliseconds until the next one is sent; without it, the request is under way until any arrives
   */
  hold(answered: (result: SendResult) => void, headStart?: number): void;
  /** Lets the request arrive, and a call of the API that its handler makes wait for the next request. */
  stall(): Promise<void>;
}

export interface Encounter {
  /** Before the request is sent. */
  begin?(subject: Pick<Subject, "api">): void;
  /**
   * While the request is under way.
   * @param done settles once it is answered
   * @param usual how long such a request took the first time, real milliseconds
   * @returns what the platform gets in place of the answer; undefined if it came to nothing
   */
  interrupt?(
    subject: Pick<Subject, "server"> & { watch?: Watch | undefined },
    done: Promise<unknown>,
    usual: number,
  ): Promise<SendResult | undefined>;
  /** Once the subscriber has done what it does after its answer. */
  end?(subject: Pick<Subject, "server">): Promise<void>;
}

/** A person at the dashboard, with an attempt in view. */
export interface Person {
  sandbox: Sandbox;
  /** The subscriber's endpoint. */
  endpoint: string;
  /** The attempt's delivery. */
  deliveryId: string;
}

export interface LineWords {
  sent: SentAttempt;
  /** What the subscriber answered. */
  answered: string;
  /** Which others were processed at the same time; empty if none was. */
  together: string;
}

/** A deviation in a run, for the sentence about it. */
export interface Told {
  run: { attempts: readonly SentAttempt[]; recovery: number | null };
  sent: SentAttempt;
  /** The number of the attempt. */
  at: number;
  /** How sentences name the sender and an event. */
  speech: { sender: string; nameOf(sent: SentAttempt): string };
}
