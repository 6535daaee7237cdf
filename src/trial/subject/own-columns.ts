import { wallNow } from "../../world/clock.ts";
import { SECOND } from "../../world/duration.ts";
import { pathText } from "./path.ts";
import { isObject, type Json, type OwnColumn } from "./state.ts";

/** How far a time in a row may be from the run that wrote it, for example when rounded to seconds. */
const SLACK_MS = 2 * SECOND;
/** Random ids such as UUIDs: long, without spaces, and with digits. */
const DRAWN = /^(?=.*\d)[\w-]{10,}$/;
/** Units of numeric times, in milliseconds. */
const UNITS_MS = [1, 1_000, 0.001];

/**
 * Finds the columns that hold the machine's time or random ids, using two calm runs. Rows are compared in the order in which the
 * same requests wrote them. A time counts even if both runs have the same, as it may be rounded to seconds.
 * @param began when the first of the runs began; `ended` when the second one had ended, milliseconds since the epoch
 */
export function findOwnColumns(first: Json, second: Json, began: number, ended: number): OwnColumn[] {
  const isNow = (value: Json) =>
    instantsOf(value).some((instant) => instant > began - SLACK_MS && instant < ended + SLACK_MS);
  if (!isObject(first) || !isObject(second)) return [];
  return Object.entries(first).flatMap(([table, one]) => {
    const other = second[table];
    if (!Array.isArray(one) || !Array.isArray(other) || one.length !== other.length) return [];
    const columns = Object.keys(one[0] ?? {});
    return columns.flatMap((column): OwnColumn[] => {
      const pairs = one
        .map((row, index): [Json, Json] => [row[column], other[index][column]])
        .filter(([left, right]) => left !== null || right !== null);
      const differing = pairs.filter(([left, right]) => left !== right);
      const path = pathText([table, "*", column]).replace('["*"]', ".*");
      const times = pairs.filter((pair) => pair.every(isNow));
      // Rows from before the run have older times.
      if (times.length > 0 && differing.every((pair) => times.includes(pair)))
        return [{ path, holds: "time" }];
      const isDrawn = (value: Json) => typeof value === "string" && DRAWN.test(value);
      if (differing.length > 0 && differing.every((pair) => pair.every(isDrawn)))
        return [{ path, holds: "id" }];
      return [];
    });
  });
}

/** A state without times since `began`, such as that of a row's last change. */
export function withoutMoments(state: Json, began: number): Json {
  if (Array.isArray(state)) return state.map((one) => withoutMoments(one, began));
  if (isObject(state))
    return Object.fromEntries(
      Object.entries(state).map(([name, value]) => [name, withoutMoments(value, began)]),
    );
  const ended = wallNow();
  return instantsOf(state).some((at) => at > began - SLACK_MS && at < ended + SLACK_MS) ? null : state;
}

/** The instants that a value may mean: a number in some unit, or a date with its time in UTC or the local time zone. */
function instantsOf(value: Json): number[] {
  if (typeof value === "number") return UNITS_MS.map((unit) => value * unit);
  if (typeof value !== "string" || !/^\d{4}-\d\d-\d\d[T ]\d\d:\d\d/.test(value)) return [];
  const text = value.replace(" ", "T");
  return [Date.parse(text), Date.parse(`${text}Z`)];
}
