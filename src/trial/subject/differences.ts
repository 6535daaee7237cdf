import { numberField, pairEntries, without } from "./lists.ts";
import { type Place, pathText } from "./path.ts";

export type Json = unknown;

/** A place at which two states differ. A side that lacks the place is undefined. */
export interface Difference {
  /** For example `orders.order-7.status`, `items[0]` or `counts["checkout.completed"]`; empty for the whole state. */
  path: string;
  expected: Json;
  actual: Json;
  /** Describes the difference, if it is about a call to a service. */
  words?: string;
}

export const isObject = (value: Json): value is Record<string, Json> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Which parts of a state are compared. */
export interface PathRules {
  isIgnored(place: Place): boolean;
  /** Whether the order of a list is compared. */
  isOrdered(place: Place): boolean;
}

/**
 * Returns a function that lists the differences between two values, in the order of their fields.
 * @param onReordered called with each list whose entries are equal except for their order or numbers
 */
export function createDiffer(
  { isIgnored, isOrdered }: PathRules,
  onReordered: (path: string, numbered: boolean) => void,
): (expected: Json, actual: Json) => Difference[] {
  function compare(one: Json, other: Json, place: Place, found: Difference[]): void {
    if (isIgnored(place)) return;
    if (isObject(one) && isObject(other)) {
      for (const key of new Set([...Object.keys(one), ...Object.keys(other)]))
        compare(one[key], other[key], [...place, key], found);
    } else if (Array.isArray(one) && Array.isArray(other)) {
      if (!isOrdered(place)) compareEntries(one, other, place, found);
      else
        for (let index = 0; index < Math.max(one.length, other.length); index += 1)
          compare(one[index], other[index], [...place, index], found);
    } else if (!Object.is(one, other)) found.push({ path: pathText(place), expected: one, actual: other });
  }

  /** Compares lists regardless of their order, and of numbers that depend on it. */
  function compareEntries(one: Json[], other: Json[], place: Place, found: Difference[]): void {
    const number = numberField(one, other);
    const [left, right] = [one, other].map((list) => list.map((entry) => without(entry, number)));
    const [before, own] = [found.length, (index: number): Place => [...place, index]];
    const [leftTexts, rightTexts] = [left!, right!].map((list) =>
      list.map((entry, index) => textOf(entry, own(index))),
    );
    const { equal, alike, missing, extra } = pairEntries(leftTexts!, rightTexts!, (l, r) => {
      const all: Difference[] = [];
      compare(left![l], right![r], own(l), all);
      return all.length;
    });
    for (const [l, r] of alike) compare(left![l], right![r], own(l), found);
    for (const l of missing) compare(one[l], undefined, own(l), found);
    for (const r of extra) compare(undefined, other[r], own(r), found);
    if (found.length > before) return;
    const numberOf = (entry: Json): Json => (entry as Record<string, Json>)[number!];
    const isNumbered =
      number !== undefined && equal.some(([l, r]) => numberOf(one[l]) !== numberOf(other[r]));
    if (isNumbered || equal.some(([l, r]) => l !== r)) onReordered(pathText(place), isNumbered);
  }

  /** A string that is equal for list entries without a relevant difference. */
  function textOf(value: Json, place: Place): string {
    if (isIgnored(place)) return "";
    if (Array.isArray(value)) {
      const number = numberField(value);
      const texts = value.map((entry, index) => textOf(without(entry, number), [...place, index]));
      return `[${isOrdered(place) ? texts : texts.sort()}]`;
    }
    if (!isObject(value)) return JSON.stringify(value) ?? "";
    const fields = Object.keys(value).sort();
    return `{${fields.map((key) => `${JSON.stringify(key)}:${textOf(value[key], [...place, key])}`)}}`;
  }

  return (expected, actual) => {
    const found: Difference[] = [];
    compare(expected, actual, [], found);
    return found;
  };
}
