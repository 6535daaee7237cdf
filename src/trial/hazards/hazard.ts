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
  /** Null if there was no response. */
  status: number | null;
  /** Null if the response is complete and 2xx. */
  error: DeliveryError | null;
  /** The result as the end of a sentence: `returned 401`, `did not respond within 30 s`. */
  detail: string;
  body: string;
  /** Whether a started server exited instead of responding. */
  hasEnded: boolean;
  /** The last lines that a started server printed during the request; empty if there were none. */
  printed: string;
  /** Real milliseconds from the start of the request to the end of the response. */
  durationMs: number;
}

/** A request that failed once, with a request of the same kind that succeeded. */
export interface Flake {
  first: Answer;
  second: Answer;
}

/**
 * What the state showed: `same` or `changed` for all requests together, `once` or `twice` for how many times an event
 * was handled, or `unclear` if the state does not show that.
 */
export type StateSeen = "same" | "changed" | "once" | "twice" | "unclear";

/**
 * Which states to compare: before and after the hazard (`all`; `effect` also waits for an expected change; `anyway` is
 * like `all`, even if the state has shown no event), before and after the first request or the last one, or the changes
 * by two simultaneous requests with those by one event (`pair`).
 */
export type StateWatch = "all" | "anyway" | "effect" | "after-first" | "last" | "pair";

export interface Outcome {
  /** The responses in request order. After a request without a response, no more are sent. */
  answers: Answer[];
  /** Null if the state shows no events, or if the hazard does not use it. */
  state: StateSeen | null;
  /** All responses to events that must be accepted, in this hazard and earlier ones. */
  accepted: Answer[];
}

export interface Judgement {
  verdict: Verdict;
  /** The reason for the verdict, in a sentence or two. */
  summary: string;
  /** What cannot be observed from outside, and how to make it observable. */
  note?: string;
  /** Replaces the hazard's own advice if the response allows better advice. */
  fix?: string;
}

/** The events to build requests from, and the functions that build them. */
export type Kit = Material & Craft;

/** A hazard before the common defaults of its kind are added. */
export type Draft = Omit<Hazard, "judge"> & Partial<Hazard>;

/** A situation that subscribers encounter, and how a good subscriber handles it. */
export interface Hazard {
  /** The hazard's name in kebab case, for options and reports. */
  name: string;
  title: string;
  /** Why the sender cannot cause the hazard; falsy if it can. */
  impossible?: string | false;
  /** The facts in a sender file on which the hazard's verdict depends. */
  restsOn?: readonly string[];
  /** Why the hazard matters, in a sentence or two. */
  why: string;
  /** What to change, in a sentence or two. */
  fix: string;
  /** The requests to send, in order. */
  requests: (kit: Kit) => CheckRequest[];
  /** Events of the same types about the known object. If these are accepted, a rejection concerns only new objects. */
  aboutKnown?: (kit: Kit) => CheckRequest[];
  /** The same event without what the hazard is about. If this is refused, too, the hazard shows nothing. */
  control?: (kit: Kit) => CheckRequest;
  /** The sizes of simultaneous groups: the first group warms up the server's connections, and each other one is a try. */
  together?: readonly number[];
  /** Explains in a sentence why a failure is only a warning: the sender may never cause the hazard. */
  remark?: string | undefined;
  /** The size of an independent part: how many consecutive requests can be tried without the others. */
  standsAlone?: number;
  /** Statuses with which a good handler may postpone an event. The platform then retries, and so does the check. */
  putOff?: readonly number[];
  /** Whether the hazard's events must be accepted. Their response times are judged later. */
  mustAccept?: boolean;
  watch?: StateWatch | undefined;
  judge: (outcome: Outcome) => Judgement;
}
