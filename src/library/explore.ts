import type { ExploreFinding } from "./finding.ts";
import type { Duration, Known } from "./words.ts";

/**
 * A webhook as received by a subscriber in this process: the part of `Request` that handlers use. A function that accepts a
 * `Request` can be used.
 * @example
 * const typeOf = async (request: ExploreRequest) => JSON.parse(await request.text()).event;
 */
export interface ExploreRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: { get(name: string): string | null };
  text(): Promise<string>;
  // biome-ignore lint/suspicious/noExplicitAny: as that of Request
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
  /** Such as `payment.completed`. */
  type: string;
  /** When the event happened, in virtual time, ISO 8601. */
  timestamp: string;
  /** The event's data, as the subscriber receives it. */
  // biome-ignore lint/suspicious/noExplicitAny: as JSON.parse returns it
  data: any;
  /** Whether it is a test delivery's mock event. */
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
  /** Virtual time, ISO 8601. */
  started_at: string;
  /** Whether the platform considers the attempt delivered. */
  status: "success" | "failed";
  /** The status of the subscriber's response, even if the response was lost; null if there was none. */
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
  // biome-ignore lint/suspicious/noExplicitAny: as JSON.parse returns it
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
   * A URL that responds to GET with the subscriber's state as JSON, `sqlite:` and the path of its database, a `postgres://`
   * or `mysql://` URL, or a function that returns the state. A Map is treated as an object and a Set as an object with a
   * field for each value, so insertion order does not matter.
   */
  state: string | (() => unknown);
  /**
   * Allows `explore` to use the database in place: after each schedule, and at the end, the tables are restored to their
   * current content. A database requires this or a `reset`.
   */
  inPlace?: boolean;
  /** Clears the state: a URL to POST to, a shell command, or a function. */
  reset?: string | (() => unknown);
  /** The subscriber's secret; `whsec_test` by default. */
  secret?: string;
  /**
   * The story to play, or the name or file of your own scenario. docs/explore.md lists the stories. Default: all of them,
   * which uses up the whole budget.
   */
  story?: string;
  /** The sender: the name of one that comes with Sandglass, or a sender file. Default: the platform. */
  sender?: string;
  /**
   * The sender's events, which make up the story: `order.created,order.paid@20s`, an events file, or a capture. Default:
   * the `story` in the sender's file, or else one event of each type.
   */
  events?: string;
  /**
   * Values from the subscriber's database that replace the sender's example values: ids by kind, such as `customer`, a
   * kind's fields, and metadata. Your own events can refer to them: `$known.customer`.
   */
  known?: Known;
  /** The sender's API version, such as `2024-06-20`. Default: the version that the project's SDK uses. */
  version?: string;
  /** The maximum number of deviations in a schedule, from 1 to 9. Default: 3. */
  deviations?: number;
  /** How long to explore, in real time. Default: until 60 s after all schedules with one deviation have been tried. */
  budget?: Duration;
  /** The response timeout in real time. Default: 30 s, as on the platform. */
  timeout?: Duration;
  /**
   * Serves the platform's API for the story at `http://127.0.0.1:<port>/platform`, for a subscriber that calls it. The
   * subscriber's calls then also fail, are rejected, or get late responses.
   */
  apiPort?: number;
  /**
   * Paths in the state to leave out of the comparison. `*` matches any field or index; use `["a.b"]` for a name with dots.
   */
  ignore?: readonly string[];
  /** Paths of lists whose order matters. By default, list entries may be in any order. */
  ordered?: readonly string[];
  /** Checked after the calm run and after every schedule. */
  invariant?: ExploreInvariant;
  /** Determines the ids of the world; the same seed repeats an exploration. */
  seed?: string;
  /** Stops the exploration, which then returns its result so far. */
  signal?: ExploreSignal;
}

/**
 * The schedules with a number of deviations.
 * @example
 * const isComplete = ({ schedules, tried }: ExploreLevel) => tried === schedules;
 */
export interface ExploreLevel {
  story: string;
  deviations: number;
  /**
   * The number of schedules; null if none was tried, because they are derived from the schedules with one deviation less.
   */
  schedules: number | null;
  tried: number;
  /** How many schedules ended in a state that was compared. The others left something undelivered. */
  compared: number;
}

/**
 * A schedule that ends in a different state than the calm run, or breaks the invariant; or why there is no verdict.
 * @example
 * const first = (failure: ExploreFailure) => failure.differences[0]?.path;
 */
export interface ExploreFailure {
  /** The failure in prose, for an assertion message. */
  story: string;
  /**
   * The schedule's deviations, with the attempt's number, starting at 1; empty for the calm run. `beside` is the concurrent
   * attempt that the deviation also involves, if that is not the next one.
   */
  deviations: { attempt: number; kind: string; beside?: number }[];
  /** How the state differs from the calm run's. */
  differences: { path: string; expected: unknown; actual: unknown }[];
  /** The error of the invariant; null if it holds. */
  invariant: string | null;
  /** How often the schedule was played, and how many of those runs went wrong: for a race, not all of them. */
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
   * `nothing_found` only if all schedules with one deviation were tried and states were compared; otherwise `inconclusive`,
   * for example when the budget ran out.
   */
  verdict: "found" | "nothing_found" | "inconclusive";
  /** How many schedules were tried. */
  schedules: number;
  /** How many schedules ended in a state that was compared with the calm run's. */
  compared: number;
  /** The number of schedules by story and number of deviations. */
  covered: ExploreLevel[];
  /**
   * The first schedule that breaks the subscriber; null if nothing was found. If the result is inconclusive, this has no
   * schedule but a `story` that explains why, so that a test expecting no failure fails.
   */
  failure: ExploreFailure | null;
}
