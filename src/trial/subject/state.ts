import { isDeepStrictEqual } from "node:util";
import { SandboxError } from "../../errors/errors.ts";
import { checkPatternLength } from "../../runtime/wildcard.ts";
import { createDiffer, type Difference, isObject, type Json } from "./differences.ts";
import { createMatcher, isPath, type Place } from "./path.ts";
import { columnPath, type RowNames, type Rows } from "./rows.ts";

export { type Difference, isObject, type Json };

/** A list that had the same entries in another order, or numbered otherwise: that is no difference. */
export interface Reordered {
  path: string;
  numbered: boolean;
}

/** A column that differs from run to run by itself. */
export interface OwnColumn {
  /** As `ignore` takes it: `orders.*.created_at`. */
  path: string;
  /** The machine's time, or an id that the subscriber draws. */
  holds: "time" | "id";
}

/** How states are compared. */
export interface Comparison {
  /** Where two states differ, in the order of their fields. */
  differences(expected: Json, actual: Json): Difference[];
  /** Two states side by side, rows with the names that the first one has for them. */
  view(expected: Json, actual: Json): View;
  /** Whether a place counts. */
  counts(place: Place): boolean;
  /** Whether the order of a list counts. */
  isOrdered(place: Place): boolean;
  /** Whether the values of a column are ids that are drawn, so that other ids are no difference. */
  isName(table: string, column: string): boolean;
  /** The tables whose new rows have drawn keys. */
  drawnTables(...states: readonly Json[]): ReadonlySet<string>;
  /** What a state has, and of a database what is not as it was at the beginning. */
  changed(state: Json): Json;
  /** What a state has, rows by their keys. */
  whole(state: Json): Json;
  /** The lists whose order differed in a comparison so far. */
  readonly reordered: readonly Reordered[];
  /** Compares rows of a database, by key, from now on. Otherwise states are any JSON. */
  nameRows(names: RowNames): void;
  /**
   * Leaves out columns that differ by themselves, from now on. Those that hold drawn keys stay: their values are names.
   * @param first the states of the two runs that they were found by
   */
  leaveOut(columns: readonly OwnColumn[], first: Json, second: Json): void;
  readonly leftOut: readonly OwnColumn[];
  /**
   * Makes what shows two states of a run side by side, rows with the names that another run has for them.
   * @param model the other run's last state; `last` the last one of this run
   */
  viewer(model: Json, last: Json): (one: Json, other: Json) => View;
}

/** Two states of a run. */
export interface View {
  one: Json;
  other: Json;
  differences: Difference[];
}

/**
 * Makes what compares states.
 * @param ignore paths that do not count; `*` stands for any field or position
 * @param ordered paths of lists whose order counts
 */
export function createComparison(ignore: readonly string[], ordered: readonly string[] = []): Comparison {
  let names: RowNames | undefined;
  let leftOut: readonly OwnColumn[] = [];
  let isIgnored = createMatcher(ignore);
  const isOrdered = createMatcher(ordered);
  const reordered = new Map<string, boolean>();
  const differencesIn = createDiffer({
    isIgnored: (place) => isIgnored(place),
    isOrdered,
    onReordered: (path, numbered) => void reordered.set(path, numbered || reordered.get(path) === true),
  });
  const isColumnIgnored = (table: string, column: string): boolean => isIgnored([table, "*", column]);

  const treesOf = (expected: Json, actual: Json): [Json, Json] =>
    names === undefined
      ? [expected, actual]
      : withOther(names.compare(expected as Rows, actual as Rows, isColumnIgnored), expected, actual);

  return {
    differences(expected, actual) {
      // Most states are, and it takes a tenth of the time to see that.
      return isDeepStrictEqual(expected, actual) ? [] : differencesIn(...treesOf(expected, actual));
    },
    view(expected, actual) {
      const [one, other] = treesOf(expected, actual);
      return { one, other, differences: differencesIn(one, other) };
    },
    counts: (place) => !isIgnored(place),
    isOrdered,
    isName: (table, column) => names?.isName(columnPath(table, column)) ?? false,
    drawnTables: (...states) => names?.drawnTables(states as Rows[]) ?? new Set(),
    changed: (state) => treesOf(state, state)[0],
    whole: (state) => (names ? { ...names.whole(state as Rows), ...otherIn(state) } : state),
    get reordered() {
      return [...reordered].map(([path, numbered]) => ({ path, numbered }));
    },
    nameRows(given) {
      names = given;
    },
    leaveOut(columns, first, second) {
      const drawn = columns.flatMap(({ path, holds }) => (holds === "id" ? path : []));
      names?.learn(first as Rows, second as Rows, drawn);
      leftOut = columns.filter(({ path }) => !names?.isName(path));
      isIgnored = createMatcher([...ignore, ...leftOut.map(({ path }) => path)]);
    },
    get leftOut() {
      return leftOut;
    },
    viewer(model, last) {
      const show = names?.viewer(model as Rows, last as Rows, isColumnIgnored);
      return (before, after) => {
        const [one, other] = show
          ? withOther(show(before as Rows, after as Rows), before, after)
          : [before, after];
        return { one, other, differences: differencesIn(one, other) };
      };
    },
  };
}

/** What a state has beside tables: what calls of an API did. */
const otherIn = (state: Json) =>
  Object.fromEntries(Object.entries(state as object).filter(([, value]) => !Array.isArray(value)));

const withOther = ([one, other]: [object, object], before: Json, after: Json): [Json, Json] => [
  { ...one, ...otherIn(before) },
  { ...other, ...otherIn(after) },
];

/**
 * Checks paths of a state.
 * @param option what the paths are called where they come from
 * @throws SandboxError `bad_request`
 */
export function checkPaths(paths: unknown, option: string): void {
  const all: unknown[] = Array.isArray(paths) ? paths : [paths];
  const texts = all.filter((path) => typeof path === "string");
  for (const path of texts) checkPatternLength(`A path of ${option}`, path);
  const wrong = all.find((path) => typeof path !== "string" || !isPath(path));
  if (Array.isArray(paths) && wrong === undefined) return;
  throw new SandboxError(
    "bad_request",
    Array.isArray(paths)
      ? `${option} must name places of the state, not ${JSON.stringify(wrong) ?? String(wrong)}.`
      : `${option} must be a list of places of the state, not ${JSON.stringify(paths) ?? String(paths)}.`,
    'For example orders.*.updated_at; * stands for any name or position, and ["a.b"] for a name with dots.',
  );
}

/** The places of a state, with the values there; without what is below a place that is left out. */
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

/** Those of the paths at which a state has nothing. */
export function withoutPlace(paths: readonly string[], state: Json): string[] {
  const places = [...placesIn(state, () => false)].map(([place]) => place);
  return paths.filter((path) => !places.some(createMatcher([path])));
}

/**
 * Counts the fields of a state that have a value of their own.
 * @param ignore paths that do not count; `*` stands for any field or position
 */
export const countFields = (state: Json, ignore: readonly string[] = []): number =>
  [...placesIn(state, createMatcher(ignore))].filter(([, value]) => !Array.isArray(value) && !isObject(value))
    .length;
