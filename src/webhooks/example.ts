import { createHash } from "node:crypto";
import { isAt, isObject, parseBody, readJson, valuesOf } from "./body-text.ts";

/** The value at `body.a.b` or `header.Name`, taken from a batch's first event; undefined if absent. */
export function valueAt(place: string | undefined, headers: Readonly<Record<string, string>>, body: string) {
  if (place === undefined) return undefined;
  const [part, ...names] = place.split(".");
  if (part === "header") {
    const wanted = names.join(".").toLowerCase();
    return Object.entries(headers).find(([name]) => name.toLowerCase() === wanted)?.[1];
  }
  let value: unknown = parseBody(body);
  for (const name of names) {
    // JSON in a string, such as a form's payload.
    if (typeof value === "string") value = readJson(value);
    value = Object(value)[name === "*" ? 0 : name];
  }
  if (typeof value === "number" && !Number.isSafeInteger(value))
    return valuesOf(body).findLast(({ path }) => isAt(path, place))?.text;
  return typeof value === "string" || typeof value === "number" ? String(value) : undefined;
}

/** A field in a caller's data that the example has only in another place. */
export interface Misplaced {
  at: string;
  place: string;
}

/**
 * The first misplaced field: the example has it at an outer or an inner level. A field of the same name in an unrelated
 * place may mean something different.
 */
export function findMisplaced(
  example: unknown,
  data: unknown,
  path = "",
  whole = example,
): Misplaced | undefined {
  if (!isObject(example) || !isObject(data)) return undefined;
  for (const [name, value] of Object.entries(data)) {
    const at = path + name;
    const elsewhere = Object.hasOwn(example, name) ? undefined : placeOf(name, whole);
    const place = elsewhere !== undefined && isOnTheWay(elsewhere, at) ? elsewhere : undefined;
    const misplaced =
      place === undefined ? findMisplaced(example[name], value, `${at}.`, whole) : { at, place };
    if (misplaced) return misplaced;
  }
  return undefined;
}

/** Whether the object that contains one field also contains the other. */
function isOnTheWay(...fields: [string, string]): boolean {
  const [one, other] = fields.map((field) => field.slice(0, field.lastIndexOf(".") + 1)) as [string, string];
  return one.startsWith(other) || other.startsWith(one);
}

function placeOf(name: string, body: unknown): string | undefined {
  if (!isObject(body)) return undefined;
  if (Object.hasOwn(body, name)) return name;
  for (const [field, value] of Object.entries(body)) {
    const inside = placeOf(name, value);
    if (inside !== undefined) return `${field}.${inside}`;
  }
  return undefined;
}

/** The common prefix of a kind's ids: `cus_`, or `SM` before 32 hexadecimal digits, as Twilio writes them. */
const BEGINNING = /^(?:[A-Za-z]+[_-]|[A-Z]{2}(?=[\da-f]{32}$))/;
/** With fewer characters, ids would soon collide: examples are often as short as `ord_1`. */
const LEAST_SIGNS = 8;

/**
 * Generates an id shaped like an example: same prefix, same kinds of characters, and the same length if that is long
 * enough.
 * @param key makes the id unique
 * @param isString whether the id may start with a zero
 */
export function idLike(example: string, key: string, isString = true): string {
  const prefix = BEGINNING.exec(example)?.[0] ?? "";
  const isHex = /^[0-9a-f-]+$/.test(example) && /-/.test(example);
  let made = prefix;
  let bytes = Buffer.alloc(0);
  const form = example.slice(prefix.length);
  for (const [index, sign] of [...form.padEnd(LEAST_SIGNS, form.at(-1))].entries()) {
    const at = index % 32;
    if (at === 0) bytes = createHash("sha256").update(`${key}\n${index}`).digest();
    made += replaceSign(sign, bytes[at]!, isHex);
  }
  return isString ? made : made.replace(/^0/, "1");
}

function replaceSign(sign: string, random: number, isHex: boolean): string {
  if (isHex && /[0-9a-f]/.test(sign)) return (random % 16).toString(16);
  if (/\d/.test(sign)) return String(random % 10);
  if (/[a-z]/.test(sign)) return String.fromCharCode(97 + (random % 26));
  return /[A-Z]/.test(sign) ? String.fromCharCode(65 + (random % 26)) : sign;
}
