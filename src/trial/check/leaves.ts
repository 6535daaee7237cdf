import type { SenderFacts } from "../../webhooks/sender-file.ts";

/** A text or a number of a body. */
interface Leaf {
  /** As files name it: `body.data.id`. */
  place: string;
  value: string | number;
}

/** More than this many fields are not tried one by one. */
const MOST_KEYS = 50;

function leavesOf(value: unknown, place = "body"): Leaf[] {
  if (typeof value === "string" || typeof value === "number") return [{ place, value }];
  // A name with a dot cannot be part of a place.
  return Object.entries(Object(value)).flatMap(([name, inner]) =>
    name.includes(".") ? [] : leavesOf(inner, `${place}.${name}`),
  );
}

/** Where a body has ids that are numbers. */
export const numericIds = (body: unknown): string[] =>
  leavesOf(body).flatMap(({ place, value }) =>
    Number.isInteger(value) && /[._]id$/.test(place) ? [place] : [],
  );

/** Whether a text may identify something: it has a digit or is an address, and is no sentence, time or URL. */
const isIdentifying = (text: string): boolean =>
  /[\d@]/.test(text) && !/\s|:\/\/|^\d{4}-\d\d-\d\d/.test(text) && text.length <= 200;

/** Fields that may identify what an event is about, beside those that the file names; texts first. */
export function possibleKeys(body: unknown, { id, type, time, about }: SenderFacts): string[] {
  const named = new Set([id, type, time, ...about]);
  const leaves = leavesOf(body).filter(({ place }) => !named.has(place));
  const texts = leaves.filter(({ value }) => typeof value === "string" && isIdentifying(value));
  const numbers = leaves.filter(({ value }) => Number.isInteger(value));
  return [...texts, ...numbers].slice(0, MOST_KEYS).map(({ place }) => place);
}
