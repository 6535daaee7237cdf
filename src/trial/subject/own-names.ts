import { formatDuration } from "../../timeline/duration.ts";
import { wallNow } from "../../world/clock.ts";
import { DAY, HOUR, MINUTE, SECOND } from "../../world/duration.ts";
import { instantsOf } from "./instants.ts";
import { entriesOf, type Interval, isDrawn, type OwnValues, partsOf, SLACK_MS } from "./own-values.ts";
import { ANY, type Segment } from "./path.ts";

type Json = unknown;

const A_TIME = "a time of the run";
const AN_ID = "a generated id";
/** Units in which programs express validity periods. */
const ROUND_MS = [DAY, HOUR, MINUTE, 10 * SECOND, SECOND];

/**
 * The placeholder for a time, based on its distance from the moment when it was written: `1 d after a time of the run`.
 */
function timeText([least, most]: Interval): string {
  if (least === 0 && most === 0) return A_TIME;
  const unit = ROUND_MS.find((one) => Math.floor((most + SECOND) / one) * one >= least - SECOND) ?? 1;
  const roundest = Math.round((least + most) / 2 / unit) * unit;
  return `${formatDuration(Math.abs(roundest))} ${roundest > 0 ? "after" : "before"} ${A_TIME}`;
}

/** Whether a value is a placeholder for a time or a generated id. */
export const isOwnName = (value: Json): value is string =>
  typeof value === "string" && (value === AN_ID || value === A_TIME || value.endsWith(` ${A_TIME}`));

interface Branch {
  entries: Map<string, Branch>;
  own?: OwnValues;
}

const branchKey = ({ text, quoted }: Segment): string => (quoted ? `.${text}` : text);

/**
 * Returns a function that replaces values that vary between runs with constant placeholders: a time of the run, or a
 * generated id. Other values in the same places, such as null and times from before the runs, stay unchanged.
 * @param since when the first run began
 */
export function createNaming(
  all: readonly OwnValues[],
  since: number,
): (state: Json, readAt: number) => Json {
  const root: Branch = { entries: new Map() };
  for (const own of all) {
    let branch = root;
    for (const key of own.place.map(branchKey)) {
      const next = branch.entries.get(key) ?? { entries: new Map() };
      branch.entries.set(key, next);
      branch = next;
    }
    branch.own = own;
  }
  return (state, readAt) => namedIn(state, root, since, readAt);
}

function namedIn(value: Json, { entries, own }: Branch, since: number, now: number): Json {
  const inner = entries.size > 0 ? entriesOf(value) : undefined;
  if (inner === undefined) return own ? nameOf(value, own, since, now) : value;
  const named = Array.isArray(inner)
    ? listNamedIn(inner, entries.get(branchKey(ANY)), since, now)
    : objectNamedIn(inner, entries, since, now);
  if (named === inner) return value;
  return typeof value === "string" ? JSON.stringify(named) : named;
}

function listNamedIn(list: Json[], branch: Branch | undefined, since: number, now: number): Json[] {
  if (!branch) return list;
  const named = list.map((entry) => namedIn(entry, branch, since, now));
  return named.some((entry, index) => entry !== list[index]) ? named : list;
}

function objectNamedIn(
  object: Record<string, Json>,
  entries: Branch["entries"],
  since: number,
  now: number,
): Record<string, Json> {
  let named = object;
  for (const [key, branch] of entries) {
    const name = key.slice(1);
    if (!Object.hasOwn(object, name)) continue;
    const entry = namedIn(object[name], branch, since, now);
    if (entry !== object[name]) named = { ...named, [name]: entry };
  }
  return named;
}

function nameOf(
  value: Json,
  { holds, distances, known, forms }: OwnValues,
  since: number,
  now: number,
): Json {
  if (holds === "text") return typeof value === "string" ? inForm(value, forms) : value;
  if (holds === "id") return isDrawn(value) && !known.has(value) ? AN_ID : value;
  /** How long ago the value was written, if this is its distance from the moment of writing. */
  const ageAt = ([least, most]: Interval): number => {
    const written = instantsOf(value).filter(
      (one) => one - least > since - SLACK_MS && one - most < now + SLACK_MS,
    );
    return Math.min(...written.map((one) => now - (one - (least + most) / 2)));
  };
  const [latest] = distances.toSorted((one, other) => ageAt(one) - ageAt(other));
  return latest && Number.isFinite(ageAt(latest)) ? timeText(latest) : value;
}

/** A string without the parts that vary between runs. */
function inForm(text: string, forms: OwnValues["forms"]): string {
  const parts = partsOf(text);
  const form = forms.find(
    (one) =>
      one.length === parts.length && one.every((part, index) => part === null || part === parts[index]),
  );
  return form ? form.map((part) => part ?? "…").join("") : text;
}

/**
 * A state in which all times since `began`, such as the time of a row's last change, are replaced with the same value.
 */
export function withoutMoments(state: Json, began: number): Json {
  if (Array.isArray(state)) return state.map((one) => withoutMoments(one, began));
  if (typeof state === "object" && state !== null)
    return Object.fromEntries(
      Object.entries(state).map(([name, value]) => [name, withoutMoments(value, began)]),
    );
  const ended = wallNow();
  return instantsOf(state).some((at) => at > began - SLACK_MS && at < ended + SLACK_MS) ? A_TIME : state;
}
