/**
 * A finding in the format of its file, which `sandglass run` replays. It contains no URL, secret or code.
 * @example
 * const places = ({ expect = {} }: ExploreFinding) => Object.keys(expect);
 */
export interface ExploreFinding {
  /** The finding's name, which is also its file name. */
  finding: string;
  /** The name of the story: a story of Sandglass's own, a scenario, or the sender. */
  story: string;
  sender?: string;
  /** The version of Sandglass that includes the packaged sender. */
  version?: string;
  /**
   * The sender's events, unless they form a story in its file: types, each with an optional time as in
   * `order.paid@20s`.
   */
  events?: (string | { type: string; after?: string | number; data?: object; body?: string })[];
  /** The virtual time at which the story starts, or `now`. */
  at?: string;
  /**
   * The deviations, such as `lost@1` for attempt 1, or `crash@1.3` for an SQL statement during attempt 1. Empty for the
   * calm run.
   */
  schedule: string[];
  /** The SQL statements in the schedule, without literals. `#2` marks the second occurrence of a statement. */
  statements?: string[];
  /** The tables to compare; by default, all tables. */
  tables?: string[];
  /** Paths in the state to leave out of the comparison, and paths of lists whose order matters. */
  ignored?: string[];
  ordered?: string[];
  /** The name of the violated invariant. */
  invariant?: string;
  /** Events that the server permanently rejected although it must accept them. */
  accepted?: string[];
  /**
   * The expected state by path. For a path with `*`, which matches any entry, this is a list of the values in any
   * order, or the number of entries.
   */
  expect?: Record<string, unknown>;
}
