import { isObject, type Json } from "./differences.ts";

/**
 * In a state, calls to services are lists of keys and fields. Side by side, they are grouped by service and key: as a
 * count, or with their fields if these differ.
 */

type Tree = Record<string, Json>;

const isCalls = (value: Json): value is readonly { key: string; fields: Json }[] =>
  Array.isArray(value) &&
  value.length > 0 &&
  value.every((one) => isObject(one) && Object.keys(one).join() === "key,fields");

const listsOf = (calls: Json): Map<string, Json[]> =>
  new Map(
    [...Map.groupBy(isCalls(calls) ? calls : [], ({ key }) => key)].map(([key, same]) => [
      key,
      same.map(({ fields }) => fields),
    ]),
  );

/** The order of calls is irrelevant. */
const sorted = (fields: readonly Json[]): Json[] =>
  fields.toSorted((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1));

/** Converts a part of a state: all calls with the same key become a list of their fields. */
export const callLists = (part: Json): Json =>
  isObject(part)
    ? Object.fromEntries(
        Object.entries(part).map(([name, value]) => [
          name,
          isCalls(value) ? Object.fromEntries(listsOf(value)) : value,
        ]),
      )
    : part;

/** Converts the same part of two states: a key's calls become a count, unless only their fields differ. */
export function callsSideBySide(one: Json, other: Json): [Json, Json] {
  if (!isObject(one) || !isObject(other)) return [one, other];
  const [left, right]: [Tree, Tree] = [{ ...one }, { ...other }];
  for (const name of new Set([...Object.keys(one), ...Object.keys(other)])) {
    if (![one[name], other[name]].some(isCalls)) continue;
    const [lefts, rights] = [listsOf(one[name]), listsOf(other[name])];
    const [leftCalls, rightCalls]: [Tree, Tree] = [{}, {}];
    for (const key of new Set([...lefts.keys(), ...rights.keys()])) {
      const [all, others] = [lefts.get(key) ?? [], rights.get(key) ?? []];
      const areAlike = new Set([...all, ...others].map((fields) => JSON.stringify(fields))).size === 1;
      const isCounted = areAlike || all.length !== others.length;
      leftCalls[key] = isCounted ? all.length : sorted(all);
      rightCalls[key] = isCounted ? others.length : sorted(others);
    }
    [left[name], right[name]] = [leftCalls, rightCalls];
  }
  return [left, right];
}
