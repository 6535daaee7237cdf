import { isDeepStrictEqual } from "node:util";
import { misuse } from "../../errors/errors.ts";
import { checkPatternLength } from "../../runtime/wildcard.ts";
import { createDiffer, type Difference, isObject, type Json } from "./differences.ts";
import { createMatcher, isPath, type Place } from "./path.ts";
import { columnPath, type RowNames, type Rows } from "./rows.ts";

export { type Difference, isObject, type Json };

/** A list whose entries are equal but in another order, or with other numbers. This does not count as a difference. */
export interface Reordered {
  path: string;
  numbered: boolean;
}

/** A column that differs from run to run by itself. */
export interface OwnColumn {
  /** The column as a path for `ignore`: `orders.*.created_at`. */
  path: string;
  /** The machine's time, or an id that the subscriber generates. */
  holds: "time" | "id";
}

export interface View {
  one: Json;
  other: Json;
  differences: Difference[];
}

export class Comparison {
  readonly #ignore: readonly string[];
  #names: RowNames | undefined;
  #leftOut: readonly OwnColumn[] = [];
  #isIgnored: (place: Place) => boolean;
  readonly #reordered = new Map<string, boolean>();
  readonly #differencesIn: (expected: Json, actual: Json) => Difference[];
  /** Whether the order of a list is compared. */
  readonly isOrdered: (place: Place) => boolean;

  /**
   * @param ignore paths that are not compared; `*` matches any field or position
   * @param ordered paths of lists whose order is compared
   */
  constructor(ignore: readonly string[], ordered: readonly string[] = []) {
    this.#ignore = ignore;
    this.#isIgnored = createMatcher(ignore);
    this.isOrdered = createMatcher(ordered);
    this.#differencesIn = createDiffer({
      isIgnored: (place) => this.#isIgnored(place),
      isOrdered: this.isOrdered,
      onReordered: (path, numbered) =>
        void this.#reordered.set(path, numbered || this.#reordered.get(path) === true),
    });
  }

  /** Where two states differ, in the order of their fields. Most states are equal, which is found in a tenth of the time. */
  differences = (expected: Json, actual: Json): Difference[] =>
    isDeepStrictEqual(expected, actual) ? [] : this.view(expected, actual).differences;

  isEqual = (one: Json, other: Json): boolean => this.differences(one, other).length === 0;

  /** Two states side by side. Rows of the second are named as in the first. */
  view = (expected: Json, actual: Json): View =>
    this.#viewed(
      expected,
      actual,
      this.#names?.compare(expected as Rows, actual as Rows, this.#isColumnIgnored),
    );

  /**
   * Returns a function that shows two states of a run side by side, with rows named as in another run.
   * @param model the other run's last state; `last` the last one of this run
   */
  viewer = (model: Json, last: Json): ((one: Json, other: Json) => View) => {
    const show = this.#names?.viewer(model as Rows, last as Rows, this.#isColumnIgnored);
    return (one, other) => this.#viewed(one, other, show?.(one as Rows, other as Rows));
  };

  /** Whether a place is compared. */
  counts = (place: Place): boolean => !this.#isIgnored(place);

  /** Whether a column holds generated ids, so that other ids are no difference. */
  isName = (table: string, column: string): boolean =>
    this.#names?.isName(columnPath(table, column)) ?? false;

  /** The tables whose new rows have generated keys. */
  drawnTables = (...states: readonly Json[]): ReadonlySet<string> =>
    this.#names?.drawnTables(states as Rows[]) ?? new Set();

  /** The state to compare: of a database, only the changes since the beginning. */
  changed = (state: Json): Json => this.view(state, state).one;

  /** The whole state, with rows by key. */
  whole = (state: Json): Json =>
    this.#names ? { ...this.#names.whole(state as Rows), ...otherIn(state) } : state;

  /** The lists whose order differed in comparisons so far. */
  get reordered(): readonly Reordered[] {
    return [...this.#reordered].map(([path, numbered]) => ({ path, numbered }));
  }

  /** From now on, compares rows of a database by key. Before, states are any JSON. */
  nameRows(names: RowNames): void {
    this.#names = names;
  }

  /**
   * From now on, ignores columns that differ by themselves, except generated keys, which are names.
   * @param first the states of the two runs in which they were found
   */
  leaveOut(columns: readonly OwnColumn[], first: Json, second: Json): void {
    const drawn = columns.flatMap(({ path, holds }) => (holds === "id" ? path : []));
    this.#names?.learn(first as Rows, second as Rows, drawn);
    this.#leftOut = columns.filter(({ path }) => !this.#names?.isName(path));
    this.#isIgnored = createMatcher([...this.#ignore, ...this.#leftOut.map(({ path }) => path)]);
  }

  get leftOut(): readonly OwnColumn[] {
    return this.#leftOut;
  }

  #isColumnIgnored = (table: string, column: string): boolean => this.#isIgnored([table, "*", column]);

  /** @param trees the rows of both states, if they are those of a database */
  #viewed(before: Json, after: Json, trees: readonly [object, object] | undefined): View {
    const one = trees ? { ...trees[0], ...otherIn(before) } : before;
    const other = trees ? { ...trees[1], ...otherIn(after) } : after;
    return { one, other, differences: this.#differencesIn(one, other) };
  }
}

/** The parts of a state that are not tables: effects of API calls. */
const otherIn = (state: Json) =>
  Object.fromEntries(Object.entries(state as object).filter(([, value]) => !Array.isArray(value)));

/**
 * Checks paths of a state.
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
      ? `${option} must name places of the state, not ${JSON.stringify(wrong) ?? String(wrong)}.`
      : `${option} must be a list of places of the state, not ${JSON.stringify(paths) ?? String(paths)}.`,
    'For example orders.*.updated_at; * stands for any name or position, and ["a.b"] for a name with dots.',
  );
}

/** The places of a state with their values, omitting everything below an ignored place. */
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

/** The paths at which a state has nothing. */
export function withoutPlace(paths: readonly string[], state: Json): string[] {
  const places = [...placesIn(state, () => false)].map(([place]) => place);
  return paths.filter((path) => !places.some(createMatcher([path])));
}

/**
 * Counts the fields of a state that have a simple value.
 * @param ignore paths that are not compared; `*` matches any field or position
 */
export const countFields = (state: Json, ignore: readonly string[] = []): number =>
  [...placesIn(state, createMatcher(ignore))].filter(([, value]) => !Array.isArray(value) && !isObject(value))
    .length;
