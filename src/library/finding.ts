/**
 * A finding in the form of its file, which `sandglass run` replays. It has no address, no secret and no code.
 * @example
 * const places = ({ expect = {} }: ExploreFinding) => Object.keys(expect);
 */
export interface ExploreFinding {
  /** The finding's name, which is also the file's. */
  finding: string;
  /** The name of the story: a shipped one, a scenario, or the sender. */
  story: string;
  sender?: string;
  /** The version of Sandglass that the sender comes with. */
  version?: string;
  /** The sender's events, unless they are a story of its file: types, with an optional time as in `order.paid@20s`. */
  events?: (string | { type: string; after?: string | number; data?: object; body?: string })[];
  /** The virtual time at which the story begins, or `now`. */
  at?: string;
  /** The deviations: `lost@1` for an attempt, `crash@1.3` for a statement of an attempt; empty for the calm run. */
  schedule: string[];
  /** The texts of those statements, without their literals; `#2` means the second one with this text. */
  statements?: string[];
  /** The tables that are compared; by default, all. */
  tables?: string[];
  /** Paths of the state that are not compared, and of lists whose order is compared. */
  ignored?: string[];
  ordered?: string[];
  /** The name of the rule that was broken. */
  invariant?: string;
  /** Events that were refused permanently, and must be accepted. */
  accepted?: string[];
  /**
   * The state when everything goes well, by place. `*` in a place matches any entry: its values are a list in any order, or the
   * number of entries.
   */
  expect?: Record<string, unknown>;
}
