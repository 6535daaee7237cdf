import { isObject } from "../../runtime/is-object.ts";
import { groupsBy, isCount, isNamedAsCount } from "./counting.ts";

/** With more candidates, entries are paired in order, because comparing all pairs would take too long. */
const MOST_CANDIDATES = 2_500;
/** Common names of the number that databases and programs assign to each added entry. */
const NUMBER_NAMES = "id _id rowid row_id pk seq sequence serial index idx position pos ordinal nr".split(
  " ",
);

/**
 * The field that numbers a list's entries as they are added, in the whole list or within groups; undefined if there is
 * no such field.
 * @param other must have the field, too; gaps are allowed, because unused numbers are not reused
 */
export function numberField(list: readonly unknown[], other: readonly unknown[] = list): string | undefined {
  const usual = NUMBER_NAMES.find((name) => {
    const numbers = numbersIn(list, name);
    const first = Math.min(...(numbers ?? []));
    const isCounted = numbers && first <= 1 && Math.max(...numbers) - first === numbers.length - 1;
    return isCounted && numbersIn(other, name) !== undefined;
  });
  if (usual !== undefined || !list.every(isObject) || !other.every(isObject)) return usual;
  const fields = Object.keys(list[0] ?? {});
  return fields
    .filter(isNamedAsCount)
    .find((field) =>
      [[], ...fields.flatMap((by) => (by === field ? [] : [[by]]))].some(
        (by) =>
          isCount(field, groupsBy(list, by)) &&
          groupsBy(other, by).every((group) => numbersIn(group, field) !== undefined),
      ),
    );
}

/** The values of a field in all entries, if they are distinct whole numbers. */
function numbersIn(list: readonly unknown[], name: string): number[] | undefined {
  const numbers = list.map((entry) => (entry as Record<string, unknown> | null)?.[name]);
  const isNumbered = numbers.every((one) => Number.isSafeInteger(one) && (one as number) >= 0);
  return isNumbered && new Set(numbers).size === numbers.length ? (numbers as number[]) : undefined;
}

export function without(entry: unknown, field: string | undefined): unknown {
  if (field === undefined) return entry;
  const { [field]: _left, ...rest } = entry as Record<string, unknown>;
  return rest;
}

type Pair = readonly [left: number, right: number];

/** Which entries of two lists correspond, regardless of order. */
export interface Pairing {
  equal: Pair[];
  /** Differing entries, each with the entry most similar to it. */
  alike: Pair[];
  /** Positions of unpaired entries in the left list and in the right list. */
  missing: number[];
  extra: number[];
}

/**
 * Pairs the entries of two lists.
 * @param left a string for each entry; equal entries have equal strings
 * @param unlikeness the number of places at which two entries differ
 */
export function pairEntries(
  left: readonly string[],
  right: readonly string[],
  unlikeness: (left: number, right: number) => number,
): Pairing {
  const places = Map.groupBy(right.keys(), (index) => right[index]!);
  const equal: Pair[] = [];
  const missing: number[] = [];
  left.forEach((text, index) => {
    const found = places.get(text)?.shift();
    if (found === undefined) missing.push(index);
    else equal.push([index, found]);
  });
  const extra = [...places.values()].flat().sort((a, b) => a - b);
  const alike: Pair[] = [];
  const isFew = missing.length * extra.length <= MOST_CANDIDATES;
  const costs = new Map(
    isFew ? missing.flatMap((one) => extra.map((other) => [`${one} ${other}`, unlikeness(one, other)])) : [],
  );
  while (missing.length > 0 && extra.length > 0) {
    let best: Pair = [missing[0]!, extra[0]!];
    for (const one of isFew ? missing : [])
      for (const other of extra)
        if (costs.get(`${one} ${other}`)! < costs.get(best.join(" "))!) best = [one, other];
    alike.push(best);
    missing.splice(missing.indexOf(best[0]), 1);
    extra.splice(extra.indexOf(best[1]), 1);
  }
  return { equal, alike: alike.sort(([a], [b]) => a - b), missing, extra };
}
