import type { Duration, Known } from "./words.ts";

/**
 * Options for `check`.
 * @example
 * const options: CheckOptions = { subscriber: "http://127.0.0.1:3000/webhooks", sender: "stripe", secret: "whsec_test" };
 */
export interface CheckOptions {
  /** The URL of the subscriber's webhook handler. */
  subscriber: string;
  /** The subscriber's secret; `whsec_test` by default. */
  secret?: string;
  /** The sender: the name of one that is included in Sandglass, or a sender file. Default: the platform. */
  sender?: string;
  /** The events to send: comma-separated types, an events file or a capture. Default: all events in the sender's file. */
  events?: string;
  /**
   * Values from the subscriber's database that replace the sender's example values: ids by kind, such as `customer`, as
   * well as fields of a kind, and metadata. Your own events can refer to them: `$known.customer`.
   */
  known?: Known;
  /** The sender's API version, such as `2024-06-20`. Default: the version that the project's SDK uses. */
  version?: string;
  /** The type to use for most events. */
  event?: string;
  /** A secret that has been replaced. A request signed only with it must be rejected. */
  oldSecret?: string;
  /**
   * State that changes when an event is handled: a URL that responds to GET with JSON, or the subscriber's database,
   * given as `sqlite:` and its path, as a `postgres://` or `mysql://` URL, or in the format of the subscriber's own
   * variable. A database requires `inPlace`.
   */
  state?: string;
  /** Allows `check` to use the database in place. Afterwards, it restores the tables to their current content. */
  inPlace?: boolean;
  /** Runs only these hazards, given by name, and `valid-event`. */
  only?: readonly string[];
  /** Hazards to leave out. */
  skip?: readonly string[];
  /** The response timeout in real time. Default: the sender's own timeout. */
  timeout?: Duration;
  /** Determines the event ids: with a different seed, the server sees new events. Default: a random seed. */
  seed?: string;
}

/**
 * `unknown`: the responses were correct, but do not reveal whether the server handles the hazard. `flaky`: a request
 * failed, but another of the same kind succeeded. `skipped`: the responses reveal, or would
 * reveal, nothing about the hazard.
 * @example
 * const isBad = (verdict: CheckVerdict) => verdict === "fail" || verdict === "flaky";
 */
export type CheckVerdict = "pass" | "unknown" | "warn" | "flaky" | "fail" | "skipped";

/**
 * A request and its response.
 * @example
 * const statusOf = ({ came_back }: CheckExchange) => came_back.status;
 */
export interface CheckExchange {
  sent: {
    what: string;
    method: string;
    headers: Record<string, string>;
    /** The start of the body; null if there was none. */
    body: string | null;
    body_bytes: number;
  };
  came_back: {
    status: number | null;
    /** Why the sender would count the delivery as failed; null if it succeeded. */
    error: string | null;
    detail: string;
    /** The start of the response body. */
    body: string;
    /** The last lines that the server printed during the request, if `--start` started it; otherwise empty. */
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
  /** The result in one or two sentences. */
  summary: string;
  /** What `check` could not see, and how to make it visible; null if there is nothing to add. */
  note: string | null;
  why: string;
  fix: string;
  /** Facts that the sender does not publish but the verdict depends on, given as field names in its file. */
  assumed: readonly string[];
  /** The requests and responses, in order. */
  exchanges: CheckExchange[];
  /** Duration in real milliseconds. */
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
  /** The reason, worded as the end of a sentence. */
  reason: string;
}

/**
 * The result of `check`, which is also what `sandglass check --json` prints.
 * @example
 * const failed = ({ hazards }: CheckResult) => hazards.filter(({ verdict }) => verdict === "fail");
 */
export interface CheckResult {
  url: string;
  /** `platform`, or the name of a sender or of a sender file. */
  sender: string;
  /**
   * `fail` if any hazard failed or was flaky; otherwise `unknown` if something important could not be seen. Warnings do not
   * count.
   */
  verdict: "pass" | "unknown" | "fail";
  /** The most important finding; null if nothing failed. */
  finding: string | null;
  /** The seed. The same `seed` and `at` produce the same events. */
  seed: string;
  /** The time of the run's events in ISO 8601 format. */
  at: string;
  event: string;
  /** The header prefix. Null for a sender with a file, because the file names the headers. */
  header_prefix: string | null;
  timeout_ms: number;
  state_url: string | null;
  counts: Record<CheckVerdict, number>;
  hazards: CheckHazard[];
  /** Hazards that the sender cannot cause, each with the reason. */
  left_out: CheckLeftOut[];
  /**
   * Calls to the sender's API that its file does not describe. A failure after such a call may not be the subscriber's
   * fault.
   */
  unknown_calls: string[];
  duration_ms: number;
}
