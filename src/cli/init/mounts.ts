import { posix } from "node:path";
import { importersOf } from "./imports.ts";
import { includedAt, includesIn } from "./includes.ts";
import { type Constants, join, joined, type Leaf, variableOf } from "./leaves.ts";
import type { Source } from "./sources.ts";
import { blocksAround, closeOf, literally, mentions, nameOf } from "./text.ts";

/** Path prefixes that other places in the code add to a route. */

const TEXT = `[rf]*["'\`]([^"'\`\\n]*)["'\`]`;
const VALUE = `(?:${TEXT}|([A-Za-z_$][\\w$.]*))`;
/** `app.use("/prefix", router)`. */
const MOUNT = new RegExp(
  `(?:(\\$?\\b\\w+)|\\))\\s*(?:\\.|->)\\s*(?:use|route|mount|register|handle|routes)\\(\\s*${VALUE}\\s*,`,
  "gi",
);
/** `include_router(router, prefix="/prefix")`, `register(routes, { prefix: "/prefix" })`. */
const WITH_OPTION =
  /(?:(\$?\b\w+)|\))\s*\.\s*(?:register|include_router|register_blueprint|include|use|add_router|mount)\(/g;
/** `register(routes)`, which adds no prefix. */
const OPTION = new RegExp(`\\b(?:url_)?prefix\\s*[:=]\\s*${VALUE}`);
/** A loop in Python over names: `for module in (members, webhooks):`, up to a line in it. */
const LOOP = /(?:^|\n)([ \t]*)for (\w+) in [([]([\w\s,.]+)[)\]]:[ \t]*(?:\n\1[ \t]+.*)*$/;
const MOST_LOOP = 1_000;
const GROUP = "(?:Group|group|PathPrefix|Party|basePath)";

/** Calls around a route whose first argument is a prefix: `r.Route("/api", func…)`, `namespace :api do`. */
const AROUND = [
  /(?:\.|->|::)(?:use|route|group|mount|prefix|scope|path)\(\s*["'`](\/?[^"'`\n]*)["'`]\s*(?:,|\)\s*(?:->[\w]+\([^;]*)?->group\()[\s\S]*$/i,
  /['"]prefix['"]\s*=>\s*['"]([^'"\n]*)['"][\s\S]*$/,
  /^\s*namespace\b.*\bpath:\s*["']([^"']*)["']/,
  /^\s*namespace[ (]+(?::|["'])([\w/-]+)/,
  /^\s*scope[ (]+(?:path:\s*)?["']([^"'\n]*)["']/,
  /^\s*scope[ (]+:(\w+)/,
  /^\s*scope\b.*\bpath:\s*["']([^"'\n]*)["']/,
  /^\s*resources?[ (]+:(\w+)/,
  /@Controller\(\s*(?:\{[^}]*path:\s*|\[\s*)?["'`]([^"'`\n]*)["'`]/,
  /#\[(?:\w+\\)*Route\(\s*(?:path\s*:\s*)?["']([^"'\n]*)["'][\s\S]*\bclass\b/,
];

/** The arguments of a call for each name over which the loop around it runs. @param rest the arguments as written */
function inLoop(text: string, index: number, rest: string): string[] {
  const [, , variable, names = ""] = LOOP.exec(text.slice(Math.max(0, index - MOST_LOOP), index)) ?? [];
  const [, first] = /^\s*(\w+)\b/.exec(rest) ?? [];
  if (variable === undefined || first !== variable) return [rest];
  return names.split(",").flatMap((name) => (name.trim() ? rest.replace(first, name.trim()) : []));
}

/**
 * Returns a function that finds the paths at which a route can be reached: one for each way in which the code mounts it.
 * @param constants looks up the value of a named constant
 */
export function createMounts(sources: readonly Source[], constants: Constants): (leaf: Leaf) => string[] {
  const nest = nestPrefix(sources, constants);

  /**
   * The prefixes of a router, given the variable that holds it and the place of its declaration, which may be inside
   * functions.
   */
  function climb(
    source: Source,
    name: string | undefined,
    index: number,
    seen: ReadonlySet<string>,
  ): string[] {
    const key = `${source.path} ${name}`;
    if (seen.has(key) || seen.size > 8) return [""];
    const visited = new Set([...seen, key]);
    const around = blocksAround(source.text, source.bare, source.path, index);
    const functions = around.flatMap((block) => nameOf(block) ?? []);
    const own = name === undefined ? "" : ownPrefix(source, name);
    const group = name === undefined ? undefined : groupOf(source, name, index);
    if (group) return climb(source, group.parent, group.index, visited).map((one) => join(one, group.prefix));
    const found: string[] = [];
    const identities = [...new Set([...(name ? [name] : []), ...functions])];
    for (const { source: other, names } of [
      { source, names: identities },
      ...importersOf(source, sources, identities),
    ]) {
      const isSame = other === source;
      for (const mount of mountsIn(other)) {
        if (isSame && index > mount.index && index < mount.end) continue;
        if (!names.some((one) => mentions(mount.rest, one))) continue;
        if (
          mount.on === name &&
          isSame &&
          name !== undefined &&
          !functions.some((one) => mentions(mount.rest, one))
        )
          continue;
        found.push(...climb(other, mount.on, mount.index, visited).map((one) => join(one, mount.prefix)));
      }
    }
    if (found.length === 0 && functions.length > 0) found.push(...passedTo(source, functions, visited));
    return (found.length === 0 ? [""] : [...new Set(found)]).map((one) => join(one, own));
  }

  /** The prefixes of routers that are passed to the function that declares the route: `registerRoutes(api)`. */
  function passedTo(source: Source, functions: readonly string[], seen: ReadonlySet<string>): string[] {
    const [inner] = functions;
    return [{ source, names: [inner!] }, ...importersOf(source, sources, functions)].flatMap(
      ({ source: other, names }) =>
        names.flatMap((name) =>
          [
            ...other.bare.matchAll(
              new RegExp(`(?<![\\w$]|func |def |function )${literally(name)}\\(\\s*(\\w+)`, "g"),
            ),
          ]
            .filter(({ index }) => !/func\s[^\n]*$/.test(other.bare.slice(Math.max(0, index - 60), index)))
            .flatMap(({ index, 1: passed }) =>
              groupOf(other, passed!, index) ? climb(other, passed, index, seen) : [],
            ),
        ),
    );
  }

  function groupOf({ text }: Source, name: string, before: number) {
    const escaped = literally(name);
    const pattern = new RegExp(
      `(?<![\\w$.])${escaped}\\s*:?=\\s*([\\w$.]+?)\\s*(?:\\.|->)${GROUP}\\(\\s*["'\`]([^"'\`\\n]*)["'\`]`,
      "g",
    );
    const match = [...text.matchAll(pattern)].findLast(({ index }) => index < before);
    return match && { parent: match[1]!, prefix: match[2]!, index: match.index };
  }

  /** `Blueprint("x", url_prefix="/x")`, `new Router({ prefix: "/x" })`, `new Hono().basePath("/x")`. */
  function ownPrefix(source: Source, name: string): string {
    const declared = new RegExp(`(?<![\\w$.])${literally(name)}\\s*(?::[^=\\n]+)?=\\s*[^;\\n]*?\\(`).exec(
      source.text,
    );
    if (declared) {
      const open = declared.index + declared[0].length - 1;
      const end = closeOf(source.bare, open);
      const written = source.text.slice(open, end);
      const option = OPTION.exec(written);
      if (option) return valueIn(option[1], option[2], source) ?? "";
      const based = /^\s*\.\s*(?:basePath|prefix)\(\s*["'`]([^"'`\n]*)/.exec(source.text.slice(end));
      if (based) return based[1]!;
    }
    return (
      new RegExp(`\\b${literally(name)}\\.prefix\\(\\s*["'\`]([^"'\`\\n]*)`).exec(source.text)?.[1] ?? ""
    );
  }

  const valueIn = (
    text: string | undefined,
    constant: string | undefined,
    source: Source,
  ): string | undefined =>
    text === undefined
      ? constants(constant!, source)
      : text.replaceAll(/\$?\{([\w.]+)\}/g, (all, name: string) => constants(name, source) ?? all);

  interface Mount {
    prefix: string;
    on: string | undefined;
    rest: string;
    index: number;
    end: number;
  }

  const mounts = new Map<Source, Mount[]>();
  function mountsIn(source: Source): Mount[] {
    const known = mounts.get(source);
    if (known) return known;
    const { text, bare } = source;
    const django = includesIn(source).map(({ prefix, index, end, rest }) => ({
      ...{ on: "urlpatterns", index, end, rest },
      prefix: join(includedAt(source, index), prefix),
    }));
    const plain = [...text.matchAll(MOUNT)].flatMap((match) => {
      const prefix = valueIn(match[2], match[3], source);
      const end = closeOf(bare, text.indexOf("(", match.index + (match[1] ?? "").length + 1));
      const rest = text.slice(match.index + match[0].length, end);
      const on = match[1] ?? variableOf(bare, match.index + 1);
      return prefix === undefined
        ? []
        : [{ prefix: prefix.replace(/\/\*$/, ""), on, rest, index: match.index, end }];
    });
    const options = [...text.matchAll(WITH_OPTION)].flatMap((match) => {
      const open = match.index + match[0].length - 1;
      const end = closeOf(bare, open);
      const rest = text.slice(open + 1, end - 1);
      // A prefix inside an inline plugin belongs to another router.
      const option = OPTION.exec(rest.slice(Math.max(0, rest.lastIndexOf("}", rest.length - 3))) || rest);
      const prefix = option ? valueIn(option[1], option[2], source) : "";
      const isText = /^\s*["'`]/.test(rest);
      if (prefix === undefined || isText) return [];
      const on = match[1] ?? variableOf(bare, match.index + 1);
      return inLoop(text, match.index, rest).map((one) => ({
        prefix,
        on,
        rest: one,
        index: match.index,
        end,
      }));
    });
    const all = [...django, ...plain, ...options];
    mounts.set(source, all);
    return all;
  }

  /** The prefixes of the calls and blocks around a route. */
  function around({ source, index }: Leaf): string {
    const blocks = blocksAround(source.text, source.bare, source.path, index);
    const isOfOption = (start: number, header: string) => {
      if (!/\bregister\($/.test(header.trimEnd()) && !/\bregister\(/.test(header)) return undefined;
      const open = start + header.lastIndexOf("register(") + "register".length;
      const rest = source.text.slice(open, closeOf(source.bare, open));
      return (
        OPTION.exec(rest.slice(rest.lastIndexOf("}", rest.length - 4)))?.[1] ??
        OPTION.exec(rest.slice(-80))?.[1]
      );
    };
    let isInCollection = false;
    const found: string[] = [];
    const texts = blocks.map(({ header, start }) => {
      const end = source.text.indexOf("\n", start + header.length - 1);
      return { header: source.text.slice(start, end < 0 ? undefined : end), start };
    });
    for (const [at, { header, start }] of texts.entries()) {
      if (/^\s*collection do/.test(header)) isInCollection = true;
      // A call may open two brackets on the same line. Count it only once.
      if (texts[at - 1]?.start === start) continue;
      const registered = isOfOption(start, header);
      const prefix =
        registered ?? AROUND.map((pattern) => pattern.exec(header)?.[1]).find((one) => one !== undefined);
      if (prefix === undefined) continue;
      const isResources = /^\s*resources[ (]/.test(header);
      found.unshift(
        isResources && !isInCollection && /^\s*member do/m.test(texts[at - 1]?.header ?? "")
          ? `${prefix}/1`
          : prefix,
      );
    }
    return found.length === 0 ? "" : posix.join(...found, "/");
  }

  return (leaf) => {
    const { source, index, on, path } = leaf;
    const inner = join(includedAt(source, index), around(leaf));
    const slash = path.endsWith("/") && path.length > 1 ? "/" : "";
    const framework = nest(leaf, join(inner, path)) ?? fileprefix(leaf, sources);
    return climb(source, on, index, new Set()).map((one) => {
      const whole = joined(framework, one, inner, path).replace(/(?<=.)\/$/, "");
      return whole === "/" ? whole : whole + slash;
    });
  };
}

/** Nest adds its global prefix to the routes of every controller, except for routes that are excluded explicitly. */
function nestPrefix(
  sources: readonly Source[],
  constants: Constants,
): (leaf: Leaf, path: string) => string | undefined {
  for (const source of sources) {
    const match = new RegExp(`setGlobalPrefix\\(\\s*${VALUE}`).exec(source.text);
    if (!match) continue;
    const prefix = match[1] ?? constants(match[2]!, source) ?? "";
    const end = closeOf(source.bare, source.text.indexOf("(", match.index));
    const excluded = [...source.text.slice(match.index, end).matchAll(/["'`]([^"'`\n]+)["'`]/g)]
      .slice(1)
      .map(([, one]) => joined(one!));
    const version = /enableVersioning\(/.test(source.text);
    return ({ source: own, index }, path) => {
      if (!/@(?:Post|All)\($/.test(own.text.slice(index, index + 6).replace(/\(.*/, "("))) return undefined;
      const versioned = version
        ? /@Controller\(\s*\{[^}]*version:\s*["'`](\w+)/.exec(own.text)?.[1]
        : undefined;
      return excluded.includes(joined(path)) ? "" : join(prefix, versioned ? `v${versioned}` : "");
    };
  }
  return () => undefined;
}

/**
 * Routes in Laravel's routes/api.php start with /api, and Symfony's configuration may set a prefix for all controllers.
 */
function fileprefix({ source, index }: Leaf, sources: readonly Source[]): string {
  if (/(?:^|\/)routes\/api\.php$/.test(source.path)) {
    const other = sources.find(({ text }) => /apiPrefix\s*:/.test(text));
    return other ? (/apiPrefix\s*:\s*["']([^"']*)["']/.exec(other.text)?.[1] ?? "api") : "api";
  }
  if (!/^#\[/.test(source.text.slice(index, index + 2))) return "";
  const routes = sources.find(
    ({ path, text }) =>
      /routes(?:\/\w+)?\.ya?ml$/.test(path) && /^\s+prefix:/m.test(text) && /attribute|Controller/.test(text),
  );
  return routes ? (/^\s+prefix:\s*["']?([^\s"']+)/m.exec(routes.text)?.[1] ?? "") : "";
}
