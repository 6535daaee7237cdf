import type { Duration, Known } from "./words.ts";

/**
 * Options of `check`.
 * @example
 * const options: CheckOptions = { subscriber: "http://127.0.0.1:3000/webhooks", sender: "stripe", secret: "whsec_test" };
 */
export interface CheckOptions {
  /** The subscriber's URL for webhooks. */
  subscriber: string;
  /** The subscriber's secret; `whsec_test` by default. */
  secret?: string;
  /** The sender of the webhooks: the name of a sender that comes with Sandglass, or a file. By default the platform. */
  sender?: string;
  /** The sender's events to send: types, separated by commas, a file of them or a capture. By default, all in its file. */
  events?: string;
  /**
   * What the subscriber's database has, in place of the values of the sender's examples: ids by kind, such as `customer`, fields of
   * a kind, and metadata. Own events may name it: `$known.customer`.
   */
  known?: Known;
  /** The version of the sender's API, such as `2024-06-20`; by default the version in the project's package. */
  version?: string;
  /** The type of most events. */
  event?: string;
  /** A secret that was replaced: nothing signed with it alone may be accepted. */
  oldSecret?: string;
  /**
   * A state that changes when an event is handled: a URL that answers a GET with JSON, or the subscriber's database, `sqlite:`
   * and its path, or a `postgres://` or `mysql://` URL. A database needs `inPlace`.
   */
  state?: string;
  /** Whether the database may be used in place: at the end, its tables are set to what they are now. */
  inPlace?: boolean;
  /** Only these hazards, by name, and `valid-event`. */
  only?: readonly string[];
  /** Hazards to leave out. */
  skip?: readonly string[];
  /** How long an answer may take, in real time; by default, the sender's own limit. */
  timeout?: Duration;
  /** Determines the ids of events: with another seed, a server treats them as new. By default a new one. */
  seed?: string;
}

/**
 * `unknown`: the answers were right, but do not show what matters. `flaky`: a request failed, and another of its kind did not.
 * `skipped`: its answers would show nothing.
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
    /** The last lines that a server of `--start` printed meanwhile; empty otherwise. */
    printed: string;
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
  /** The result, in a sentence or two. */
  summary: string;
  /** What cannot be seen from outside, and how to see it; null if there is nothing to add. */
  note: string | null;
  why: string;
  fix: string;
  /** Unpublished facts of the sender on which the verdict depends: fields of its file. */
  assumed: readonly string[];
  /** The requests and their answers, in order. */
  exchanges: CheckExchange[];
  /** Real time, in milliseconds. */
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
  /** The sender: `platform`, or the name of a sender's file. */
  sender: string;
  /** `fail` if a hazard failed or was flaky; else `unknown` if something that matters was not visible. Warnings do not count. */
  verdict: "pass" | "unknown" | "fail";
  /** The most important result; null if nothing failed. */
  finding: string | null;
  /** The same seed and `at` make the same events again. */
  seed: string;
  /** When the events of the run happen, ISO 8601. */
  at: string;
  event: string;
  /** Null for a sender of a file, which has its own header names. */
  header_prefix: string | null;
  timeout_ms: number;
  state_url: string | null;
  counts: Record<CheckVerdict, number>;
  hazards: CheckHazard[];
  /** Hazards that the sender cannot cause, with the reason. */
  left_out: CheckLeftOut[];
  /** Calls of the sender's API that its file does not describe: a failure after such a call may be no fault of the subscriber. */
  unknown_calls: string[];
  duration_ms: number;
}
