import { inspect } from "node:util";

const LONGEST = 100;

/** Formats any value on one line for use in a sentence: `undefined`, `'x'`, `{ code: 1 }`. */
export function shownValue(value: unknown): string {
  const text = inspect(value, { depth: 1, breakLength: Number.POSITIVE_INFINITY, maxStringLength: LONGEST });
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}

/** The message of a thrown value, which may be something other than an error. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : shownValue(thrown);
}
