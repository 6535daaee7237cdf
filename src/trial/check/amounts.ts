import { isObject, type Json } from "../subject/state.ts";

type Amounts = Map<string, number>;

/** The amounts by which one event changes a state. They reveal how many times a later event was handled. */
export class EventAmounts {
  #single: Amounts = new Map();
  #added: Amounts = new Map();
  /**
   * Places in the state that change differently with each event, such as timestamps; undefined until the second event.
   */
  #noise: ReadonlySet<string> | undefined;

  /** Whether a second event would reveal nothing more. */
  get isCertain(): boolean {
    return this.#noise !== undefined || this.#single.size === 0;
  }

  learnFirst(before: Json, after: Json): void {
    ({ changed: this.#single, added: this.#added } = amountsBetween(before, after));
  }

  /** Learns which changes are the same for every event. */
  learnSecond(before: Json, after: Json): void {
    const { changed } = amountsBetween(before, after);
    const places = [...this.#single.keys(), ...changed.keys()];
    this.#noise = new Set(places.filter((place) => this.#single.get(place) !== changed.get(place)));
    for (const place of this.#noise) this.#single.delete(place);
  }

  /** How many times an event was handled, judging by the changes that one event makes. */
  timesIn(before: Json, after: Json): "once" | "twice" | "unclear" {
    const { changed, added } = amountsBetween(before, after);
    for (const place of this.#noise ?? []) changed.delete(place);
    if (this.#single.size === 0 || changed.size !== this.#single.size) return "unclear";
    // Only an exact multiple counts: everything changed once, or something changed exactly twice as much.
    const times = [...this.#single].map(([place, one]) => (changed.get(place) ?? Number.NaN) / one);
    if (times.some((count) => count !== 1 && count !== 2)) return "unclear";
    if (times.includes(2)) return "twice";
    // A doubled number in a new entry may mean that the event was handled twice, but it may also just count entries.
    const isDoubled = ([place, value]: [string, number]) =>
      value !== 0 && value === 2 * (this.#added.get(place) ?? Number.NaN);
    return [...added].some(isDoubled) ? "unclear" : "once";
  }
}

/**
 * The numeric changes between two states: in numbers (including digits in strings), list lengths and key counts.
 * @returns the non-zero changes at places in both states, and the numbers at places only in the later one, where `*`
 * replaces the new key, such as that of an order
 */
function amountsBetween(before: Json, after: Json): { changed: Amounts; added: Amounts } {
  const then = measure(before);
  const [changed, added]: Amounts[] = [new Map(), new Map()];
  const prefixesOf = (place: string) =>
    place.split("/").map((_, index, names) => names.slice(0, index + 1).join("/"));
  const known = new Set([...then.keys()].flatMap(prefixesOf));
  for (const [place, value] of measure(after)) {
    const change = value - (then.get(place) ?? value);
    if (change !== 0) changed!.set(place, change);
    const first = prefixesOf(place).findIndex((prefix) => !known.has(prefix));
    if (first >= 0) added!.set(place.split("/").with(first, "*").join("/"), value);
  }
  return { changed: changed!, added: added! };
}

function measure(state: Json, place = "", found: Amounts = new Map()): Amounts {
  if (typeof state === "number") found.set(place, state);
  else if (typeof state === "string" && /^\d{1,15}$/.test(state)) found.set(place, Number(state));
  else if (Array.isArray(state)) found.set(`${place}/length`, state.length);
  else if (isObject(state)) {
    const entries = Object.entries(state);
    found.set(`${place}/keys`, entries.length);
    for (const [key, inner] of entries) measure(inner, `${place}/${key}`, found);
  }
  return found;
}
