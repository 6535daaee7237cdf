import { isDeepStrictEqual } from "node:util";
import { isOwnName } from "../subject/own-names.ts";
import { ANY, isAny, namesIn, patternText, readPath, type Segment } from "../subject/path.ts";
import { type Comparison, type Difference, isObject, type Json } from "../subject/state.ts";

/**
 * The values that a finding expects, keyed by place. `*` matches any entry, for values in any order or a number of
 * entries.
 */
export type Expected = Readonly<Record<string, Json>>;

/** The maximum number of expected places; one is enough to recognize whether the bug still exists. */
const MOST_PLACES = 20;
const MOST_LENGTH = 500;
const ROOT = "$";
/** A random id from a world; it is different in every world. */
const DRAWN = /\b[a-z]{2,8}_[0-9A-Za-z]{16}\b/;

/** A row's random key, such as a UUID or a cuid; it is different in every database. The sender's own ids have a prefix. */
const RANDOM_KEY = /^(?=.*\d)[\da-z-]{20,}$/i;

/** Whether part of a value differs in every world or run. */
const hasDrawn = (value: Json): boolean =>
  DRAWN.test(JSON.stringify(value) ?? "") || [value].flat().some(isOwnName);

/** Formats a place for finding files: `orders.order-7.status`, `payments.*.amount`. */
const placeText = (segments: readonly Segment[]): string => patternText(segments) || ROOT;

export const isPlace = (text: string): boolean => text === ROOT || (readPath(text)?.length ?? 0) > 0;

/**
 * The values that the state will have only after the handler is fixed: the calm run's, where the two runs differ.
 * @returns the expected and the actual value at each place
 */
export function expectedOf(comparison: Comparison, calm: Json, found: Json): Difference[] {
  const { one, other, differences } = comparison.view(calm, found);
  const drawn = comparison.names.tables(calm, found);
  const isLoose = (parent: readonly string[], name: string): boolean => {
    if (DRAWN.test(name) || RANDOM_KEY.test(name) || (parent.length === 1 && drawn.has(parent[0]!)))
      return true;
    return (
      Array.isArray(valueAt(one, parent) ?? valueAt(other, parent)) && !comparison.rules.isOrdered(parent)
    );
  };
  const expected = new Map<string, Difference>();
  const add = (place: Segment[], right: Json, wrong: Json) =>
    expected.set(placeText(place), { path: placeText(place), expected: right ?? null, actual: wrong });

  /** Expects objects field by field, because some fields may be excluded. */
  function addFields(names: readonly string[], right: Json, wrong: Json): void {
    if (!isObject(right)) return void add(names.map(quoted), right, wrong);
    for (const [name, value] of Object.entries(right))
      if (!comparison.rules.isIgnored([...names, name]) && !isOwnName(value))
        addFields([...names, name], value, valueAt(wrong, [name]));
  }
  const loose: (() => void)[] = [];
  for (const { path, expected: right, actual: wrong } of differences) {
    const names = namesIn(path);
    const place = names.map((name, depth) => (isLoose(names.slice(0, depth), name) ? ANY : quoted(name)));
    if (!place.some(isAny)) addFields(names, right, wrong);
    else
      loose.push(() => {
        const [rights, wrongs] = [calm, found].map((state) => valuesAt(changedIn(comparison, state), place));
        const isEntry = isAny(place.at(-1)!) && (right === undefined || wrong === undefined);
        if (isEntry) add(place, rights!.length, wrongs!.length);
        else add(place, rights!, wrongs!);
      });
  }
  // Named places are clearest; use others only if there are none.
  if (expected.size === 0) for (const addLoose of loose) addLoose();
  return [...expected.values()].filter(({ path }) => path.length <= MOST_LENGTH).slice(0, MOST_PLACES);
}

/**
 * The places where a state differs from a finding's expectation. Random ids are matched with the calm run's.
 * @param calm the final state of a new calm run
 */
export function unmetIn(comparison: Comparison, expected: Expected, calm: Json, state: Json): Difference[] {
  const { differences } = comparison.view(calm, state);
  const unmet = new Map<string, Difference>();
  for (const [path, right] of Object.entries(expected)) {
    const place = path === ROOT ? [] : readPath(path)!;
    const [well, now] = [calm, state].map((one) => actualAt(comparison, place, one, right));
    const isById = place.length > 1 && comparison.names.isName(place[0]!.text, place.at(-1)!.text);
    const isDrawn = isById || hasDrawn(right);
    // If the calm run agrees with the file, it also reveals which entry or id is meant.
    const real =
      isDrawn || isSame(right, well) ? differences.filter((one) => isAt(namesIn(one.path), place)) : [];
    for (const one of real) unmet.set(one.path, one);
    if (real.length === 0 && !isDrawn && !isSame(right, now))
      unmet.set(path, { path, expected: right, actual: now });
  }
  return [...unmet.values()];
}

const quoted = (text: string): Segment => ({ text, quoted: true });

/** Whether a difference is at a place or at one of its parents. */
const isAt = (names: readonly string[], place: readonly Segment[]): boolean =>
  names.length <= place.length &&
  names.every((name, index) => isAny(place[index]!) || place[index]!.text === name);

function actualAt(comparison: Comparison, place: readonly Segment[], state: Json, right: Json): Json {
  if (!place.some(isAny)) {
    const names = place.map(({ text }) => text);
    const value = valueAt(comparison.names.whole(state), names);
    // For calls, the file may specify only how many to expect.
    return typeof right === "number" && Array.isArray(value) ? value.length : value;
  }
  const values = valuesAt(changedIn(comparison, state), place);
  return typeof right === "number" && isAny(place.at(-1)!) ? values.length : values;
}

/** The state to compare: for a database, only the changes since the start. */
const changedIn = ({ names }: Comparison, state: Json): Json => names.sideBySide(state, state)[0];

/** Compares as finding files do: a missing value equals null, and list order does not matter. */
const isSame = (one: Json, other: Json): boolean =>
  isDeepStrictEqual(sorted(one ?? null), sorted(other ?? null));

function sorted(value: Json): Json {
  if (Array.isArray(value))
    return value.map(sorted).sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, sorted(value[key])]),
  );
}

/** The value at a place; undefined if there isn't one. */
export function valueAt(state: Json, names: readonly string[]): Json {
  let value = state;
  for (const name of names) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as Record<string, Json>)[name];
  }
  return value;
}

/** The values at a place that contains `*`. */
function valuesAt(state: Json, [first, ...rest]: readonly Segment[]): Json[] {
  if (first === undefined) return [state ?? null];
  if (isAny(first)) return Object.values(Object(state)).flatMap((one) => valuesAt(one, rest));
  return valuesAt(valueAt(state, [first.text]), rest);
}
