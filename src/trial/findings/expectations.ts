import { SandboxError } from "../../errors/errors.ts";
import type { Exploration } from "../schedules/exploration.ts";
import { createMatcher, namesIn } from "../subject/path.ts";
import type { Difference, Json } from "../subject/state.ts";
import { isName, literal, property } from "./literal.ts";

/** An id that a world draws: another world has others. */
const DRAWN = /\b[a-z]{2,8}_[0-9A-Za-z]{16}\b/;

const hasDrawn = (value: unknown): boolean => DRAWN.test(JSON.stringify(value) ?? "");

/**
 * What the state should be at the places at which it differed, and nothing else, as lines that expect it of `state`.
 * @throws SandboxError `invalid_state` for a finding without differences, and for differences in ids alone
 */
export function expectationLines({ finding, calm, ordered }: Exploration): string[] {
  const { run, differences } = finding!;
  const expected = calm.state;
  const isOrdered = createMatcher(ordered);
  if (differences.length === 0)
    throw new SandboxError(
      "invalid_state",
      `The finding cannot be saved as a scenario: ${run.refused.length > 0 ? "an event is refused for ever" : "it breaks the invariant"}, but the state is that of the calm run.`,
      "The same command finds it again.",
    );
  const found = differences.map((difference) => {
    const path = namesIn(difference.path);
    // An id is another one in another world, and an entry of a list may be anywhere in it.
    const loose = path.findIndex((name, depth) => {
      const list = path.slice(0, depth);
      return hasDrawn(name) || (Array.isArray(valueAt(expected, list)) && !isOrdered(list));
    });
    if (loose < 0) return { line: expectationOf(difference, path), byName: true };
    return { line: expectationOfAll(path.slice(0, loose), path.slice(loose + 1), [expected, run.state]) };
  });
  // What has a name says it best.
  const lines = found.filter(({ byName }) => byName).flatMap(({ line }) => line);
  const rest = found.flatMap(({ line }) => line);
  if (rest.length > 0) return [...new Set(lines.length > 0 ? lines : rest)];
  throw new SandboxError(
    "invalid_state",
    "The finding cannot be saved as a scenario: the states differ only below ids that the platform draws, or in such ids.",
    "Leave the ids out of the state, or put a name of your own beside them, such as the order's.",
  );
}

function expectationOf({ expected, actual }: Difference, path: readonly string[]): string[] {
  if (path.length === 0) return hasDrawn(expected) ? [] : [`expect(state).toEqual(${literal(expected)});`];
  if (expected === undefined) return [`expect(state).not.toHaveProperty(${property(path)});`];
  if (!hasDrawn(expected)) return [`expect(state).toHaveProperty(${property(path)}, ${literal(expected)});`];
  return actual === undefined ? [`expect(state).toHaveProperty(${property(path)});`] : [];
}

/**
 * Of places below ids and positions: the number of entries is expected, or what all entries have
 * at the place. Empty if neither differs.
 * @param below the place in an entry
 */
function expectationOfAll(
  parent: readonly string[],
  below: readonly string[],
  [expected, actual]: readonly [Json, Json],
): string[] {
  const entriesOf = (state: Json): Json[] => Object.values(valueAt(state, parent) ?? {});
  const [right, wrong] = [entriesOf(expected), entriesOf(actual)];
  const place = `state${parent.map((key) => (isName(key) ? `.${key}` : `[${literal(key)}]`)).join("")} ?? {}`;
  if (right.length !== wrong.length) return [`expect(Object.keys(${place})).toHaveLength(${right.length});`];
  const valuesOf = (all: readonly Json[]) => all.map((entry) => valueAt(entry, below) ?? null).sort();
  const values = valuesOf(right);
  const isPlain = (value: Json) => typeof value !== "object" || value === null;
  if (!values.every(isPlain) || hasDrawn(values) || below.some(hasDrawn)) return [];
  if (literal(values) === literal(valuesOf(wrong).map((value) => (isPlain(value) ? value : null)))) return [];
  const names = below.map((key) => (isName(key) ? `?.${key}` : `?.[${literal(key)}]`)).join("");
  const each = below.length === 0 ? "" : `.map((entry: any) => entry${names} ?? null)`;
  return [`expect(Object.values(${place})${each}.sort()).toEqual(${literal(values)});`];
}

/** The value at a place; undefined where a state has none. */
// biome-ignore lint/suspicious/noExplicitAny: a state can be anything
export const valueAt = (state: Json, path: readonly string[]): any =>
  path.reduce<Json>((value, key) => (value as Record<string, Json> | null | undefined)?.[key], state);
