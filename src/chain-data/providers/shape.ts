import { kindOf } from "../../http/violation-text.ts";
import { isObject } from "../../runtime/is-object.ts";

/**
 * Readers for provider responses. Each returns a value of the right type, or throws an error with the problem and its
 * path.
 */

/** A response that violates the provider's API. */
export class InvalidShape extends Error {
  constructor(path: string, expected: string, value: unknown) {
    super(`${path} must be ${expected}, not ${shownOf(value)}`);
    this.name = "InvalidShape";
  }
}

/** Describes a value: short strings and numbers literally, anything else by its kind. */
function shownOf(value: unknown): string {
  if (value === undefined) return "missing";
  return (typeof value === "string" && value.length <= 60) || typeof value === "number"
    ? JSON.stringify(value)
    : kindOf(value);
}

export type Reader<T> = (value: unknown, path: string) => T;

const reader =
  <T>(expected: string, fits: (value: unknown) => boolean): Reader<T> =>
  (value, path) => {
    if (fits(value)) return value as T;
    throw new InvalidShape(path, expected, value);
  };

const isText = (value: unknown): value is string => typeof value === "string";
const matches = (pattern: RegExp) => (value: unknown) => isText(value) && pattern.test(value);

export const text = reader<string>("a string", isText);
export const flag = reader<boolean>("true or false", (value) => typeof value === "boolean");
export const number = reader<number>("a finite number", Number.isFinite);
export const integer = reader<number>("a whole number", Number.isSafeInteger);
/** An amount of up to 256 bits, in decimal digits. */
export const digits = reader<string>("decimal digits", matches(/^\d{1,78}$/));
export const decimal = reader<string>(
  "a decimal number as a string",
  matches(/^\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i),
);
export const hexAddress = reader<string>("an address", matches(/^0x[0-9a-fA-F]{40}$/));
export const object = reader<Record<string, unknown>>("an object", isObject);

/** A count that some provider versions send as a string. */
export const count: Reader<number> = (value, path) =>
  isText(value) && /^\d{1,15}$/.test(value) ? Number(value) : integer(value, path);

export const orNull =
  <T>(read: Reader<T>): Reader<T | null> =>
  (value, path) =>
    value === null ? null : read(value, path);

export const listOf =
  <T>(read: Reader<T>): Reader<T[]> =>
  (value, path) => {
    if (!Array.isArray(value)) throw new InvalidShape(path, "a list", value);
    return value.map((item, index) => read(item, `${path}[${index}]`));
  };

/** A field that may be missing; reads as null. */
export const maybe =
  <T>(read: Reader<T>): Reader<T | null> =>
  (value, path) =>
    value === undefined || value === null ? null : read(value, path);

/**
 * An object with these fields; others are dropped.
 * @param others alternative field names, used if the main one is missing
 */
export const record =
  <Readers extends Record<string, Reader<unknown>>>(readers: Readers, others: Record<string, string> = {}) =>
  (value: unknown, path: string) => {
    const fields = object(value, path);
    const read = (name: string) => {
      const other = others[name] ?? name;
      const found = fields[name] === undefined && fields[other] !== undefined ? other : name;
      return readers[name]!(fields[found], path === "" ? found : `${path}.${found}`);
    };
    return Object.fromEntries(Object.keys(readers).map((name) => [name, read(name)])) as {
      [Name in keyof Readers]: ReturnType<Readers[Name]>;
    };
  };

/** Removes null fields. */
export function knownFields<T extends object>(fields: T): { [Name in keyof T]?: NonNullable<T[Name]> } {
  const filled = Object.entries(fields).filter(([, value]) => value !== null);
  return Object.fromEntries(filled) as { [Name in keyof T]?: NonNullable<T[Name]> };
}
