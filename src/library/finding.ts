/**
 * A finding as its file has it: what `sandglass run` plays again. It has no address, no secret and no code.
 * @example
 * const places = ({ expect = {} }: ExploreFinding) => Object.keys(expect);
 */
export interface ExploreFinding {
  /** Its name, which its file has, too. */
  finding: string;
  /** The name of the story: a shipped one, a scenario, or the sender. */
  story: string;
  sender?: string;
  /** The version of Sandglass that the sender comes with. */
  version?: string;
  /** What the sender sends, if it is no story of its file: types, with the time after the first one as in `order.paid@20s`. */
  events?: (string | { type: string; after?: string | number; data?: object; body?: string })[];
  /** Virtual time at which the story begins, or `now`. */
  at?: string;
  /** What happens to which attempt, as in `lost@1`, or to which statement of it, as in `crash@1.3`; nothing in the calm run. */
  schedule: string[];
  /** Those statements, without their literals; `#2` after one means the second with this text. */
  statements?: string[];
  /** The tables that count; all without it. */
  tables?: string[];
  /** Paths of the state that are not compared, and of lists whose order counts. */
  ignored?: string[];
  ordered?: string[];
  /** The name of the rule that was broken. */
  invariant?: string;
  /** Events that were refused for ever, and must be accepted. */
  accepted?: string[];
  /**
   * What the state has when everything goes well, by place. `*` in a place is any entry: its values are a list in any order, or
   * the number of entries.
   */
  expect?: Record<string, unknown>;
}
