import type { Duration } from "./words.ts";

/**
 * What `check` takes.
 * @example
 * const options: CheckOptions = { subscriber: "http://127.0.0.1:3000/webhooks", sender: "stripe", secret: "whsec_test" };
 */
export interface CheckOptions {
  /** Where the subscriber takes webhooks. */
  subscriber: string;
  /** The secret that it verifies with; `whsec_test` by default. */
  secret?: string;
  /** Whose webhooks it takes: the name of a sender that comes with Sandglass, or a file. The platform's by default. */
  sender?: string;
  /** Which events of the sender are sent: types, separated by commas, a file of them or a capture. All in its file by default. */
  events?: string;
  /** The type of most events. */
  event?: string;
  /** A secret that was replaced: nothing signed with it alone may be accepted. */
  oldSecret?: string;
  /**
   * What changes when an event is handled: a URL that answers a GET with JSON, or the subscriber's database, `sqlite:` and its path
   * or a `postgres://` URL, whose rows are put back.
   */
  state?: string;
  /** Only these hazards, by name, and `valid-event`. */
  only?: readonly string[];
  /** Hazards to leave out. */
  skip?: readonly string[];
  /** Real time that an answer may take; the sender's own limit by default. */
  timeout?: Duration;
  /** Draws the ids of events: a server takes those of another seed for new ones. A new one by default. */
  seed?: string;
}

/**
 * `unknown`: the answers were right, but what matters cannot be seen in them. `flaky`: a request failed, and another of its
 * kind did not. `skipped`: its answers would say nothing.
 * @example
 * const isBad = (verdict: CheckVerdict) => verdict === "fail" || verdict === "flaky";
 */
export type CheckVerdict = "pass" | "unknown" | "warn" | "flaky" | "fail" | "skipped";

/**
 * A request and its answer.
 * @example
 * const statusOf = ({ came_back }: CheckExchange) => came_back.status;
 */
export interface CheckExchange {
  sent: {
    what: string;
    method: string;
    headers: Record<string, string>;
    /** The start of the body; null when there was none. */
    body: string | null;
    body_bytes: number;
  };
  came_back: {
    status: number | null;
    /** Why the sender would count it as failed; null for a success. */
    error: string | null;
    detail: string;
    /** The start of the answer's body. */
    body: string;
    duration_ms: number;
  };
}

/**
 * One hazard and its result.
 * @example
 * const line = ({ name, summary }: CheckHazard) => `${name}: ${summary}`;
 */
export interface CheckHazard {
  name: string;
  title: string;
  verdict: CheckVerdict;
  /** What was found. */
  summary: string;
  /** What cannot be seen from outside, and how to see it; null where there is nothing of the kind. */
  note: string | null;
  why: string;
  fix: string;
  /** Facts that the verdict rests on and that the sender does not publish: fields of its file. */
  assumed: readonly string[];
  /** What was sent and what came back, in order. */
  exchanges: CheckExchange[];
  /** Real time, milliseconds. */
  duration_ms: number;
}

/**
 * A hazard that the sender cannot cause.
 * @example
 * const line = ({ name, reason }: CheckLeftOut) => `${name}: ${reason}`;
 */
export interface CheckLeftOut {
  name: string;
  title: string;
  /** Why, as the end of a sentence. */
  reason: string;
}

/**
 * The result of `check`, which is also what `sandglass check --json` prints.
 * @example
 * const failed = ({ hazards }: CheckResult) => hazards.filter(({ verdict }) => verdict === "fail");
 */
export interface CheckResult {
  url: string;
  /** Who sends: `platform`, or the name of a sender's file. */
  sender: string;
  /** `fail` when a hazard failed or was flaky; else `unknown` when what matters was not visible. Warnings do not count. */
  verdict: "pass" | "unknown" | "fail";
  /** The one thing to know first; null if nothing failed. */
  finding: string | null;
  /** With `at` it makes the same events again. */
  seed: string;
  /** When the events of the run happen, ISO 8601. */
  at: string;
  event: string;
  /** Null for a sender of a file, which has its own names. */
  header_prefix: string | null;
  timeout_ms: number;
  state_url: string | null;
  counts: Record<CheckVerdict, number>;
  hazards: CheckHazard[];
  /** What the sender cannot cause, with the reason. */
  left_out: CheckLeftOut[];
  duration_ms: number;
}
