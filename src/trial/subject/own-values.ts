import { unlessThrown } from "../../runtime/unless-thrown.ts";
import { DAY, iso, SECOND } from "../../world/duration.ts";
import { instantsOf, isWhole } from "./instants.ts";
import { ANY, type Segment } from "./path.ts";

type Json = unknown;

/** A state at the end of a run, and when the run took place, in real milliseconds. */
export interface SeenRun {
  state: Json;
  began: number;
  ended: number;
}

/** A place whose values vary between identical runs. `*` stands for any entry of a list, such as a table's rows. */
export interface OwnValues {
  place: readonly Segment[];
  /** The machine's time, or an id that the subscriber generates. */
  holds: "time" | "id" | "text";
  /** How far the times are from the moments when they were written. */
  distances: readonly Interval[];
  /** Values from before the runs, and values common to both runs: none of them was generated. */
  known: ReadonlySet<Json>;
  /** For a string in a call, for example in an e-mail: its parts, with null for those that vary between runs. */
  forms: readonly Form[];
}

export type Form = readonly (string | null)[];

/** Minimum and maximum, in milliseconds. */
export type Interval = readonly [number, number];

/** How far a time may be from the run that wrote it, for example because of rounding to seconds. */
export const SLACK_MS = 2 * SECOND;
/** A number farther from the current time than this is not a time. */
const MOST_DISTANCE_MS = 30 * 365 * DAY;
/** Random ids such as UUIDs: long, without spaces, and with digits. */
const DRAWN = /^(?=.*\d)[\w-]{10,}$/;

export const isDrawn = (value: Json): boolean => typeof value === "string" && DRAWN.test(value);

/**
 * Finds the places at which two consecutive calm runs contain the machine's time or generated ids.
 * @param before the state before the runs
 */
export function findOwnValues(first: SeenRun, again: SeenRun, before: Json): OwnValues[] {
  const all = [...pairsIn(first.state, again.state)];
  const [ones, others] = [new Set(all.map(({ one }) => one)), new Set(all.map(({ other }) => other))];
  const known = new Set([
    ...leavesIn(before),
    ...all.flatMap(({ one, other }) => (one === other ? [one] : [])),
  ]);
  const places = Map.groupBy(all, ({ place }) => JSON.stringify(place));
  return [...places.values()].flatMap((pairs): OwnValues[] => {
    const { place } = pairs[0]!;
    const differing = pairs.filter(({ one, other }) => one !== other);
    const times = pairs.map((pair) => ({ pair, distance: distanceOf(pair, first, again) }));
    const distances = merged(times.flatMap(({ distance }) => (distance ? [distance] : [])));
    // Rows from before the run have older times.
    if (distances.length > 0 && times.every(({ pair, distance }) => distance || !differing.includes(pair)))
      return [{ place, holds: "time", distances, known, forms: [] }];
    // A value that the other run has in a different place was not generated.
    const areDrawn = differing.every(
      ({ one, other }) => isDrawn(one) && isDrawn(other) && !others.has(one) && !ones.has(other),
    );
    if (differing.length === 0) return [];
    if (areDrawn) return [{ place, holds: "id", distances: [], known, forms: [] }];
    const forms = isInCall(place) ? differing.map(formOf) : [undefined];
    return forms.includes(undefined)
      ? []
      : [{ place, holds: "text", distances: [], known, forms: forms as Form[] }];
  });
}

/** Whether a place is in a call to a service, whose strings may contain ids and times. */
const isInCall = ([first]: readonly Segment[]): boolean => /^effects(?: outside)?$/.test(first?.text ?? "");

/** The words of a string, and the text between them. */
export const partsOf = (text: string): string[] => text.split(/([\w.:+-]+)/);

/** What two strings have in common; undefined if their structure differs. */
function formOf({ one, other }: Pair): Form | undefined {
  if (typeof one !== "string" || typeof other !== "string") return undefined;
  const [parts, others] = [partsOf(one), partsOf(other)];
  const form = parts.map((part, index) => (part === others[index] ? part : null));
  const isAlike = parts.length === others.length && form.some((part) => part !== null && /\w/.test(part));
  return isAlike ? form : undefined;
}

/** Merges the results of several pairs of runs, with one entry per place. */
export const joinOwnValues = (all: readonly OwnValues[]): OwnValues[] =>
  [...Map.groupBy(all, ({ place }) => JSON.stringify(place)).values()].map((same) => ({
    ...same.at(-1)!,
    distances: merged(same.flatMap(({ distances }) => distances)),
    known: new Set(same.flatMap(({ known }) => [...known])),
    forms: same.flatMap(({ forms }) => forms),
  }));

interface Pair {
  place: Segment[];
  one: Json;
  other: Json;
}

/**
 * The values at corresponding places of two states. List entries correspond in order, because the same requests wrote them.
 */
function* pairsIn(one: Json, other: Json, place: Segment[] = []): Generator<Pair> {
  const [left, right] = one === other && typeof one === "string" ? [] : [entriesOf(one), entriesOf(other)];
  if (Array.isArray(left) && Array.isArray(right)) {
    if (left.length !== right.length) return;
    for (const [index, entry] of left.entries()) yield* pairsIn(entry, right[index], [...place, ANY]);
  } else if (left && right && !Array.isArray(left) && !Array.isArray(right)) {
    for (const text of new Set([...Object.keys(left), ...Object.keys(right)]))
      yield* pairsIn(left[text], right[text], [...place, { text, quoted: true }]);
  } else if ((one ?? null) !== null || (other ?? null) !== null) yield { place, one, other };
}

/** The entries of an object or list, even one stored as JSON text; undefined for other values. */
export function entriesOf(value: Json): Record<string, Json> | Json[] | undefined {
  if (typeof value === "object" && value !== null) return value as Record<string, Json>;
  if (typeof value !== "string" || !/^\s*[[{]/.test(value)) return undefined;
  return unlessThrown(() => JSON.parse(value));
}

/**
 * How far two values that the same request wrote in two runs are from the moment of writing; undefined if they do not follow
 * the machine's time.
 */
function distanceOf({ one, other }: Pair, first: SeenRun, again: SeenRun): Interval | undefined {
  const others = instantsOf(other);
  for (const [index, earlier] of instantsOf(one).entries()) {
    const later = others[index] ?? Number.NaN;
    const least = Math.max(earlier - first.ended, later - again.ended);
    const most = Math.min(earlier - first.began, later - again.began);
    if (Number.isNaN(most) || least > most + SLACK_MS || Math.abs(most) > MOST_DISTANCE_MS) continue;
    const isNow = least <= SLACK_MS && most >= -SLACK_MS;
    // Rounded to seconds, two runs may have the same time. Any other time that does not change belongs to an event.
    if (one === other && !(isNow && isWhole(earlier))) continue;
    return isNow ? [0, 0] : [Math.min(least, most), Math.max(least, most)];
  }
  return undefined;
}

/** Merges distances that may be the same. */
function merged(distances: readonly Interval[]): Interval[] {
  const all: Interval[] = [];
  for (const [least, most] of distances) {
    const at = all.findIndex((one) => least <= one[1] + SECOND && most >= one[0] - SECOND);
    if (at < 0) all.push([least, most]);
    else all[at] = [Math.min(least, all[at]![0]), Math.max(most, all[at]![1])];
  }
  return all;
}

/**
 * Whether a state has times in whole seconds that may depend on when the run took place: a second run within that second
 * would have the same ones.
 * @param before the state before the run
 * @param bodies strings that contain the events' times
 */
export function hasWholeTimes({ state, ended }: SeenRun, before: Json, bodies: readonly string[]): boolean {
  const earlier = new Set(leavesIn(before));
  const isOfEvent = (at: number): boolean =>
    [at, at / SECOND, iso(at).slice(0, -"Z".length)].some((form) =>
      bodies.some((body) => body.includes(`${form}`)),
    );
  const isOpen = (at: number): boolean => {
    const distance = Math.abs(at - ended);
    return isWhole(at) && distance > SLACK_MS && distance < MOST_DISTANCE_MS && !isOfEvent(at);
  };
  return [...leavesIn(state)].some((value) => !earlier.has(value) && instantsOf(value).some(isOpen));
}

function* leavesIn(value: Json): Generator<Json> {
  const entries = entriesOf(value);
  if (entries === undefined) yield value;
  else for (const entry of Object.values(entries)) yield* leavesIn(entry);
}
