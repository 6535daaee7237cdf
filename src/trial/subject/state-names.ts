import { wallNow } from "../../world/clock.ts";
import type { Rows, TableShape } from "../database/dialect.ts";
import { isObject, type Json, type PathRules } from "./differences.ts";
import { callLists, callsSideBySide } from "./effect-trees.ts";
import { createNaming } from "./own-names.ts";
import { findOwnValues, joinOwnValues, type OwnValues, type SeenRun } from "./own-values.ts";
import { isAny, patternText } from "./path.ts";
import { RowNames } from "./rows.ts";

/** A place whose values vary between identical runs. Only the presence of such a value is compared. */
export interface OwnPlace extends Pick<OwnValues, "holds"> {
  /** For example the column `orders.*.created_at`. */
  path: string;
}

type SideBySide = (one: Json, other: Json) => readonly [Json, Json];

/**
 * Makes states of different runs comparable. Replaces times and generated ids with names that are the same in each run.
 * For a database, only changes since the beginning remain.
 */
export class StateNames {
  readonly #rules: PathRules;
  #rows: RowNames | undefined;
  #beginning: Json;
  /** When the first calm run started, in real milliseconds. */
  #since = 0;
  #own: readonly OwnValues[] = [];
  #naming: (state: Json, readAt: number) => Json = (state) => state;
  /** A cache, because the same states are compared many times. */
  #named = new WeakMap<object, Json>();
  /** When each state was first compared, right after it was read. */
  readonly #readAt = new WeakMap<object, number>();

  constructor(rules: PathRules) {
    this.#rules = rules;
  }

  /**
   * Starts comparing states with the one before the first delivery.
   * @param shapes the tables of a database, whose rows are compared by key; undefined for any other state
   */
  begin(beginning: Json, shapes: readonly TableShape[] | undefined): void {
    this.#beginning = beginning;
    this.#rows = shapes && new RowNames(shapes, beginning as Rows, (table) => this.#rules.isOrdered([table]));
  }

  /**
   * Learns from two calm runs which places vary between identical runs. From then on, only the presence of the
   * machine's time and of generated ids is compared, and generated keys are names.
   */
  learn(first: SeenRun, again: SeenRun): void {
    const found = findOwnValues(first, again, this.#beginning).filter(
      ({ place }) => !this.#rules.isIgnored(place.map(({ text }) => text)),
    );
    this.#rows?.learn(first.state as Rows, again.state as Rows, (table, column) =>
      found.some(({ place }) => columnIn(place)?.join("\0") === `${table}\0${column}`),
    );
    this.#since ||= first.began;
    // Placeholders must not stand for keys, which distinguish rows.
    this.#own = joinOwnValues([...this.#own, ...found]).filter(({ place }) => {
      const column = columnIn(place);
      return !column || !this.isName(...column);
    });
    this.#naming = createNaming(this.#own, this.#since);
    this.#named = new WeakMap();
    this.#rows?.begin(this.name(this.#beginning) as Rows);
  }

  /** The places that vary between identical runs, except keys. */
  get own(): readonly OwnPlace[] {
    return this.#own.map(({ place, holds }) => ({ path: patternText(place), holds }));
  }

  /** Whether a column contains names, such as generated ids. If so, different names are not a difference. */
  isName = (table: string, column: string): boolean => this.#rows?.isName(table, column) ?? false;

  /** The tables whose new rows have names as keys, or as part of them. */
  tables = (...states: readonly Json[]): ReadonlySet<string> =>
    this.#rows?.namedTables(states as Rows[]) ?? new Set();

  /** The state with names instead of times and generated ids. Rows are still listed by table. */
  name = (state: Json): Json => {
    if (typeof state !== "object" || state === null) return this.#naming(state, wallNow());
    const readAt = this.#readAt.get(state) ?? wallNow();
    this.#readAt.set(state, readAt);
    if (!this.#named.has(state)) this.#named.set(state, this.#naming(state, readAt));
    return this.#named.get(state);
  };

  /**
   * Two states in the form in which they are compared. The second one's rows have the names of the corresponding rows
   * in the first.
   */
  sideBySide: SideBySide = (one, other) =>
    this.#inTrees(one, other, (left, right) => this.#rows!.compare(left, right, this.#isLeftOut));

  /**
   * Returns a function that shows two states of a run side by side, with rows named as in another run.
   * @param model the other run's last state
   * @param last this run's last state
   */
  viewer = (model: Json, last: Json): SideBySide => {
    const show = this.#rows?.viewer(this.name(model) as Rows, this.name(last) as Rows, this.#isLeftOut);
    return (one, other) => this.#inTrees(one, other, show!);
  };

  /** The whole state, with rows by key. */
  whole = (state: Json): Json => {
    const named = this.name(state);
    return this.#rows
      ? { ...this.#rows.whole(named as Rows), ...(mapped(otherIn(named), callLists) as object) }
      : mapped(named, callLists);
  };

  #isLeftOut = (table: string, column: string): boolean => this.#rules.isIgnored([table, "*", column]);

  #inTrees(
    one: Json,
    other: Json,
    treesOf: (one: Rows, other: Rows) => readonly [object, object],
  ): readonly [Json, Json] {
    const [before, after] = [this.name(one), this.name(other)];
    if (!this.#rows) return withCalls(before, after);
    const [left, right] = treesOf(before as Rows, after as Rows);
    const [ofOne, ofOther] = withCalls(otherIn(before), otherIn(after));
    return [
      { ...left, ...(ofOne as object) },
      { ...right, ...(ofOther as object) },
    ];
  }
}

/** Two states in which the calls to services are grouped by key. */
function withCalls(one: Json, other: Json): [Json, Json] {
  if (!isObject(one) || !isObject(other)) return [one, other];
  if (one === other) return [mapped(one, callLists), mapped(one, callLists)];
  const pairs = [...new Set([...Object.keys(one), ...Object.keys(other)])].map(
    (name) => [name, callsSideBySide(one[name], other[name])] as const,
  );
  const sideOf = (state: Record<string, Json>, side: 0 | 1) =>
    Object.fromEntries(pairs.flatMap(([name, pair]) => (name in state ? [[name, pair[side]]] : [])));
  return [sideOf(one, 0), sideOf(other, 1)];
}

const mapped = (state: Json, change: (part: Json) => Json): Json =>
  isObject(state)
    ? Object.fromEntries(Object.entries(state).map(([name, part]) => [name, change(part)]))
    : state;

const columnIn = ([table, any, column, more]: OwnValues["place"]): [string, string] | undefined =>
  table && any && isAny(any) && column && !more ? [table.text, column.text] : undefined;

/** The parts of a state that are not tables: the effects of calls. */
const otherIn = (state: Json) =>
  Object.fromEntries(Object.entries(state as object).filter(([, value]) => !Array.isArray(value)));
