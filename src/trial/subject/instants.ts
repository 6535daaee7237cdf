import { SECOND } from "../../world/duration.ts";

/** Units of numeric times, in milliseconds. */
const UNITS_MS = [1, SECOND, 1e-3, 1e-6];
/** A number as a database returns it if it stores the value as text, or if JavaScript would round it. */
const NUMBER_TEXT = /^\d{10,19}(?:\.\d+)?$/;
const DATE_TEXT = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d/;

/**
 * The instants that a value may represent, in milliseconds: a number in some unit, or a date with a time in UTC or the local
 * time zone. Values of one format have the same number of instants in the same order; impossible ones are NaN.
 */
export function instantsOf(value: unknown): number[] {
  if (typeof value === "number") return UNITS_MS.map((unit) => value * unit);
  if (typeof value !== "string") return [];
  if (NUMBER_TEXT.test(value)) return instantsOf(Number(value));
  if (!DATE_TEXT.test(value)) return [];
  const text = value.replace(" ", "T");
  return [Date.parse(`${text}Z`), Date.parse(text)];
}

/** Whether an instant may have been rounded to seconds. */
export const isWhole = (instant: number): boolean => instant % SECOND === 0;
