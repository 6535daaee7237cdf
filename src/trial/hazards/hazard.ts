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

export interface Answer {
  request: Omit<CheckRequest, "makeHeaders"> & { headers: Record<string, string> };
  /** Null if there was no answer. */
  status: number | null;
  /** Null if the answer is complete and 2xx. */
  error: DeliveryError | null;
  /** The result, as the end of a sentence: `answered 401`, `did not answer within 30 s`. */
  detail: string;
  body: string;
  /** Whether a started server ended by itself instead of answering. */
  hasEnded: boolean;
  /** The last lines that a started server printed meanwhile; empty without any. */
  printed: string;
  /** Real milliseconds from the start of the request to the end of the answer. */
  durationMs: number;
}

/** A request that failed once, and a request of the same kind that did not. */
export interface Flake {
  first: Answer;
  second: Answer;
}

/**
 * What the state showed. `same` and `changed` are about all requests, `once` and `twice` about how often an event was handled.
 * `unclear`: the state does not show it.
 */
export type StateSeen = "same" | "changed" | "once" | "twice" | "unclear";

/**
 * Which states to compare: those before and after the hazard (`effect` waits for an expected change); those before and after the
 * first request, or the last one; or the changes of two simultaneous requests with those of one event. `anyway` is `all`, also for a
 * state that has shown no event.
 */
export type StateWatch = "all" | "anyway" | "effect" | "after-first" | "last" | "pair";

export interface Outcome {
  /** The answers in the order of the requests. After a request without an answer, no more are sent. */
  answers: Answer[];
  /** Null if the state shows no events, or if the hazard does not use it. */
  state: StateSeen | null;
  /** All answers to events that must be accepted, of this hazard and earlier ones. */
  accepted: Answer[];
}

export interface Judgement {
  verdict: Verdict;
  /** The verdict's reason, in a sentence or two. */
  summary: string;
  /** What cannot be seen from outside, and how to see it. */
  note?: string;
  /** Replaces the hazard's own advice if the answer gives better advice. */
  fix?: string;
}

/** The events that requests are made from, and the functions that make requests. */
export type Kit = Material & Craft;

/** A hazard without the fields that most hazards of its kind share. */
export type Draft = Omit<Hazard, "judge"> & Partial<Hazard>;

/** A situation that subscribers meet, and how a good subscriber handles it. */
export interface Hazard {
  /** In kebab case, for options and reports. */
  name: string;
  title: string;
  /** Why the sender cannot cause it; false or undefined if it can. */
  impossible?: string | false;
  /** What it needs and the person did not name, in a sentence: it is skipped. */
  lacks?: string | undefined;
  /** The facts of a sender's file on which its verdict depends. */
  restsOn?: readonly string[];
  /** Why it matters, in a sentence or two. */
  why: string;
  /** What to change, in a sentence or two. */
  fix: string;
  /** The requests to send, in order. */
  requests: (kit: Kit) => CheckRequest[];
  /** Events of the same types about the known object: if these are accepted, a refusal is about new objects. */
  aboutKnown?: (kit: Kit) => CheckRequest[];
  /** The sizes of simultaneous groups: the first opens the server's connections, and each other one is one try. */
  together?: readonly number[];
  /** What makes its failure a mere warning, in a sentence: the sender may never cause it. */
  remark?: string | undefined;
  /** How many neighbours of its requests can be tried without the others. */
  standsAlone?: number;
  /** Statuses by which a good handler postpones an event: the platform sends the event again, and so does the check. */
  putOff?: readonly number[];
  /** Whether its events must be accepted. The time of each is judged later. */
  mustAccept?: boolean;
  watch?: StateWatch | undefined;
  judge: (outcome: Outcome) => Judgement;
}
