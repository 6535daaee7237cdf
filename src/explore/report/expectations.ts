import { SandboxError } from "../../errors/errors.ts";
import type { Finding } from "../exploration.ts";
import type { Difference, Json } from "../state.ts";
import { isName, literal, property } from "./literal.ts";

/** An id that a world draws: another world has others. */
const DRAWN = /\b[a-z]{2,8}_[0-9A-Za-z]{16}\b/;

const hasDrawn = (value: unknown): boolean => DRAWN.test(JSON.stringify(value) ?? "");

/**
 * What the state should be at the places at which it differed, and nothing else, as lines that expect it of `state`.
 * @param expected the state of the calm run
 * @throws SandboxError `invalid_state` for a finding without differences, and for differences in ids alone
 */
export function expectationLines({ run, differences }: Finding, expected: Json): string[] {
  if (differences.length === 0)
    throw new SandboxError(
      "invalid_state",
      "The finding cannot be saved as a scenario: it breaks the invariant, but the state is that of the calm run.",
      "The same command finds it again.",
    );
  const lines = differences.flatMap((difference) => {
    const path = segmentsOf(difference.path, [expected, run.state]);
    return path.some(hasDrawn) ? [] : expectationOf(difference, path);
  });
  const counts = differences.flatMap(({ path }) => sizeOf(segmentsOf(path, [expected, run.state]), expected));
  const found = [...new Set(lines.length > 0 ? lines : counts)];
  if (found.length > 0) return found;
  throw new SandboxError(
    "invalid_state",
    "The finding cannot be saved as a scenario: the states differ only in ids that the platform draws.",
    "Leave the ids out of the state, or put a name of your own beside them, such as the order's.",
  );
}

function expectationOf({ expected, actual }: Difference, path: readonly string[]): string[] {
  if (path.length === 0) return hasDrawn(expected) ? [] : [`expect(state).toEqual(${literal(expected)});`];
  if (expected === undefined) return [`expect(state).not.toHaveProperty(${property(path)});`];
  if (!hasDrawn(expected)) return [`expect(state).toHaveProperty(${property(path)}, ${literal(expected)});`];
  return actual === undefined ? [`expect(state).toHaveProperty(${property(path)});`] : [];
}

/** Of a place whose name is an id, the number of its neighbours is expected. */
function sizeOf(path: readonly string[], expected: Json): string[] {
  const place = path.findIndex(hasDrawn);
  if (place < 0) return [];
  const parent = path.slice(0, place);
  const { length } = Object.keys(valueAt(expected, parent) ?? {});
  const value = `state${parent.map((key) => (isName(key) ? `.${key}` : `[${literal(key)}]`)).join("")}`;
  return [`expect(Object.keys(${value} ?? {})).toHaveLength(${length});`];
}

const valueAt = (state: Json, path: readonly string[]): object | undefined =>
  path.reduce<Json>((value, key) => (value as Record<string, Json> | undefined)?.[key], state) as
    | object
    | undefined;

/** The names of fields in a path such as `orders.order-7.items[0]`. A name may have dots in it, so the states decide. */
export function segmentsOf(path: string, states: readonly Json[]): string[] {
  if (path === "") return [];
  const rest = path.replace(/^\./, "");
  for (const state of states) {
    if (Array.isArray(state)) {
      const index = /^\[(\d+)\]/.exec(rest);
      if (index) return [index[1]!, ...segmentsOf(rest.slice(index[0].length), below(states, index[1]!))];
    } else if (typeof state === "object" && state !== null) {
      const keys = Object.keys(state).sort((a, b) => b.length - a.length);
      const key = keys.find((name) => rest.startsWith(name) && /^(?:$|[.[])/.test(rest.slice(name.length)));
      if (key !== undefined) return [key, ...segmentsOf(rest.slice(key.length), below(states, key))];
    }
  }
  return [rest];
}

const below = (states: readonly Json[], key: string): Json[] =>
  states.map((state) =>
    typeof state === "object" && state !== null ? (state as Record<string, Json>)[key] : undefined,
  );
