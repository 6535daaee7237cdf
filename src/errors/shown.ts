import { inspect } from "node:util";

const LONGEST = 100;

/** Formats any value for a sentence, on one line: `undefined`, `'x'`, `{ code: 1 }`. */
export function shownValue(value: unknown): string {
  const text = inspect(value, { depth: 1, breakLength: Number.POSITIVE_INFINITY, maxStringLength: LONGEST });
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}

/** The message of a thrown value, which need not be an error. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : shownValue(thrown);
}
