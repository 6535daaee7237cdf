import { isDeepStrictEqual } from "node:util";
import { SandboxError } from "../../errors/errors.ts";
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

/** How states are compared. */
export interface Comparison {
  /** Where two states differ, in the order of their fields. */
  differences(expected: Json, actual: Json): Difference[];
  isEqual(one: Json, other: Json): boolean;
  /** Two states side by side. Rows of the second are named as in the first. */
  view(expected: Json, actual: Json): View;
  /** Whether a place is compared. */
  counts(place: Place): boolean;
  /** Whether the order of a list is compared. */
  isOrdered(place: Place): boolean;
  /** Whether a column holds generated ids, so that other ids are no difference. */
  isName(table: string, column: string): boolean;
  /** The tables whose new rows have generated keys. */
  drawnTables(...states: readonly Json[]): ReadonlySet<string>;
  /** The state to compare: of a database, only the changes since the beginning. */
  changed(state: Json): Json;
  /** The whole state, with rows by key. */
  whole(state: Json): Json;
  /** The lists whose order differed in comparisons so far. */
  readonly reordered: readonly Reordered[];
  /** From now on, compares rows of a database by key. Before, states are any JSON. */
  nameRows(names: RowNames): void;
  /**
   * From now on, ignores columns that differ by themselves, except generated keys, which are names.
   * @param first the states of the two runs in which they were found
   */
  leaveOut(columns: readonly OwnColumn[], first: Json, second: Json): void;
  readonly leftOut: readonly OwnColumn[];
  /**
   * Returns a function that shows two states of a run side by side, with rows named as in another run.
   * @param model the other run's last state; `last` the last one of this run
   */
  viewer(model: Json, last: Json): (one: Json, other: Json) => View;
}

/** Two states of a run, ready to show. */
export interface View {
  one: Json;
  other: Json;
  differences: Difference[];
}

/**
 * Creates a comparison of states.
 * @param ignore paths that are not compared; `*` matches any field or position
 * @param ordered paths of lists whose order is compared
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

  // Most states are equal, and this check takes a tenth of the time.
  const differences = (expected: Json, actual: Json): Difference[] =>
    isDeepStrictEqual(expected, actual) ? [] : differencesIn(...treesOf(expected, actual));

  return {
    differences,
    isEqual: (one, other) => differences(one, other).length === 0,
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

/** The parts of a state that are not tables: effects of API calls. */
const otherIn = (state: Json) =>
  Object.fromEntries(Object.entries(state as object).filter(([, value]) => !Array.isArray(value)));

const withOther = ([one, other]: [object, object], before: Json, after: Json): [Json, Json] => [
  { ...one, ...otherIn(before) },
  { ...other, ...otherIn(after) },
];

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
  throw new SandboxError(
    "bad_request",
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
