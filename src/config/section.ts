import { parseDuration } from "../world/duration.ts";
import type { Mistakes } from "./mistakes.ts";

/**
 * A length of time: `30s`, `10m`, `1h30m`, `2d`, `PT1H`, or milliseconds.
 * @example
 * const wait: Duration = "1h30m";
 */
export type Duration = string | number;

/** Reads one field: gives its value checked, or throws what was expected. */
export type Reader<T> = (value: unknown) => T;

export class Expected extends Error {}

/** What a reader throws with: completes "must be …". */
export const expect = (what: string): never => {
  throw new Expected(what);
};

export const text: Reader<string> = (value) =>
  typeof value === "string" && value !== "" ? value : expect("a text that is not empty");
export const flag: Reader<boolean> = (value) =>
  typeof value === "boolean" ? value : expect("true or false");
export const texts: Reader<string[]> = (value) =>
  Array.isArray(value) ? value.map(text) : expect("a list of texts");
export const oneOf =
  <T extends string>(...allowed: readonly T[]): Reader<T> =>
  (value) =>
    allowed.find((item) => item === value) ?? expect(`one of ${allowed.join(", ")}`);
export const integer =
  (least: number, most: number): Reader<number> =>
  (value) =>
    Number.isInteger(value) && (value as number) >= least && (value as number) <= most
      ? (value as number)
      : expect(`a whole number from ${least} to ${most}`);
export const duration: Reader<number> = (value) => {
  try {
    return parseDuration(value);
  } catch {
    return expect("a duration such as 30s, 10m or 1h30m");
  }
};
export const durations: Reader<number[]> = (value) =>
  Array.isArray(value) ? value.map(duration) : expect("a list of durations");
export const port = integer(0, 65_535);

/**
 * An object of the configuration; every field that is read is a field that is known. What does not fit is noted as a
 * mistake and read as if it did: with a mistake, nothing comes of what was read.
 */
export interface Section {
  /** The fields that are there. */
  readonly names: readonly string[];
  read<T, Default>(name: string, reader: Reader<T>, fallback: Default): T | Default;
  /** Reads a field that has to be there. */
  require<T>(name: string, reader: Reader<T>): T;
  /** An object with the field where it is there, else an empty one. */
  optional<Name extends string, T>(name: Name, reader: Reader<T>): { [Key in Name]?: T };
  section(name: string): Section;
  /** The objects of a list; undefined when it is left out. */
  sections(name: string): Section[] | undefined;
  /** Notes what a field, or with "" the object, must be. */
  refuse(name: string, expected: string, hint?: string): void;
  refuseUnknown(): void;
}

export function section(value: Record<string, unknown>, path: string, mistakes: Mistakes): Section {
  const known = new Set<string>();
  const refuse = (field: string, expected: string, got: unknown, hint?: string): void =>
    mistakes.add(field, `${field} must be ${expected}, not ${JSON.stringify(got) ?? String(got)}`, hint);

  function checked<T, Otherwise>(name: string, reader: Reader<T>, otherwise: Otherwise): T | Otherwise {
    try {
      return reader(value[name]);
    } catch (error) {
      if (!(error instanceof Expected)) throw error;
      refuse(path + name, error.message, value[name]);
      return otherwise;
    }
  }

  /** The section that a value is; an empty one for a value that is no object. */
  function inside(place: string, inner: unknown): Section {
    if (isObject(inner)) return section(inner, `${place}.`, mistakes);
    refuse(place, "an object", inner);
    return section({}, `${place}.`, mistakes);
  }

  return {
    names: Object.keys(value),
    read<T, Default>(name: string, reader: Reader<T>, fallback: Default): T | Default {
      known.add(name);
      return value[name] === undefined ? fallback : checked(name, reader, fallback);
    },
    require<T>(name: string, reader: Reader<T>): T {
      known.add(name);
      return checked(name, reader, value[name] as T);
    },
    optional<Name extends string, T>(name: Name, reader: Reader<T>): { [Key in Name]?: T } {
      known.add(name);
      return value[name] === undefined
        ? {}
        : ({ [name]: checked(name, reader, undefined) } as { [Key in Name]?: T });
    },
    section(name: string): Section {
      known.add(name);
      return inside(path + name, value[name] ?? {});
    },
    sections(name: string): Section[] | undefined {
      known.add(name);
      const list = value[name];
      if (list === undefined) return undefined;
      if (Array.isArray(list)) return list.map((item, index) => inside(`${path}${name}[${index}]`, item));
      refuse(path + name, "a list of objects", list);
      return [];
    },
    refuse: (name: string, expected: string, hint?: string): void =>
      refuse((path + name).replace(/\.$/, ""), expected, name === "" ? value : value[name], hint),
    refuseUnknown(): void {
      for (const name of Object.keys(value))
        if (!known.has(name))
          mistakes.add(
            path + name,
            `there is no field ${path}${name}`,
            `Known here: ${[...known].join(", ")}.`,
          );
    },
  };
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
