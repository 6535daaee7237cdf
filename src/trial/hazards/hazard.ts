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

/** The answer to one request. */
export interface Answer {
  request: Omit<CheckRequest, "makeHeaders"> & { headers: Record<string, string> };
  /** Null without an answer. */
  status: number | null;
  /** Null for a complete 2xx answer. */
  error: DeliveryError | null;
  /** What happened, as the end of a sentence: `answered 401`, `did not answer within 30 s`. */
  detail: string;
  /** The start of the answer's body. */
  body: string;
  /** Real milliseconds from the start of the request to the end of the answer. */
  durationMs: number;
}

/** A request that failed once, and another of its kind that did not. */
export interface Flake {
  first: Answer;
  second: Answer;
}

/**
 * The evidence of the state. `same` and `changed`: of everything that was sent. `once` and `twice`: how often an event was
 * handled. `unclear`: the state does not show it.
 */
export type StateSeen = "same" | "changed" | "once" | "twice" | "unclear";

/**
 * The parts of the state to compare: all of a hazard with the state before (`effect` waits for an expected change); the state
 * after the first request, or after the last one alone, with that before; or the changes of two requests at once with those of
 * one event.
 */
export type StateWatch = "all" | "effect" | "after-first" | "last" | "pair";

export interface Outcome {
  /** In the order of the requests; fewer if one got no answer, as the others are not sent then. */
  answers: Answer[];
  /** Null without a state that shows events, or if a hazard does not use it. */
  state: StateSeen | null;
  /** Every answer to a required event, of this hazard and earlier ones. */
  accepted: Answer[];
}

export interface Judgement {
  verdict: Verdict;
  /** The result, in a sentence or two. */
  summary: string;
  /** Facts that cannot be seen from outside, and how to see them. */
  note?: string;
  /** Replaces the hazard's own advice if the answer says more. */
  fix?: string;
}

/** The material of requests, and the tools that make them. */
export type Kit = Material & Craft;

/** A hazard as its file has it: without what most of its kind have alike. */
export type Draft = Omit<Hazard, "judge"> & Partial<Hazard>;

/** Something that happens to receivers, and what a good one does about it. */
export interface Hazard {
  /** In kebab case: for options and reports. */
  name: string;
  title: string;
  /** Why the sender cannot cause it; false, or absent, if it can. */
  impossible?: string | false;
  /** The facts of a sender's file that its verdict rests on. */
  restsOn?: readonly string[];
  /** Why it matters, in a sentence or two. */
  why: string;
  /** What to change, in a sentence or two. */
  fix: string;
  /** What is sent, in order. */
  requests: (kit: Kit) => CheckRequest[];
  /** The sizes of groups that are sent at once: the first group opens the server's connections, each other is one try. */
  together?: readonly number[];
  /** Statuses by which a good handler puts off an event: the platform sends it again, and so does the check. */
  putOff?: readonly number[];
  /** Whether its events have to be accepted; the time of each is judged later. */
  mustAccept?: boolean;
  watch?: StateWatch | undefined;
  judge: (outcome: Outcome) => Judgement;
}
