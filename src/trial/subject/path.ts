import { fitsWildcard } from "../../runtime/wildcard.ts";

/** A place in a state: names of fields, and positions in lists. Empty for the whole state. */
export type Place = readonly (string | number)[];

/** A part of a path as a person writes it. One in quotes stands for nothing but itself. */
export interface Segment {
  text: string;
  quoted: boolean;
}

/** `["a name"]`, `[0]` or `[*]`, `name`. */
const SEGMENT = /\[("(?:[^"\\]|\\.)*")\]|\[(\d+|\*)\]|\.?([^.[\]"]+)/y;

/** A place as reports name it, and as options take it: `orders.order-7.items[0]`, `counts["checkout.completed"]`. */
export const pathText = (place: Place): string =>
  place
    .map((name, index) => {
      if (typeof name === "number") return `[${name}]`;
      if (name === "" || name === "$" || /[.[\]"*]/.test(name)) return `[${JSON.stringify(name)}]`;
      return index === 0 ? name : `.${name}`;
    })
    .join("");

/** The parts of a path; `$.` at its start may be left out or written. Undefined for what is no path. */
export function readPath(path: string): Segment[] | undefined {
  const text = path.replace(/^\$(?=[.[]|$)\.?/, "");
  const segments: Segment[] = [];
  for (SEGMENT.lastIndex = 0; SEGMENT.lastIndex < text.length; ) {
    const [, quoted, position, name] = SEGMENT.exec(text) ?? [];
    const plain = position ?? name;
    try {
      if (quoted !== undefined) segments.push({ text: JSON.parse(quoted), quoted: true });
      else if (plain !== undefined) segments.push({ text: plain, quoted: false });
      else return undefined;
    } catch {
      return undefined;
    }
  }
  return segments;
}

/** Whether a text names a place below the whole state. */
export const isPath = (path: string): boolean => (readPath(path)?.length ?? 0) > 0;

/** The names and positions in a path from `pathText`. */
export const namesIn = (path: string): string[] => (readPath(path) ?? []).map(({ text }) => text);

/** Makes what says whether a place is at one of the paths; `*` in them stands for any name or position. */
export function createMatcher(paths: readonly string[]): (place: Place) => boolean {
  const patterns = paths.map((path) => readPath(path) ?? []);
  return (place) =>
    patterns.some(
      (pattern) => pattern.length === place.length && pattern.every((one, index) => fits(one, place[index]!)),
    );
}

const fits = ({ text, quoted }: Segment, name: string | number): boolean =>
  quoted ? text === name : fitsWildcard(text, String(name));
