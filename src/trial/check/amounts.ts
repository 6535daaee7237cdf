import { isObject, type Json } from "../subject/state.ts";

/** Numbers by their places in a state. */
type Amounts = ReadonlyMap<string, number>;

/** What one event changes in a state, which says how often another one was handled. */
export class EventAmounts {
  #single: Amounts = new Map();
  #added: Amounts = new Map();
  /** Places that two events change otherwise, such as the time of the latest one; unknown until the second. */
  #noise: ReadonlySet<string> | undefined;

  /** Whether a second event would show nothing more. */
  get isCertain(): boolean {
    return this.#noise !== undefined || this.#single.size === 0;
  }

  learnFirst(before: Json, after: Json): void {
    this.#single = changeBetween(before, after);
    this.#added = addedBetween(before, after);
  }

  /** Learns what each event changes alike. */
  learnSecond(before: Json, after: Json): void {
    const second = changeBetween(before, after);
    const places = [...this.#single.keys(), ...second.keys()];
    this.#noise = new Set(places.filter((place) => this.#single.get(place) !== second.get(place)));
    this.#single = this.#withoutNoise(this.#single);
  }

  /** How often an event was handled, by what changed and by what one event changes. */
  timesIn(before: Json, after: Json): "once" | "twice" | "unclear" {
    const times = timesOf(this.#withoutNoise(changeBetween(before, after)), this.#single);
    const isDoubled = [...addedBetween(before, after)].some(
      ([place, value]) => value !== 0 && value === 2 * (this.#added.get(place) ?? Number.NaN),
    );
    // Twice in what is new may be a second time, or a number that counts entries.
    return times === "once" && isDoubled ? "unclear" : times;
  }

  #withoutNoise = (amounts: Amounts): Amounts =>
    new Map([...amounts].filter(([place]) => !this.#noise?.has(place)));
}

/**
 * What changed between two states, as numbers: numbers themselves (texts of digits, too), lengths of
 * lists, counts of keys. Places that only one of the two has do not count: how many there are does.
 * @returns the changes that are not 0, by place
 */
function changeBetween(before: Json, after: Json): Map<string, number> {
  const [then, now] = [measure(before), measure(after)];
  const changes = new Map<string, number>();
  for (const [place, value] of now) {
    const change = value - (then.get(place) ?? value);
    if (change !== 0) changes.set(place, change);
  }
  return changes;
}

/** The numbers of what only the later state has, by place: `*` is the name of what is new, as of an order. */
function addedBetween(before: Json, after: Json): Map<string, number> {
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
 * Only a multiple that fits tells: everything changed as by one event, or something changed twice as much.
 */
function timesOf(changes: Amounts, single: Amounts): "once" | "twice" | "unclear" {
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
