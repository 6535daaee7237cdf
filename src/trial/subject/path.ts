import { fitsWildcard } from "../../runtime/wildcard.ts";

/** A place in a state: field names and list positions. Empty for the whole state. */
export type Place = readonly (string | number)[];

/** A part of a path as a user writes it. Quoted parts have no special meaning. */
export interface Segment {
  text: string;
  quoted: boolean;
}

/** Any name or position. */
export const ANY: Segment = { text: "*", quoted: false };

export const isAny = ({ text, quoted }: Segment): boolean => text === "*" && !quoted;

/** `["a name"]`, `[0]` or `[*]`, `name`. */
const SEGMENT = /\[("(?:[^"\\]|\\.)*")\]|\[(\d+|\*)\]|\.?([^.[\]"]+)/y;

/** A path in the format of reports and options: `orders.order-7.items[0]`, `counts["checkout.completed"]`. */
export const pathText = (place: Place): string =>
  place
    .map((name, index) => {
      if (typeof name === "number") return `[${name}]`;
      if (name === "" || name === "$" || /[.[\]"*\p{C}]/u.test(name)) return `[${quotedName(name)}]`;
      return index === 0 ? name : `.${name}`;
    })
    .join("");

/** A name as a JSON string, with invisible characters escaped, because findings and parts must not contain any. */
const quotedName = (name: string): string =>
  JSON.stringify(name).replace(/\p{C}/gu, (one) =>
    one
      .split("")
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
      .join(""),
  );

/** A path with `*` for any name: `orders.*.status`. */
export const patternText = (segments: readonly Segment[]): string =>
  segments
    .map((one, index) => {
      const text = isAny(one) ? "*" : pathText([one.text]);
      return index === 0 || text.startsWith("[") ? text : `.${text}`;
    })
    .join("");

/** The parts of a path, with or without a leading `$.`; undefined if it is not a path. */
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

/** Whether a string is a path to a part of the state. */
export const isPath = (path: string): boolean => (readPath(path)?.length ?? 0) > 0;

/** The names and positions in the output of `pathText`. */
export const namesIn = (path: string): string[] => (readPath(path) ?? []).map(({ text }) => text);

/** Returns a function that tests whether a place matches one of the paths; `*` matches any name or position. */
export function createMatcher(paths: readonly string[]): (place: Place) => boolean {
  const patterns = paths.map((path) => readPath(path) ?? []);
  return (place) =>
    patterns.some(
      (pattern) => pattern.length === place.length && pattern.every((one, index) => fits(one, place[index]!)),
    );
}

const fits = ({ text, quoted }: Segment, name: string | number): boolean =>
  quoted ? text === name : fitsWildcard(text, String(name));
