import type { CheckVerdict } from "../../library/check.ts";
import type { DeliveryError } from "../../timeline/shapes.ts";
import type { CheckRequest, Craft } from "../check/craft.ts";
import type { Material } from "../check/material.ts";

export const VERDICTS = [
  "pass",
  "unknown",
  "warn",
  "flaky",
  "fail",
  "skipped",
] as const satisfies CheckVerdict[];
export type Verdict = CheckVerdict;

/** What came back for one request. */
export interface Answer {
  request: Omit<CheckRequest, "makeHeaders"> & { headers: Record<string, string> };
  /** Null when there was no answer. */
  status: number | null;
  /** Null for a 2xx answer that was read to its end. */
  error: DeliveryError | null;
  /** What happened, as the end of a sentence: `answered 401`, `did not answer within 30 s`. */
  detail: string;
  /** The start of the answer's body. */
  body: string;
  /** Real milliseconds from the start of the request to the end of the answer. */
  durationMs: number;
}

/** A request that failed once, and one of its kind that did not. */
export interface Flake {
  first: Answer;
  second: Answer;
}

/**
 * What the state URL told. `same` and `changed`: of everything that was sent. `once` and `twice`: how often an event
 * was handled. `unclear`: the state does not tell.
 */
export type StateSeen = "same" | "changed" | "once" | "twice" | "unclear";

/**
 * What to compare of the state: all of a hazard against what was before (`effect` waits for a change, where one is
 * expected); what follows the first request, or the last one alone, against what those before it left; or what two
 * requests at once changed against what one event changes.
 */
export type StateWatch = "all" | "effect" | "after-first" | "last" | "pair";

export interface Outcome {
  /** In the order of the requests; fewer when one was not answered, as the rest is not sent then. */
  answers: Answer[];
  /** Null without a state URL that shows events, and where a hazard does not look at it. */
  state: StateSeen | null;
  /** Every answer to an event that has to be accepted, of this hazard and those before it. */
  accepted: Answer[];
}

export interface Judgement {
  verdict: Verdict;
  /** What was found, in a sentence or two. */
  summary: string;
  /** What cannot be seen from outside, and how to see it. */
  note?: string;
  /** In place of the hazard's own advice, where the answer says more. */
  fix?: string;
}

/** What requests are made from, and what makes them. */
export type Kit = Material & Craft;

/** A hazard as its file has it: without what most of its kind have alike. */
export type Draft = Omit<Hazard, "judge"> & Partial<Hazard>;

/** Something that happens to receivers, and what a good one does about it. */
export interface Hazard {
  /** In kebab case: for options and reports. */
  name: string;
  title: string;
  /** Why the sender cannot cause it; false, as without it, if it can. */
  impossible?: string | false;
  /** The facts of a sender's file that its verdict rests on. */
  restsOn?: readonly string[];
  /** Why it matters, in a sentence or two. */
  why: string;
  /** What to change, in a sentence or two. */
  fix: string;
  /** What is sent, in order. */
  requests: (kit: Kit) => CheckRequest[];
  /** So many of them are sent at once: the first group opens the server's connections, each other is one try. */
  together?: readonly number[];
  /** Statuses by which a good receiver puts off an event: the platform sends it again, and so does the check. */
  putOff?: readonly number[];
  /** They are events that have to be accepted; how long each took is looked at later. */
  mustAccept?: boolean;
  watch?: StateWatch | undefined;
  judge: (outcome: Outcome) => Judgement;
}
