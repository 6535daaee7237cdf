import { posix } from "node:path";
import type { Source } from "./sources.ts";
import { literally } from "./text.ts";

/** A file that uses another file, and the names under which it imports that file's exports. */

export interface Importer {
  source: Source;
  /** The names under which the file imports the other file's exports. */
  names: string[];
}

const SCRIPT =
  /(?:import|export)\s+(?:type\s+)?([\w$*{},\s]+?)\s+from\s+["']([^"'\n]+)["']|(?:const|let|var)\s+([\w$]+|\{[^}=]*\})\s*=\s*(?:await\s+)?(?:require|import)\(\s*["']([^"'\n]+)["']\s*\)(?:\.(\w+))?|(?:require|import)\(\s*["']([^"'\n]+)["']\s*\)|export\s+\*\s+from\s+["']([^"'\n]+)["']/g;
const PYTHON =
  /^[ \t]*from\s+([.\w]+)\s+import\s+(\([^)]*\)|[^\n]+)|^[ \t]*import\s+([.\w]+)(?:\s+as\s+(\w+))?|include\(\s*\(?\s*["']([\w.]+)["']/gm;

/** Languages with explicit file imports. */
const IMPORTS = /\.(?:py|[cm]?[jt]sx?)$/;
const ending = /\.\w+$/;
const moduleOf = (path: string): string => path.replace(ending, "").replace(/\/(?:index|__init__)$/, "");

/** Whether the import `spec`, as written in a file, refers to the module at a path. */
function isModule(spec: string, from: string, path: string): boolean {
  const own = moduleOf(path);
  const plain = spec.replace(/\.[cm]?[jt]sx?$/, "").replace(/\/index$/, "");
  if (plain.startsWith(".")) return posix.join(posix.dirname(from), plain) === own;
  // An alias such as @/lib/stripe, ~/lib/stripe, #lib/stripe, $lib/stripe or src/lib/stripe.
  const rest = plain.replace(/^(?:[@~#$]\w*\/|[#~])/, "");
  if (!rest.includes("/") && plain === rest) return own === rest;
  // A workspace package is imported without the src folder in the path.
  return [own, own.replace(/\/src(?=\/|$)/, "")].some((one) => one === rest || one.endsWith(`/${rest}`));
}

function isPythonModule(spec: string, from: string, path: string): boolean {
  const own = moduleOf(path);
  const dots = /^\.*/.exec(spec)![0].length;
  const rest = spec.slice(dots).replaceAll(".", "/");
  if (dots > 0) return posix.join(posix.dirname(from), "../".repeat(dots - 1), rest) === own;
  return own === rest || own.endsWith(`/${rest}`);
}

/** Local names paired with the original ones, from text such as `stripe, { verify as check }`. */
export const localNames = (text: string): [local: string, original: string][] =>
  [...text.matchAll(/([\w$*]+)(?:\s+as\s+|\s*:\s*)?([\w$]+)?/g)].flatMap(([, first, second]) =>
    first === "type" || first === "as" ? [] : [[second ?? first!, first!] as [string, string]],
  );

/**
 * The files that import a file.
 * @param wanted the relevant names in the file; files that import only other names are skipped
 */
export function importersOf(
  target: Source,
  sources: readonly Source[],
  wanted: readonly string[],
): Importer[] {
  const find = (path: string) => (/\.py$/.test(path) ? pythonImporters : scriptImporters);
  if (!IMPORTS.test(target.path)) return byName(target, sources, wanted);
  const direct = find(target.path)(target, sources, wanted);
  // If a file only re-exports this one, use the files that import it instead.
  const barrels = direct.filter(
    ({ source: { path, text } }) =>
      /(?:^|\/)(?:index\.[cm]?[jt]s|__init__\.py)$/.test(path) &&
      (/\.py$/.test(path) || /export\s+[*{]/.test(text)),
  );
  return [
    ...direct,
    ...barrels.flatMap(({ source, names }) =>
      find(source.path)(source, sources, names).filter((one) => one.source !== target),
    ),
  ];
}

const MOST_STEPS = 3;

/**
 * Returns the given files and the files they import or, in languages where names are visible without imports, all files
 * in that language.
 */
export function withImported(files: readonly Source[], sources: readonly Source[]): Source[] {
  const found = new Set(files);
  let last = [...found];
  for (let step = 0; step < MOST_STEPS && last.length > 0; step += 1) {
    const isImported = (target: Source) =>
      last.some((source) =>
        /\.py$/.test(source.path)
          ? importsIn(source, PYTHON).some(
              ([, from, list, whole]) =>
                isPythonModule(whole ?? from ?? "", source.path, target.path) ||
                (from !== undefined &&
                  localNames(list!).some(([, name]) =>
                    isPythonModule(
                      `${from}${from.endsWith(".") ? "" : "."}${name}`,
                      source.path,
                      target.path,
                    ),
                  )),
            )
          : importsIn(source, SCRIPT).some(([, , from, , required, , inline, all]) =>
              isModule(from ?? required ?? inline ?? all!, source.path, target.path),
            ),
      );
    const isNamed = (target: Source) =>
      last.some(({ path }) => !IMPORTS.test(path) && posix.extname(path) === posix.extname(target.path));
    last = sources.filter((one) => !found.has(one) && (isNamed(one) || isImported(one)));
    for (const one of last) found.add(one);
  }
  return [...found];
}

/** In Go, PHP and Ruby, names are visible without an import, or by importing a package. */
const byName = (target: Source, sources: readonly Source[], wanted: readonly string[]): Importer[] => {
  const names = wanted.filter((name) => /^[A-Z]/.test(name) || name.length > 5);
  const isGo = target.path.endsWith(".go");
  const folder = posix.dirname(target.path);
  return sources.flatMap((source) => {
    if (source === target || posix.extname(source.path) !== posix.extname(target.path)) return [];
    const isNear = posix.dirname(source.path) === folder;
    const used = isGo && !isNear ? names.filter((name) => /^[A-Z]/.test(name)) : isGo ? [...wanted] : names;
    return used.length > 0 ? [{ source, names: used }] : [];
  });
};

/** A file's imports are parsed once and then checked against every file that it may import. */
const importsOf = new WeakMap<Source, readonly RegExpExecArray[]>();
function importsIn(source: Source, pattern: RegExp): readonly RegExpExecArray[] {
  const found = importsOf.get(source) ?? [...source.text.matchAll(pattern)];
  importsOf.set(source, found);
  return found;
}

function scriptImporters(target: Source, sources: readonly Source[], wanted: readonly string[]): Importer[] {
  return sources.flatMap((source) => {
    if (source === target || !/\.[cm]?[jt]sx?$/.test(source.path)) return [];
    const names = new Set<string>();
    for (const match of importsIn(source, SCRIPT)) {
      const [, imported, from, bound, required, part, inline, all] = match;
      const spec = from ?? required ?? inline ?? all!;
      if (!isModule(spec, source.path, target.path)) continue;
      if (inline !== undefined) names.add(`require("${inline}")`);
      if (all !== undefined) for (const name of wanted) names.add(name);
      if (inline !== undefined) names.add(inline);
      for (const [local, original] of localNames(imported ?? bound ?? "")) {
        const isWhole =
          !(imported ?? bound)!.includes(`{`) ||
          !new RegExp(`\\{[^}]*\\b${literally(original)}\\b`).test((imported ?? bound)!);
        if (isWhole ? part === undefined || wanted.includes(part) : wanted.includes(original))
          names.add(local);
      }
    }
    names.delete("*");
    return names.size > 0 ? [{ source, names: [...names] }] : [];
  });
}

function pythonImporters(target: Source, sources: readonly Source[], wanted: readonly string[]): Importer[] {
  const own = moduleOf(target.path);
  return sources.flatMap((source) => {
    if (source === target || !source.path.endsWith(".py")) return [];
    const names = new Set<string>();
    for (const [, from, list, whole, as, included] of importsIn(source, PYTHON)) {
      if (included !== undefined && isPythonModule(included, source.path, target.path)) names.add(included);
      if (whole !== undefined && isPythonModule(whole, source.path, target.path))
        names.add(as ?? whole.split(".")[0]!);
      if (from === undefined) continue;
      for (const [local, original] of localNames(list!)) {
        const isPart =
          isPythonModule(from, source.path, target.path) && (original === "*" || wanted.includes(original));
        const isWhole = isPythonModule(
          `${from}${from.endsWith(".") ? "" : "."}${original}`,
          source.path,
          target.path,
        );
        if (original === "*" && isPart) for (const name of wanted) names.add(name);
        else if (isPart || isWhole) names.add(local);
      }
    }
    names.delete("*");
    return names.size > 0 && own !== "" ? [{ source, names: [...names] }] : [];
  });
}
