import { isDeepStrictEqual } from "node:util";
import { misuse } from "../../errors/errors.ts";
import { checkPatternLength } from "../../runtime/wildcard.ts";
import { createDiffer, type Difference, isObject, type Json, type PathRules } from "./differences.ts";
import { createMatcher, isPath, type Place } from "./path.ts";
import { StateNames } from "./state-names.ts";

export { type Difference, isObject, type Json };

/** A list whose entries are equal except for their order or numbers, which does not count as a difference. */
export interface Reordered {
  path: string;
  numbered: boolean;
}

export interface View {
  one: Json;
  other: Json;
  differences: Difference[];
}

export class Comparison {
  readonly rules: PathRules;
  readonly names: StateNames;
  readonly #reordered = new Map<string, boolean>();
  readonly #differencesIn: (expected: Json, actual: Json) => Difference[];

  /**
   * @param ignore paths that are not compared; `*` matches any field or position
   * @param ordered paths of lists whose order is compared
   */
  constructor(ignore: readonly string[], ordered: readonly string[] = []) {
    this.rules = { isIgnored: createMatcher(ignore), isOrdered: createMatcher(ordered) };
    this.names = new StateNames(this.rules);
    this.#differencesIn = createDiffer(
      this.rules,
      (path, numbered) => void this.#reordered.set(path, numbered || this.#reordered.get(path) === true),
    );
  }

  /**
   * Where two states differ, in the order of their fields. Most states are equal, and detecting that takes only a tenth
   * of the time.
   */
  differences = (expected: Json, actual: Json): Difference[] =>
    isDeepStrictEqual(this.names.name(expected), this.names.name(actual))
      ? []
      : this.view(expected, actual).differences;

  isEqual = (one: Json, other: Json): boolean => this.differences(one, other).length === 0;

  /** Two states side by side. Corresponding rows have the names that they have in the first state. */
  view = (expected: Json, actual: Json): View => this.#viewed(this.names.sideBySide(expected, actual));

  /** Returns a function that shows two states of a run, like the `StateNames` method of the same name. */
  viewer = (model: Json, last: Json): ((one: Json, other: Json) => View) => {
    const show = this.names.viewer(model, last);
    return (one, other) => this.#viewed(show(one, other));
  };

  /** The lists whose order has differed in comparisons so far. */
  get reordered(): readonly Reordered[] {
    return [...this.#reordered].map(([path, numbered]) => ({ path, numbered }));
  }

  #viewed = ([one, other]: readonly [Json, Json]): View => ({
    ...{ one, other },
    differences: this.#differencesIn(one, other),
  });
}

/**
 * Validates paths to places in a state.
 * @param option the option's name for errors
 * @throws SandboxError `bad_request`
 */
export function checkPaths(paths: unknown, option: string): void {
  const all: unknown[] = Array.isArray(paths) ? paths : [paths];
  const texts = all.filter((path) => typeof path === "string");
  for (const path of texts) checkPatternLength(`A path of ${option}`, path);
  const wrong = all.find((path) => typeof path !== "string" || !isPath(path));
  if (Array.isArray(paths) && wrong === undefined) return;
  throw misuse(
    Array.isArray(paths)
      ? `${option} must list paths in the state, not ${JSON.stringify(wrong) ?? String(wrong)}.`
      : `${option} must be a list of paths in the state, not ${JSON.stringify(paths) ?? String(paths)}.`,
    'For example: orders.*.updated_at; * matches any name or position, and ["a.b"] for a name with dots.',
  );
}

/** The places of a state with their values, omitting everything below ignored places. */
function* placesIn(
  state: Json,
  isLeftOut: (place: Place) => boolean,
  place: Place = [],
): Generator<[Place, Json]> {
  if (isLeftOut(place)) return;
  yield [place, state];
  const children: [string | number, Json][] = Array.isArray(state)
    ? [...state.entries()]
    : Object.entries(isObject(state) ? state : {});
  for (const [name, child] of children) yield* placesIn(child, isLeftOut, [...place, name]);
}

/** The paths at which a state contains nothing. */
export function withoutPlace(paths: readonly string[], state: Json): string[] {
  const places = [...placesIn(state, () => false)].map(([place]) => place);
  return paths.filter((path) => !places.some(createMatcher([path])));
}

/**
 * Counts the scalar fields of a state.
 * @param ignore paths that are not compared; `*` matches any field or position
 */
export const countFields = (state: Json, ignore: readonly string[] = []): number =>
  [...placesIn(state, createMatcher(ignore))].filter(([, value]) => !Array.isArray(value) && !isObject(value))
    .length;
