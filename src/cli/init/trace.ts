import { importersOf } from "./imports.ts";
import type { Leaf } from "./leaves.ts";
import type { Place, Source } from "./sources.ts";
import { blocksAround, nameOf, word } from "./text.ts";

/** Follows the calls from the line that verifies a signature back to the route. */

export interface Traced {
  /** A declared route, or one implied by the path of a file. */
  route: Leaf | { path: string; source: Source; index: number };
  /** The number of calls between the route and the verification. */
  distance: number;
}

export interface TraceOptions {
  sources: readonly Source[];
  leavesIn(source: Source): readonly Leaf[];
  /** The route implied by a file's path. */
  fileRoute(source: Source): string | undefined;
}

const MOST_CALLS = 6;
const MOST_PLACES = 80;
/** Names too common to look for in other files. */
const COMMON =
  /^(?:handler|handle|post|get|default|main|run|index|init|create|setup|start|app|server|self|this|module|exports|call|process|execute)$/i;

/** The routes that lead to a place, nearest first. */
export function traceRoutes(from: Place, { sources, leavesIn, fileRoute }: TraceOptions): Traced[] {
  const found: Traced[] = [];
  const seen = new Set<string>();
  let places: Place[] = [from];
  for (let distance = 0; distance < MOST_CALLS && found.length === 0 && places.length > 0; distance += 1) {
    const next: Place[] = [];
    for (const place of places.slice(0, MOST_PLACES)) {
      const leaf = leafAround(place, leavesIn(place.source));
      const path = leaf ? undefined : fileRoute(place.source);
      const route = leaf ?? (path === undefined ? undefined : { path, source: place.source, index: 0 });
      if (route) {
        if (!found.some((one) => one.route.source === route.source && one.route.index === route.index))
          found.push({ route, distance });
      } else next.push(...callersOf(place, sources, seen));
    }
    places = next;
  }
  return found;
}

/** The innermost route whose declaration contains a place, or that decorates the code around it. */
function leafAround({ source, index }: Place, leaves: readonly Leaf[]): Leaf | undefined {
  const blocks = blocksAround(source.text, source.bare, source.path, index);
  const inside = leaves.filter((leaf) => {
    if (leaf.index <= index && index < leaf.end) return true;
    return blocks.some(
      ({ start, header }) =>
        leaf.index >= start && leaf.index < start + header.length && isDecorator(source, leaf),
    );
  });
  return inside.sort((a, b) => b.index - a.index || Number(a.isAny) - Number(b.isAny))[0];
}

/** Whether a route is in a decorator, which applies to the code that follows. */
const isDecorator = ({ text }: Source, { index }: Leaf): boolean =>
  /^\s*(?:@|#\[)/.test(text.slice(text.lastIndexOf("\n", index) + 1)) ||
  /@\w[\w.]*\([^)]*$/.test(text.slice(Math.max(0, index - 200), index));

function callersOf({ source, index }: Place, sources: readonly Source[], seen: Set<string>): Place[] {
  const blocks = blocksAround(source.text, source.bare, source.path, index);
  const names = blocks.flatMap((block) => nameOf(block) ?? []);
  const inner = names.find((name) => !/^_/.test(name) || names.length === 1);
  if (/_controller\.rb$/.test(source.path)) names.push(...railsNames(source, names));
  const isTyped = /\.(?:[cm]?[jt]sx?|py)$/.test(source.path);
  // A script's default export and a variable whose methods are called have different names in other files.
  const wanted = [...new Set([...names, "default", ...exportedNames(source, index)])];
  const places: Place[] = [];
  const add = (at: Source, name: string, isLoose: boolean) => {
    const key = `${at.path} ${name}`;
    if (seen.has(key) || (isLoose && COMMON.test(name))) return;
    seen.add(key);
    if (!at.text.includes(name)) return;
    const pattern = new RegExp(`(?<!#)${word(name)}`, "g");
    for (const match of at.text.matchAll(pattern)) {
      const line = at.text.slice(at.text.lastIndexOf("\n", match.index) + 1, match.index);
      // Exclude the name's own definition, its imports and the place itself.
      if (
        /(?:\b(?:function|def|func|class|interface|type|import|from|use|export|const|let|var)\s+(?:\([^)]*\)\s*)?[\w\\{},\s]*)$/.test(
          line,
        )
      )
        continue;
      places.push({ source: at, index: match.index });
    }
  };
  for (const name of new Set(names)) add(source, name, false);
  // Without imports, look for each name in all files, but only once.
  const unseen = isTyped ? wanted : wanted.filter((name) => !seen.has(name));
  if (!isTyped) for (const name of unseen) seen.add(name);
  const importers = importersOf(source, sources, unseen);
  for (const { source: other, names: local } of importers) {
    for (const name of local) add(other, name, !isTyped && name !== inner);
    // A class may be injected under another name, but its methods keep their names.
    if (isTyped) for (const name of names) if (!COMMON.test(name)) add(other, name, true);
  }
  return places;
}

/**
 * For the method `stripe` in `app/controllers/webhooks_controller.rb`: `webhooks#stripe`, with each possible namespace.
 */
function railsNames({ path }: Source, names: readonly string[]): string[] {
  const [, folder = ""] = /controllers\/(.+)_controller\.rb$/.exec(path) ?? [];
  const parts = folder.split("/");
  const ends = parts.map((_, at) => parts.slice(at).join("/"));
  const own = names.filter((name) => /^[a-z_]/.test(name));
  return [
    ...ends.flatMap((one) => [...own.map((name) => `${one}#${name}`), `${one}#create`]),
    `:${parts.at(-1)!}`,
    `:${parts.at(-1)!.replace(/s$/, "")}`,
  ];
}

/** The names that a file exports, if the place is not inside a function. */
const exportedNames = ({ text }: Source, index: number): string[] => {
  const isOutside = !/\bfunction\b|=>|\bdef\b|\bfunc\b/.test(text.slice(0, index));
  return isOutside
    ? [...text.matchAll(/\bexport\s+(?:const|let|function|async function|class)\s+(\w+)/g)].map(
        ([, name]) => name!,
      )
    : [];
};
