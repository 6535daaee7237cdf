import { posix } from "node:path";
import type { Place, Source } from "./sources.ts";
import { closeOf, lineAt, openOf } from "./text.ts";

/** A route as declared in one place, without the prefixes that other places add to its path. */
export interface Leaf extends Place {
  path: string;
  /** The end of the declaring call, or of the block that follows it. */
  end: number;
  /** The variable it is declared on, such as `router`; undefined in a language without one. */
  on: string | undefined;
  /** Whether it accepts any method. A route declared with POST takes precedence over such a route. */
  isAny: boolean;
}

/** A literal path, or the name of a constant. */
const PATH = `(?:[rfbu]*(["'\`])((?:(?!\\3)[^\\n])*?)\\3|([A-Za-z_$][\\w$.]*))`;

/** `app.post("/path", …)`, and the same in Python's decorators, Go and PHP. */
const CALL = new RegExp(
  `(?:(\\$?\\b\\w+)|\\))\\s*(?:\\.|->|::)\\s*(post|all|any|use|on|put|route|api_route|match|handle|handlefunc|handlerfunc|method|methodfunc|add_route|add_post|add_url_rule|add_api_route|webhooks)\\s*(?:<[^>()]*>)?\\(\\s*(?:\\[[^\\]]*\\]\\s*,\\s*|"POST"\\s*,\\s*|'POST'\\s*,\\s*|http\\.MethodPost\\s*,\\s*)?\\[?\\s*${PATH}`,
  "gi",
);
/** `{ method: "POST", url: "/path" }`, as in Fastify and hapi, in either order. */
const OBJECT = /\{[^{}]*?\b(?:url|path)\s*:\s*["'`](\/[^"'`\n]*)["'`]/g;
/** `url.pathname === "/path"`, or a `case` in a switch. */
const COMPARED =
  /(?:\b(?:pathname|url|path|uri|REQUEST_URI['"]\])\s*[=!]={1,2}\s*["'`](\/[^"'`\n]*)["'`])|["'`](\/[^"'`\n]*)["'`]\s*={2,3}\s*[\w.$]*(?:pathname|url|path|uri)\b|\bcase\s+["'`](?:POST )?(\/[^"'`\n]*)["'`]/gi;
const DECORATED = /@(Post|All)\(\s*(?:["'`]([^"'`\n]*)["'`]|\[\s*["'`]([^"'`\n]*)["'`])?/g;
const ATTRIBUTE = /#\[(?:\w+\\)*Route\(\s*(?:path\s*:\s*)?(?:["']([^"'\n]*)["'])?/g;
const DJANGO = /(?<![.\w])(?:path|re_path|url|Route|Rule)\(\s*r?(["'])([^"'\n]*)\1\s*,/g;
const AIOHTTP = /(?<=\bweb\s*\.\s*)post\(\s*(["'])([^"'\n]*)\1\s*,/g;
const RAILS = /^[ \t]*(?:post|match|route :post,)[ (]+(?:["']([^"'\n]+)["']|:(\w+))/gm;
const RESOURCES = /^[ \t]*resources?[ (]+:(\w+)(.*)$/gm;
const ENGINE = /\bmount\s+[\w:]+\s*(?:=>|,\s*at:)\s*["']([^"']+)["']/g;

export type Constants = (name: string, source: Source) => string | undefined;

/** All routes that a file declares. @param constants looks up the value of a named constant */
export function leavesOf(source: Source, constants: Constants): Leaf[] {
  const ending = /\.(\w+)$/.exec(source.path)?.[1] ?? "";
  if (/^(?:rb|ru)$/.test(ending)) return rubyLeaves(source);
  const leaves = callLeaves(source, constants, ending === "py");
  if (ending === "py") return [...leaves, ...pythonLeaves(source)];
  if (ending === "php") return [...leaves, ...attributeLeaves(source), ...compared(source)];
  if (/^[cm]?[jt]sx?$/.test(ending))
    return [...leaves, ...objectLeaves(source), ...decorated(source), ...compared(source)];
  return ending === "go" ? [...leaves, ...compared(source)] : [];
}

function callLeaves(source: Source, constants: Constants, isPython: boolean): Leaf[] {
  const { text, bare } = source;
  return [...text.matchAll(CALL)].flatMap((match) => {
    const [all, name, method = "", quote, written, constant] = match;
    const value = quote ? templated(written!, source, constants) : constants(constant!, source);
    if (value === undefined) return [];
    const path = value.replace(/^POST /, "").replace(/^[a-z.-]+(?=\/)/i, "");
    const isBare = /^(?:webhooks|post|any|match)$/i.test(method) && /\.php$/.test(source.path);
    if (
      !(
        path.startsWith("/") ||
        isBare ||
        (isPython && path === "") ||
        (path === "" && /^post$/i.test(method))
      )
    )
      return [];
    const index = match.index + all.length - (constant ?? `${quote}${written}${quote}`).length;
    const open = text.indexOf("(", match.index + (name ?? ")").length);
    let end = closeOf(bare, open);
    // Chained calls such as `route("/x").post(handler)` belong to the same declaration.
    for (
      let more = /^\s*\.\s*\w+\(/.exec(bare.slice(end, end + 200));
      more && /^route$/i.test(method) && !isPython;
    )
      [end, more] = [closeOf(bare, end + more[0].length - 1), null];
    if (/^use$/i.test(method) && isOnlyMount(text.slice(index, end))) return [];
    const on = name ?? variableOf(bare, match.index + 1);
    return [{ source, index, path, end, on, isAny: !/post|webhooks/i.test(method) }];
  });
}

/** Whether `use("/x", router)` only mounts a router and has no handler of its own. */
const isOnlyMount = (rest: string): boolean =>
  /rout(?:er|es)|require\(/i.test(rest) && !/=>|function/.test(rest);

/** The variable that a chain such as `new Hono().get(…).post(…)` is assigned to. */
export function variableOf(bare: string, end: number): string | undefined {
  let at = end;
  for (;;) {
    at = bare.slice(0, at).trimEnd().length;
    if (bare[at - 1] === ")") at = openOf(bare, at);
    else {
      const word = /[\w$.>]+$/.exec(bare.slice(Math.max(0, at - 100), at))?.[0];
      if (word === undefined || /^(?:return|default|await)$/.test(word)) break;
      at -= word.length;
    }
  }
  return /(\w+)\s*(?::[^=;{}]*)?:?=\s*$/.exec(bare.slice(Math.max(0, at - 200), at))?.[1];
}

function templated(text: string, source: Source, constants: Constants): string | undefined {
  let isKnown = true;
  const path = text.replaceAll(/\$?\{([\w.]+)\}/g, (all, name: string) => {
    const value = constants(name, source);
    // In Python and PHP, braces in a route are parameters.
    if (value === undefined && all.startsWith("$")) isKnown = false;
    return value ?? all;
  });
  return isKnown ? path : undefined;
}

const plainLeaf = (source: Source, index: number, path: string, end: number, isAny = false): Leaf => ({
  ...{ source, index, path, end, isAny },
  on: undefined,
});

function objectLeaves(source: Source): Leaf[] {
  return [...source.text.matchAll(OBJECT)].flatMap((match) => {
    const end = closeOf(source.bare, match.index);
    if (!/\bmethod\s*:\s*\[?\s*["'`](?:POST|\*|.*POST)/i.test(source.text.slice(match.index, end))) return [];
    const on = /(\w+)\.route\(\s*$/.exec(source.bare.slice(0, match.index))?.[1];
    return [{ ...plainLeaf(source, match.index, match[1]!, end), on }];
  });
}

/** Paths that the code compares with the request's path. The block after the comparison handles the request. */
const compared = (source: Source): Leaf[] =>
  [...source.text.matchAll(COMPARED)].flatMap((match) => {
    const path = match[1] ?? match[2] ?? match[3]!;
    const isCase = match[3] !== undefined;
    const after = match.index + match[0].length;
    // After a negative comparison such as `if (url !== "/hook") return notFound()`, the code that follows handles the
    // path.
    if (/!=/.test(match[0])) return plainLeaf(source, match.index, path, source.text.length, true);
    const next = isCase ? source.text.indexOf("case ", after) : source.bare.indexOf("{", after);
    const end = isCase ? (next < 0 ? after + 2_000 : next) : next < 0 ? after : closeOf(source.bare, next);
    return [plainLeaf(source, match.index, path, end, true)];
  });

const decorated = (source: Source): Leaf[] =>
  [...source.text.matchAll(DECORATED)].map((match) =>
    plainLeaf(
      source,
      match.index,
      match[2] ?? match[3] ?? "",
      match.index + match[0].length,
      match[1] === "All",
    ),
  );

function attributeLeaves(source: Source): Leaf[] {
  return [...source.text.matchAll(ATTRIBUTE)].flatMap((match) => {
    const end = closeOf(source.bare, source.text.indexOf("[", match.index));
    const named = /\bpath\s*:\s*["']([^"']*)["']/.exec(source.text.slice(match.index, end))?.[1];
    // A route on a class is a prefix for its methods' routes.
    if (/^\s*(?:#\[[^\n]*\n\s*)*(?:(?:final|abstract|readonly)\s+)*class\b/.test(source.text.slice(end)))
      return [];
    return [plainLeaf(source, match.index, match[1] ?? named ?? "", end)];
  });
}

function pythonLeaves(source: Source): Leaf[] {
  const django = [...source.text.matchAll(DJANGO)].flatMap((match) => {
    const end = closeOf(source.bare, source.text.indexOf("(", match.index));
    const rest = source.text.slice(match.index + match[0].length, end);
    if (/^\s*include\(/.test(rest)) return [];
    return [
      {
        ...plainLeaf(source, match.index, match[2]!.replaceAll(/^\^|\$$/g, ""), end, true),
        on: "urlpatterns",
      },
    ];
  });
  const aiohttp = [...source.text.matchAll(AIOHTTP)].map((match) =>
    plainLeaf(source, match.index, match[2]!, closeOf(source.bare, source.text.indexOf("(", match.index))),
  );
  return [...django, ...aiohttp];
}

function rubyLeaves(source: Source): Leaf[] {
  const { text } = source;
  const lineEnd = (index: number) => index + lineAt(text, index).length;
  const calls = [...text.matchAll(RAILS)].map((match) => {
    const end = lineEnd(match.index + match[0].search(/\S/));
    const isBlock = /\bdo\b/.test(text.slice(match.index, end));
    const block = isBlock ? /\n[ \t]*end\b/.exec(text.slice(end)) : null;
    const path = match[1]?.split(" ")[0] ?? match[2]!;
    return plainLeaf(source, match.index, path, block ? end + block.index + block[0].length : end);
  });
  const resources = [...text.matchAll(RESOURCES)].flatMap((match) => {
    const [, name, rest = ""] = match;
    if (/only:/.test(rest) && !/\bcreate\b/.test(rest)) return [];
    const path = /\bpath:\s*["']([^"']+)["']/.exec(rest)?.[1] ?? name!;
    return [plainLeaf(source, match.index, path, lineEnd(match.index + match[0].search(/\S/)))];
  });
  const engines = [...text.matchAll(ENGINE)].map((match) =>
    plainLeaf(source, match.index, match[1]!, match.index + match[0].length),
  );
  return [...calls, ...resources, ...engines];
}

/** Joins parts into a path with a leading slash. A trailing slash stays only if the last part has one. */
export const joined = (...parts: string[]): string => posix.join("/", ...parts);

/** Joins parts into a path; empty if all parts are empty. */
export const join = (...parts: string[]): string =>
  parts.every((one) => one === "") ? "" : posix.join(...parts.map((one) => one || "/"));
