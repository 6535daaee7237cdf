import { SandboxError } from "../errors/errors.ts";
import { checkPatternLength, fitsWildcard } from "../runtime/wildcard.ts";

/** A JSON value. */
export type Json = unknown;

/** A place at which two states differ. Undefined is a place that a state does not have. */
export interface Difference {
  /** As in `orders.order-7.status` or `items[0]`; empty for the whole state. */
  path: string;
  expected: Json;
  actual: Json;
}

export const isObject = (value: Json): value is Record<string, Json> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const below = (path: string, key: string): string => (path === "" ? key : `${path}.${key}`);

/**
 * Where two states differ, in the order of their fields.
 * @param ignore paths that do not count; `*` stands for any field or position
 */
export function differences(expected: Json, actual: Json, ignore: readonly string[] = []): Difference[] {
  const patterns = ignore.map(pathPattern);
  const found: Difference[] = [];
  const walk = (one: Json, other: Json, path: string): void => {
    if (patterns.some((pattern) => pattern.test(path))) return;
    if (isObject(one) && isObject(other)) {
      for (const key of new Set([...Object.keys(one), ...Object.keys(other)]))
        walk(one[key], other[key], below(path, key));
    } else if (Array.isArray(one) && Array.isArray(other)) {
      for (let index = 0; index < Math.max(one.length, other.length); index += 1)
        walk(one[index], other[index], `${path}[${index}]`);
    } else if (!Object.is(one, other)) found.push({ path, expected: one, actual: other });
  };
  walk(expected, actual, "");
  return found;
}

/**
 * Checks paths that do not count.
 * @param option what the paths are called where they come from
 * @throws SandboxError `bad_request`
 */
export function checkIgnore(ignore: unknown, option: string): void {
  const paths: unknown[] = Array.isArray(ignore) ? ignore : [ignore];
  const wrong = paths.find((path) => typeof path !== "string" || path.replace(/^\$\.?/, "") === "");
  if (Array.isArray(ignore) && wrong === undefined) {
    for (const path of ignore as string[]) checkPatternLength(`A path of ${option}`, path);
    return;
  }
  throw new SandboxError(
    "bad_request",
    Array.isArray(ignore)
      ? `${option} must name places of the state, not ${JSON.stringify(wrong) ?? String(wrong)}.`
      : `${option} must be a list of places of the state, not ${JSON.stringify(ignore) ?? String(ignore)}.`,
    "For example orders.*.updated_at; * stands for any name or position.",
  );
}

/** Those of the paths at which a state has nothing. */
export function withoutPlace(ignore: readonly string[], state: Json): string[] {
  const left = new Map(ignore.map((one) => [one, pathPattern(one)]));
  const walk = (one: Json, path: string): void => {
    for (const [name, pattern] of left) if (pattern.test(path)) left.delete(name);
    if (Array.isArray(one)) for (const [index, child] of one.entries()) walk(child, `${path}[${index}]`);
    else if (isObject(one)) for (const [key, child] of Object.entries(one)) walk(child, below(path, key));
  };
  walk(state, "");
  return [...left.keys()];
}

/**
 * Counts the fields of a state that have a value of their own.
 * @param ignore paths that do not count; `*` stands for any field or position
 */
export function countFields(state: Json, ignore: readonly string[] = []): number {
  const patterns = ignore.map(pathPattern);
  const walk = (one: Json, path: string): number => {
    if (patterns.some((pattern) => pattern.test(path))) return 0;
    const children = Array.isArray(one)
      ? one.map((child, index) => walk(child, `${path}[${index}]`))
      : isObject(one)
        ? Object.entries(one).map(([key, child]) => walk(child, below(path, key)))
        : [1];
    return children.reduce((sum, fields) => sum + fields, 0);
  };
  return walk(state, "");
}

/** `orders.*.seen_at` as what fits whole paths; `$.` at its start may be left out or written. */
function pathPattern(path: string): { test: (path: string) => boolean } {
  const pattern = path.replace(/^\$\.?/, "");
  return { test: (one) => fitsWildcard(pattern, one, (character) => !".[]".includes(character)) };
}
