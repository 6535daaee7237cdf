import { kindOf } from "../../http/violation-text.ts";

/** Readers for the answers of providers: each gives a value of the right type, or says what is wrong and where. */

/** An answer that is not what the provider's API promises. */
export class InvalidShape extends Error {
  constructor(path: string, expected: string, value: unknown) {
    super(`${path} must be ${expected}, not ${shownOf(value)}`);
    this.name = "InvalidShape";
  }
}

/** A short text or a number as it is; of anything else, what kind it is. */
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

export const text = reader<string>("a text", isText);
export const flag = reader<boolean>("true or false", (value) => typeof value === "boolean");
export const number = reader<number>("a finite number", Number.isFinite);
export const integer = reader<number>("a whole number", Number.isSafeInteger);
/** An amount of up to 256 bits, in decimal digits. */
export const digits = reader<string>("decimal digits", matches(/^\d{1,78}$/));
export const decimal = reader<string>("a decimal number as text", matches(/^\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i));
export const hexAddress = reader<string>("an address", matches(/^0x[0-9a-fA-F]{40}$/));
export const object = reader<Record<string, unknown>>(
  "an object",
  (value) => value !== null && typeof value === "object" && !Array.isArray(value),
);

/** A count that some versions of a provider send as text. */
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

export interface Fields {
  /** A field that has to be there, under the first of `names` that is. */
  need<T>(read: Reader<T>, ...names: [string, ...string[]]): T;
  /** A field that may be absent. */
  maybe<T>(read: Reader<T>, name: string): T | undefined;
}

/** The fields of an object. */
export function fieldsOf(value: unknown, path: string): Fields {
  const fields = object(value, path);
  const at = (name: string) => (path === "" ? name : `${path}.${name}`);
  return {
    need(read, ...names) {
      const name = names.find((candidate) => fields[candidate] !== undefined) ?? names[0];
      if (fields[name] === undefined) throw new InvalidShape(at(name), "there", undefined);
      return read(fields[name], at(name));
    },
    maybe: (read, name) => (fields[name] === undefined ? undefined : read(fields[name], at(name))),
  };
}

/** The fields that are known: those that are null are left out. */
export function knownFields<T extends object>(fields: T): { [Name in keyof T]?: NonNullable<T[Name]> } {
  const filled = Object.entries(fields).filter(([, value]) => value !== null);
  return Object.fromEntries(filled) as { [Name in keyof T]?: NonNullable<T[Name]> };
}
