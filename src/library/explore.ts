import type { ExploreFinding } from "./finding.ts";
import type { Duration, Known } from "./words.ts";

/**
 * A webhook as received by a subscriber in this process: the part of `Request` that handlers use. Functions that take a
 * `Request` work as subscribers.
 * @example
 * const typeOf = async (request: ExploreRequest) => JSON.parse(await request.text()).event;
 */
export interface ExploreRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: { get(name: string): string | null };
  text(): Promise<string>;
  // biome-ignore lint/suspicious/noExplicitAny: `Request.json` also returns any
  json(): Promise<any>;
  arrayBuffer(): Promise<ArrayBuffer>;
}

/**
 * A subscriber's response, such as a standard `Response`.
 * @example
 * const answer: ExploreResponse = new Response(null, { status: 204 });
 */
export interface ExploreResponse {
  readonly status: number;
}

/**
 * A subscriber that is a function.
 * @example
 * const subscriber: ExploreSubscriber = async (request) => shop.handle(await request.json());
 */
export type ExploreSubscriber = {
  answer(request: ExploreRequest): ExploreResponse | Promise<ExploreResponse>;
}["answer"];

/**
 * An event, as passed to an invariant.
 * @example
 * const paid = ({ type, test }: ExploreEvent) => type === "payment.completed" && !test;
 */
export interface ExploreEvent {
  id: string;
  /** The event type, for example `payment.completed`. */
  type: string;
  /** The virtual time at which the event happened, in ISO 8601 format. */
  timestamp: string;
  /** The event's data, as the subscriber receives it. */
  // biome-ignore lint/suspicious/noExplicitAny: `JSON.parse` also returns any
  data: any;
  /** Whether it is the mock event of a test delivery. */
  test: boolean;
}

/**
 * A delivery attempt, as passed to an invariant.
 * @example
 * const wasAccepted = ({ response_code }: ExploreDelivery) => response_code === 200;
 */
export interface ExploreDelivery {
  id: string;
  event_id: string;
  event: string;
  attempt: number;
  trigger: "automatic" | "manual" | "test" | "resend";
  /** The virtual time in ISO 8601 format. */
  started_at: string;
  /** Whether the platform considers the attempt delivered. */
  status: "success" | "failed";
  /** The status of the subscriber's response, even if the response was lost; null if there was no response. */
  response_code: number | null;
  /** How many times the attempt's request reached the subscriber. */
  arrivals: number;
}

/**
 * A rule that the subscriber's state must satisfy after any schedule. Throws or returns false if it is violated.
 * @example
 * const invariant: ExploreInvariant = ({ revenue }, { events }) => {
 *   const paid = events.filter(({ type, test }) => type === "payment.completed" && !test).length;
 *   if (revenue > paid * 25) throw new Error("more was earned than paid");
 * };
 */
export type ExploreInvariant = (
  // biome-ignore lint/suspicious/noExplicitAny: `JSON.parse` also returns any
  state: any,
  happened: { events: ExploreEvent[]; deliveries: ExploreDelivery[] },
) => unknown;

/**
 * The part of `AbortSignal` that can stop an exploration.
 * @example
 * const signal: ExploreSignal = AbortSignal.timeout(10_000);
 */
export interface ExploreSignal {
  readonly aborted: boolean;
  addEventListener(type: "abort", listener: () => void): void;
  removeEventListener(type: "abort", listener: () => void): void;
}

/**
 * Options for `explore`.
 * @example
 * const options: ExploreOptions = { subscriber: handle, state: () => shop, reset: () => shop.clear(), deviations: 2 };
 */
export interface ExploreOptions {
  /** The URL of the subscriber's webhook handler, or the subscriber itself as a function. */
  subscriber: string | ExploreSubscriber;
  /**
   * A URL that responds to GET with the subscriber's state as JSON; `sqlite:` and the path of its database; a
   * `postgres://` or `mysql://` URL, or the address in the format of the subscriber's own variable; or a function that
   * returns the state. A Map is treated as an object, and a Set as
   * an object with a field for each value, so insertion order does not matter.
   */
  state: string | (() => unknown);
  /**
   * Allows `explore` to use the database in place: it restores the tables to their current content after each schedule
   * and at the end. A database requires this or a `reset`.
   */
  inPlace?: boolean;
  /** Clears the state: a URL to send a POST request to, a shell command, or a function. */
  reset?: string | (() => unknown);
  /** The subscriber's secret; `whsec_test` by default. */
  secret?: string;
  /**
   * The story to explore, or the name or file of your own scenario. docs/explore.md lists the stories. Default: all of
   * them, which uses up the whole budget.
   */
  story?: string;
  /** The sender: the name of one that is included in Sandglass, or a sender file. Default: the platform. */
  sender?: string;
  /**
   * The sender's events that make up the story: `order.created,order.paid@20s`, an events file, or a capture. Default:
   * the `story` in the sender's file, or else one event of each type.
   */
  events?: string;
  /**
   * Values from the subscriber's database that replace the sender's example values: ids by kind, such as `customer`, as
   * well as fields of a kind, and metadata. Your own events can refer to them: `$known.customer`.
   */
  known?: Known;
  /** The sender's API version, such as `2024-06-20`. Default: the version that the project's SDK uses. */
  version?: string;
  /** The maximum number of deviations in a schedule, from 1 to 9. Default: 3. */
  deviations?: number;
  /** How long to explore, in real time. Default: until 60 s after all schedules with one deviation have been tried. */
  budget?: Duration;
  /** The response timeout in real time. Default: 30 s, as on the real platform. */
  timeout?: Duration;
  /**
   * Serves the platform's API for the story at `http://127.0.0.1:<port>/platform`, for a subscriber that calls it. The
   * exploration then also makes the subscriber's calls fail, be rejected, or get late responses.
   */
  apiPort?: number;
  /**
   * Paths in the state to leave out of the comparison. `*` matches any field or index; use `["a.b"]` for a name with dots.
   */
  ignore?: readonly string[];
  /** Paths of lists whose order matters. By default, the order of list entries is ignored. */
  ordered?: readonly string[];
  /** Checked after the calm run and after every schedule. */
  invariant?: ExploreInvariant;
  /** Determines the ids in the world. The same seed repeats an exploration. */
  seed?: string;
  /** Stops the exploration, which then returns the result so far. */
  signal?: ExploreSignal;
}

/**
 * The schedules that have a given number of deviations.
 * @example
 * const isComplete = ({ schedules, tried }: ExploreLevel) => tried === schedules;
 */
export interface ExploreLevel {
  story: string;
  deviations: number;
  /**
   * The number of schedules; null if none was tried, because they are derived from the schedules with one deviation
   * fewer.
   */
  schedules: number | null;
  tried: number;
  /** How many schedules ended in a state that was compared. The others left something undelivered. */
  compared: number;
}

/**
 * A schedule that violates the invariant or ends in a different state than the calm run; or the reason why there is no
 * verdict.
 * @example
 * const first = (failure: ExploreFailure) => failure.differences[0]?.path;
 */
export interface ExploreFailure {
  /** The failure in prose, for an assertion message. */
  story: string;
  /**
   * The schedule's deviations, each with the attempt's number, starting at 1; empty for the calm run. Some deviations
   * involve a second, concurrent attempt: `beside` is its number, unless it is the next attempt.
   */
  deviations: { attempt: number; kind: string; beside?: number }[];
  /** How the state differs from the calm run's state. */
  differences: { path: string; expected: unknown; actual: unknown }[];
  /** The error that the invariant reported; null if the invariant holds. */
  invariant: string | null;
  /** How often the schedule was run, and how many of those runs failed. With a race condition, not all of them fail. */
  runs: number;
  wrong: number;
  /** The finding, as data and as the content of its file in `sandglass/findings`; null if there is no verdict. */
  finding: ExploreFinding | null;
  file: string | null;
}

/**
 * The result of `explore`.
 * @example
 * const isCorrect = ({ verdict }: ExploreResult) => verdict === "nothing_found";
 */
export interface ExploreResult {
  /**
   * `nothing_found` only if all schedules with one deviation were tried and their states were compared; otherwise
   * `inconclusive`, for example when the budget ran out.
   */
  verdict: "found" | "nothing_found" | "inconclusive";
  /** How many schedules were tried in total. */
  schedules: number;
  /** How many schedules ended in a state that was compared with the calm run's. */
  compared: number;
  /** The number of schedules by story and number of deviations. */
  covered: ExploreLevel[];
  /**
   * The first schedule that breaks the subscriber; null if nothing was found. If the result is inconclusive, this has
   * no schedule but a `story` that explains why, so a test that expects no failure fails.
   */
  failure: ExploreFailure | null;
}
