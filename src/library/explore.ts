import type { ExploreFinding } from "./finding.ts";
import type { Duration, Known } from "./words.ts";

/**
 * A webhook as a subscriber in this process gets it: the part of a `Request` that handlers use. A function that takes a
 * `Request` fits.
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
 * A subscriber's answer: a `Response` fits.
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
 * An event as an invariant gets it.
 * @example
 * const paid = ({ type, test }: ExploreEvent) => type === "payment.completed" && !test;
 */
export interface ExploreEvent {
  id: string;
  /** Such as `payment.completed`. */
  type: string;
  /** When the event happened, in virtual time, ISO 8601. */
  timestamp: string;
  /** The event's data, as the subscriber gets it. */
  // biome-ignore lint/suspicious/noExplicitAny: as JSON.parse returns it
  data: any;
  /** Whether it is the mock event of a test delivery. */
  test: boolean;
}

/**
 * An attempt as an invariant gets it.
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
  /** Whether the attempt counts as delivered on the platform. */
  status: "success" | "failed";
  /** The status of the subscriber's answer, even if the answer was lost; null without an answer. */
  response_code: number | null;
  /** How many requests of the attempt arrived at the subscriber. */
  arrivals: number;
}

/**
 * A rule for the subscriber's state, whatever the schedule: throws, or returns false, if the rule is broken.
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
 * What ends an exploration: an `AbortSignal`.
 * @example
 * const signal: ExploreSignal = AbortSignal.timeout(10_000);
 */
export interface ExploreSignal {
  readonly aborted: boolean;
  addEventListener(type: "abort", listener: () => void): void;
  removeEventListener(type: "abort", listener: () => void): void;
}

/**
 * Options of `explore`.
 * @example
 * const options: ExploreOptions = { subscriber: handle, state: () => shop, reset: () => shop.clear(), deviations: 2 };
 */
export interface ExploreOptions {
  /** The subscriber's URL for webhooks, or the subscriber itself as a function. */
  subscriber: string | ExploreSubscriber;
  /**
   * A URL that answers a GET with the subscriber's state as JSON, `sqlite:` and the path of its database, a `postgres://` or `mysql://` URL, or
   * a function that returns the state. A Map counts as an object, a Set as an object with a field for each value: the order in
   * which they were filled does not matter.
   */
  state: string | (() => unknown);
  /**
   * Whether a database may be used in place: after each schedule, and at the end, its tables are restored to what they are now. A
   * database needs this, or a `reset`.
   */
  inPlace?: boolean;
  /** Empties the state: a URL for a POST, a shell command, or a function. */
  reset?: string | (() => unknown);
  /** The subscriber's secret; `whsec_test` by default. */
  secret?: string;
  /**
   * The story to play. By default, all shipped stories, which takes the whole budget. docs/explore.md lists them. Your own
   * scenario works, too, by its name or its file.
   */
  story?: string;
  /** The sender of the webhooks: the name of a sender that comes with Sandglass, or a file. By default the platform. */
  sender?: string;
  /**
   * The sender's events, which are the story: `order.created,order.paid@20s`, a file of them, or a capture. By default the
   * `story` of its file, or all its types.
   */
  events?: string;
  /**
   * What the subscriber's database has, in place of the values of the sender's examples: ids by kind, such as `customer`, fields of
   * a kind, and metadata. Own events may name it: `$known.customer`.
   */
  known?: Known;
  /** The version of the sender's API, such as `2024-06-20`; by default the version in the project's package. */
  version?: string;
  /** The most deviations in a schedule, from 1 to 9; 3 by default. */
  deviations?: number;
  /** How long to explore, in real time; by default, 60 s after all schedules with one deviation. */
  budget?: Duration;
  /** How long an answer may take, in real time; 30 s by default, as on the platform. */
  timeout?: Duration;
  /**
   * Serves the played story's API at `http://127.0.0.1:<port>/platform`, for a subscriber that calls it. Its calls are then also
   * refused, failed and answered late.
   */
  apiPort?: number;
  /** Paths of the state that are not compared; `*` matches any field or position, `["a.b"]` a name with dots. */
  ignore?: readonly string[];
  /** Paths of lists whose order counts; by default, a list may have its entries in any order. */
  ordered?: readonly string[];
  /** Checked after the calm run and after every schedule. */
  invariant?: ExploreInvariant;
  /** Determines the ids of the world; the same seed repeats an exploration. */
  seed?: string;
  /** Ends the exploration, which returns its result so far. */
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
  /** The number of schedules; null if none was tried, as they follow from the schedules with one deviation less. */
  schedules: number | null;
  tried: number;
  /** How many schedules ended in a state that was compared; the others left something undelivered. */
  compared: number;
}

/**
 * A schedule that ends in a different state than the calm run, or breaks the invariant; or why there is no verdict.
 * @example
 * const first = (failure: ExploreFailure) => failure.differences[0]?.path;
 */
export interface ExploreFailure {
  /** The failure in sentences, for a failing assertion. */
  story: string;
  /**
   * The schedule's deviations, by the number of the attempt, from 1; empty for the calm run. `beside` is the attempt of the same
   * instant that it meets, if that is not the next one.
   */
  deviations: { attempt: number; kind: string; beside?: number }[];
  /** The differences of the state from the calm run's. */
  differences: { path: string; expected: unknown; actual: unknown }[];
  /** The error of the invariant; null if it holds. */
  invariant: string | null;
  /** How often the schedule was played, and in how many of these runs it went wrong: not in all for a race. */
  runs: number;
  wrong: number;
  /** The finding as data, and as the text of its file in `sandglass/findings`; null without a verdict. */
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
   * `nothing_found` only if all schedules with one deviation were tried, and states were compared. `inconclusive` if not, such as
   * when the budget ran out.
   */
  verdict: "found" | "nothing_found" | "inconclusive";
  /** How many schedules were tried. */
  schedules: number;
  /** How many schedules ended in a state that was compared with the calm run's. */
  compared: number;
  /** The numbers of schedules by story and by number of deviations. */
  covered: ExploreLevel[];
  /**
   * The first schedule that breaks the subscriber; null if nothing was found. An inconclusive result has a `story` that explains
   * why there is no verdict, and no schedule, so that a test which expects no failure fails.
   */
  failure: ExploreFailure | null;
}
