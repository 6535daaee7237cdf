import { isObject, type Json } from "../subject/state.ts";

/** Numbers by their places in a state. */
export type Amounts = ReadonlyMap<string, number>;

/**
 * What changed between two states, as numbers: numbers themselves (texts of digits, too), lengths of
 * lists, counts of keys. Places that only one of the two has do not count: how many there are does.
 * @returns the changes that are not 0, by place
 */
export function changeBetween(before: Json, after: Json): Map<string, number> {
  const [then, now] = [measure(before), measure(after)];
  const changes = new Map<string, number>();
  for (const [place, value] of now) {
    const change = value - (then.get(place) ?? value);
    if (change !== 0) changes.set(place, change);
  }
  return changes;
}

/** The numbers of what only the later state has, by place: `*` is the name of what is new, as of an order. */
export function addedBetween(before: Json, after: Json): Map<string, number> {
  const prefixesOf = (place: string) =>
    place.split("/").map((_, index, names) => names.slice(0, index + 1).join("/"));
  const then = new Set([...measure(before).keys()].flatMap(prefixesOf));
  const added = new Map<string, number>();
  for (const [place, value] of measure(after)) {
    const first = prefixesOf(place).findIndex((prefix) => !then.has(prefix));
    if (first >= 0) added.set(place.split("/").with(first, "*").join("/"), value);
  }
  return added;
}

/**
 * How often an event was handled, by what changed and by what one event changes. Only a multiple that fits tells:
 * everything changed as by one event, or something changed twice as much.
 */
export function timesOf(changes: Amounts, single: Amounts): "once" | "twice" | "unclear" {
  if (single.size === 0 || changes.size !== single.size) return "unclear";
  const times = [...single].map(([place, one]) => (changes.get(place) ?? Number.NaN) / one);
  if (times.some((count) => count !== 1 && count !== 2)) return "unclear";
  return times.includes(2) ? "twice" : "once";
}

function measure(state: Json): Map<string, number> {
  const found = new Map<string, number>();
  const walk = (value: Json, place: string): void => {
    if (typeof value === "number") found.set(place, value);
    else if (typeof value === "string" && /^\d{1,15}$/.test(value)) found.set(place, Number(value));
    else if (Array.isArray(value)) found.set(`${place}/length`, value.length);
    else if (isObject(value)) {
      const entries = Object.entries(value);
      found.set(`${place}/keys`, entries.length);
      for (const [key, inner] of entries) walk(inner, `${place}/${key}`);
    }
  };
  walk(state, "");
  return found;
}
