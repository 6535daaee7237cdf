import { isDeepStrictEqual } from "node:util";
import { misuse } from "../../errors/errors.ts";
import { checkPatternLength } from "../../runtime/wildcard.ts";
import { wallNow } from "../../world/clock.ts";
import type { Rows, TableShape } from "../database/dialect.ts";
import { createDiffer, type Difference, isObject, type Json } from "./differences.ts";
import { createNaming } from "./own-names.ts";
import { findOwnValues, joinOwnValues, type OwnValues, type SeenRun } from "./own-values.ts";
import { createMatcher, isAny, isPath, type Place, patternText } from "./path.ts";
import { RowNames } from "./rows.ts";

export { type Difference, isObject, type Json };

/** A list whose entries are equal but in another order, or with other numbers. This does not count as a difference. */
export interface Reordered {
  path: string;
  numbered: boolean;
}

/** A place whose values differ from run to run by themselves. Whether they are there, or another value, is compared. */
export interface OwnPlace extends Pick<OwnValues, "holds"> {
  /** Such as the column `orders.*.created_at`. */
  path: string;
}

export interface View {
  one: Json;
  other: Json;
  differences: Difference[];
}

export class Comparison {
  #names: RowNames | undefined;
  #beginning: Json;
  /** When the first calm run began, in real milliseconds. */
  #since = 0;
  #own: readonly OwnValues[] = [];
  #naming: (state: Json, readAt: number) => Json = (state) => state;
  /** A cache, because the same states are compared many times. */
  #named = new WeakMap<object, Json>();
  /** When each state was compared for the first time, right after it was read. */
  readonly #readAt = new WeakMap<object, number>();
  readonly #reordered = new Map<string, boolean>();
  readonly #differencesIn: (expected: Json, actual: Json) => Difference[];
  readonly #isIgnored: (place: Place) => boolean;
  /** Whether the order of a list is compared. */
  readonly isOrdered: (place: Place) => boolean;

  /**
   * @param ignore paths that are not compared; `*` matches any field or position
   * @param ordered paths of lists whose order is compared
   */
  constructor(ignore: readonly string[], ordered: readonly string[] = []) {
    this.#isIgnored = createMatcher(ignore);
    this.isOrdered = createMatcher(ordered);
    this.#differencesIn = createDiffer({
      isIgnored: this.#isIgnored,
      isOrdered: this.isOrdered,
      onReordered: (path, numbered) =>
        void this.#reordered.set(path, numbered || this.#reordered.get(path) === true),
    });
  }

  /** Where two states differ, in the order of their fields. Most states are equal, which is found in a tenth of the time. */
  differences = (expected: Json, actual: Json): Difference[] =>
    isDeepStrictEqual(this.#nameOwn(expected), this.#nameOwn(actual))
      ? []
      : this.view(expected, actual).differences;

  isEqual = (one: Json, other: Json): boolean => this.differences(one, other).length === 0;

  /** Two states side by side. Rows of the second are named as in the first. */
  view = (expected: Json, actual: Json): View => {
    const [one, other] = [this.#nameOwn(expected), this.#nameOwn(actual)];
    return this.#viewed(one, other, this.#names?.compare(one as Rows, other as Rows, this.#isColumnIgnored));
  };

  /**
   * Returns a function that shows two states of a run side by side, with rows named as in another run.
   * @param model the other run's last state; `last` the last one of this run
   */
  viewer = (model: Json, last: Json): ((one: Json, other: Json) => View) => {
    const [modelled, named] = [this.#nameOwn(model), this.#nameOwn(last)];
    const show = this.#names?.viewer(modelled as Rows, named as Rows, this.#isColumnIgnored);
    return (before, after) => {
      const [one, other] = [this.#nameOwn(before), this.#nameOwn(after)];
      return this.#viewed(one, other, show?.(one as Rows, other as Rows));
    };
  };

  /** Whether a place is compared. */
  counts = (place: Place): boolean => !this.#isIgnored(place);

  /** Whether a column holds names, such as generated ids, so that other ones are no difference. */
  isName = (table: string, column: string): boolean => this.#names?.isName(table, column) ?? false;

  /** The tables whose new rows have names as keys, or as a part of them. */
  namedTables = (...states: readonly Json[]): ReadonlySet<string> =>
    this.#names?.namedTables(states as Rows[]) ?? new Set();

  /** The state to compare: of a database, only the changes since the beginning. */
  changed = (state: Json): Json => this.view(state, state).one;

  /** The whole state, with rows by key. */
  whole = (state: Json): Json => {
    const named = this.#nameOwn(state);
    return this.#names ? { ...this.#names.whole(named as Rows), ...otherIn(named) } : named;
  };

  /** The lists whose order differed in comparisons so far. */
  get reordered(): readonly Reordered[] {
    return [...this.#reordered].map(([path, numbered]) => ({ path, numbered }));
  }

  /**
   * Begins to compare states with the one before the first delivery.
   * @param shapes the tables of a database, whose rows are compared by key; undefined for any other state
   */
  begin(beginning: Json, shapes: readonly TableShape[] | undefined): void {
    this.#beginning = beginning;
    this.#names = shapes && new RowNames(shapes, beginning as Rows, (table) => this.isOrdered([table]));
  }

  /**
   * Learns from two calm runs which places differ by themselves. Of the machine's time and of generated ids, only whether they are
   * there is compared from then on. Generated keys are names.
   * @returns all places that differ by themselves
   */
  learn(first: SeenRun, again: SeenRun): readonly OwnPlace[] {
    const found = findOwnValues(first, again, this.#beginning).filter(
      ({ place }) => !this.#isIgnored(place.map(({ text }) => text)),
    );
    this.#names?.learn(first.state as Rows, again.state as Rows, (table, column) =>
      found.some(({ place }) => columnIn(place)?.join("\0") === `${table}\0${column}`),
    );
    this.#since ||= first.began;
    // No text may stand for keys, which tell rows apart.
    this.#own = joinOwnValues([...this.#own, ...found]).filter(({ place }) => {
      const column = columnIn(place);
      return !column || !this.isName(...column);
    });
    this.#naming = createNaming(this.#own, this.#since);
    this.#named = new WeakMap();
    this.#names?.begin(this.#nameOwn(this.#beginning) as Rows);
    return found.map(toReport);
  }

  /** The places that differ by themselves, without keys. */
  get own(): readonly OwnPlace[] {
    return this.#own.map(toReport);
  }

  #nameOwn(state: Json): Json {
    if (typeof state !== "object" || state === null) return this.#naming(state, wallNow());
    const readAt = this.#readAt.get(state) ?? wallNow();
    this.#readAt.set(state, readAt);
    if (!this.#named.has(state)) this.#named.set(state, this.#naming(state, readAt));
    return this.#named.get(state);
  }

  #isColumnIgnored = (table: string, column: string): boolean => this.#isIgnored([table, "*", column]);

  /** @param trees the rows of both states, if they are those of a database */
  #viewed(before: Json, after: Json, trees: readonly [object, object] | undefined): View {
    const one = trees ? { ...trees[0], ...otherIn(before) } : before;
    const other = trees ? { ...trees[1], ...otherIn(after) } : after;
    return { one, other, differences: this.#differencesIn(one, other) };
  }
}

const toReport = ({ place, holds }: OwnValues): OwnPlace => ({ path: patternText(place), holds });

/** The table and the column that a place is; undefined for any other place. */
const columnIn = ([table, any, column, more]: OwnValues["place"]): [string, string] | undefined =>
  table && any && isAny(any) && column && !more ? [table.text, column.text] : undefined;

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
