import { SandboxError } from "../errors.ts";
import { parseDuration } from "../world/duration.ts";

/** A length of time: `30s`, `10m`, `1h30m`, `2d`, `PT1H`, or milliseconds. */
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

/** An object of the configuration; every field that is read is a field that is known. */
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
  /** Says of a field, or with "" of the object, what it must be. */
  refuse(name: string, expected: string): never;
  refuseUnknown(): void;
}

export function section(value: Record<string, unknown>, path: string, source: string): Section {
  const known = new Set<string>();
  const fail = (field: string, expected: string, got: unknown): never => {
    throw new SandboxError(
      "invalid_config",
      `${source}: ${field} must be ${expected}, not ${JSON.stringify(got) ?? String(got)}.`,
      "Correct the field or remove it to use the default.",
    );
  };
  function checked<T>(name: string, reader: Reader<T>): T {
    try {
      return reader(value[name]);
    } catch (error) {
      if (error instanceof Expected) return fail(path + name, error.message, value[name]);
      throw error;
    }
  }

  return {
    names: Object.keys(value),
    read<T, Default>(name: string, reader: Reader<T>, fallback: Default): T | Default {
      known.add(name);
      return value[name] === undefined ? fallback : checked(name, reader);
    },
    require<T>(name: string, reader: Reader<T>): T {
      known.add(name);
      return checked(name, reader);
    },
    optional<Name extends string, T>(name: Name, reader: Reader<T>): { [Key in Name]?: T } {
      known.add(name);
      return (value[name] === undefined ? {} : { [name]: checked(name, reader) }) as { [Key in Name]?: T };
    },
    section(name: string): Section {
      known.add(name);
      const inner = value[name] ?? {};
      if (typeof inner !== "object" || Array.isArray(inner)) fail(path + name, "an object", inner);
      return section(inner as Record<string, unknown>, `${path}${name}.`, source);
    },
    sections(name: string): Section[] | undefined {
      known.add(name);
      const list = value[name];
      if (list === undefined) return undefined;
      if (!Array.isArray(list)) return fail(path + name, "a list of objects", list);
      return list.map((item, index) => {
        const place = `${path}${name}[${index}]`;
        if (item === null || typeof item !== "object" || Array.isArray(item)) fail(place, "an object", item);
        return section(item as Record<string, unknown>, `${place}.`, source);
      });
    },
    refuse: (name: string, expected: string): never =>
      fail((path + name).replace(/\.$/, ""), expected, name === "" ? value : value[name]),
    refuseUnknown(): void {
      const unknown = Object.keys(value).find((name) => !known.has(name));
      if (unknown === undefined) return;
      throw new SandboxError(
        "invalid_config",
        `${source}: there is no field ${path}${unknown}.`,
        `Known here: ${[...known].join(", ")}.`,
      );
    },
  };
}
