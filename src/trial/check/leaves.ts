import { type Path, valuesOf } from "../../webhooks/body-text.ts";
import type { SenderFacts } from "../../webhooks/sender-file.ts";

const MOST_KEYS = 50;

/** The path as sender files write it: `body.data.id`. Undefined if a name contains a dot. */
const placeOf = (path: Path): string | undefined =>
  path.some((name) => typeof name === "string" && name.includes("."))
    ? undefined
    : ["body", ...path].join(".");

const isWhole = ({ text, isString }: { text: string; isString: boolean }) =>
  !isString && /^-?\d+$/.test(text);

export const numericIds = (body: string): string[] =>
  valuesOf(body).flatMap((value) => {
    const place = placeOf(value.path);
    return place !== undefined && isWhole(value) && /[._]id$/.test(place) ? [place] : [];
  });

/** Whether a string may be an identifier: it contains a digit or an @, and is not a sentence, time or URL. */
const isIdentifying = (text: string): boolean =>
  /[\d@]/.test(text) && !/\s|:\/\/|^\d{4}-\d\d-\d\d/.test(text) && text.length <= 200;

/** Fields that may identify an event's object, in addition to those in the sender file; strings first. */
export function possibleKeys(
  body: string,
  { id, type, time, about }: SenderFacts,
  isFixed: (path: Path) => boolean = () => false,
): string[] {
  const named = new Set([id, type, time, ...about]);
  const values = valuesOf(body).flatMap((value) => {
    const place = placeOf(value.path);
    return place === undefined || named.has(place) || isFixed(value.path) ? [] : [{ ...value, place }];
  });
  const texts = values.filter(({ text, isString }) => isString && isIdentifying(text));
  const numbers = values.filter(isWhole);
  return [...texts, ...numbers].slice(0, MOST_KEYS).map(({ place }) => place);
}
