import type { Source } from "./sources.ts";

/** Frameworks in which a file's path determines the route. */

interface FileRouting {
  /** A package that identifies the framework; undefined if none is needed. */
  needs?: RegExp;
  /** A pattern for the files; its first group is the route's path. */
  files: RegExp;
  /** Rewrites the matched path. */
  path?: (path: string) => string;
}

/** Remix's flat routes: dots separate segments; a leading `_` hides a segment, and a trailing one leaves the layout. */
const flat = (path: string): string =>
  path
    .replace(/\/route$/, "")
    .split(/[./](?![^[]*\])/)
    .filter((one) => one !== "" && !one.startsWith("_") && one !== "index")
    .map((one) =>
      one
        .replace(/[_+]$/, "")
        .replaceAll(/\[(.+?)\]/g, "$1")
        .replace(/^\((.+)\)$/, "$1")
        .replace(/^\$(\w*)$/, "[$1]"),
    )
    .join("/");

const withoutMethod = (path: string): string =>
  path.replace(/\.(?:post|all)$/, "").replace(/(?:^|\/)index$/, "");

const ROUTINGS: FileRouting[] = [
  { needs: /^(?:next|@medusajs\/medusa)$/, files: /(?:^|\/)app((?:\/[^/]+)*)\/route\.[jt]sx?$/ },
  { needs: /^@medusajs\//, files: /(?:^|\/)src\/api((?:\/[^/]+)*)\/route\.[jt]s$/ },
  { needs: /^next$/, files: /(?:^|\/)pages(\/api\/.+?)(?:\/index)?\.[jt]sx?$/ },
  { needs: /^@sveltejs\/kit$/, files: /(?:^|\/)src\/routes((?:\/[^/]+)*)\/\+server\.[jt]s$/ },
  {
    needs: /^(?:@remix-run\/|@react-router\/|@shopify\/remix)/,
    files: /(?:^|\/)app\/routes\/(.+)\.[jt]sx?$/,
    path: (path) => `/${flat(path)}`,
  },
  { needs: /^nuxt/, files: /(?:^|\/)server(?:\/routes)?(\/.+)\.[jt]s$/, path: withoutMethod },
  {
    needs: /^(?:nitro|nitropack)/,
    files: /(?:^|\/)(?:server\/)?(?:routes(?=\/)|(?=api\/))(\/?.+)\.[jt]s$/,
    path: withoutMethod,
  },
  { needs: /^astro$/, files: /(?:^|\/)src\/pages(\/.+?)(?:\/index)?\.[jt]s$/ },
  { needs: /^(?:@solidjs\/start|solid-start)$/, files: /(?:^|\/)src\/routes(\/.+?)(?:\/index)?\.[jt]sx?$/ },
  { needs: /^(?:vercel|@vercel\/node)$/, files: /^(?:.+\/)?(api\/.+?)(?:\/index)?\.[jt]s$/ },
  {
    files: /(?:^|\/)netlify\/functions\/(.+?)(?:\/index)?\.[cm]?[jt]s$/,
    path: (path) => `/.netlify/functions/${path}`,
  },
  { files: /(?:^|\/)supabase\/functions\/([\w-]+)\/\w+\.ts$/, path: (path) => `/functions/v1/${path}` },
  { needs: /^wrangler$/, files: /^(?:.+\/)?functions(\/.+?)(?:\/index)?\.[jt]s$/ },
  { files: /(?:^|\/)(?:public|www|htdocs|web)(\/.+\.php)$/ },
];

/** Folders under Next's pages that may contain shared code rather than routes. */
const NOT_SERVED = /\/(?:middleware|utils?|lib|plugins|_[^/]*)\//;

/**
 * Derives a route from a file's path; undefined for a file that serves no route.
 * @param needs the project's packages
 * @param isServed whether PHP's built-in server serves every file in the folder
 */
export function fileRoute({ path }: Source, needs: readonly string[], isServed = false): string | undefined {
  for (const { needs: by, files, path: rewrite } of ROUTINGS) {
    if (by !== undefined && !needs.some((name) => by.test(name))) continue;
    const found = files.exec(path)?.[1];
    if (found === undefined || NOT_SERVED.test(found)) continue;
    const whole = (rewrite?.(found) ?? found)
      .replace(/^\/?/, "/")
      // Folders in parentheses and parallel routes are not part of the URL.
      .replaceAll(/\/(?:\([^)/]*\)|@[^/]+)/g, "");
    return whole === "" ? "/" : whole;
  }
  if (isServed && path.endsWith(".php") && !path.includes("/src/")) return `/${path}`;
  return undefined;
}

/** A path parameter's name: `[provider]`, `:provider`, `{provider}`, `<str:provider>`, `*`. */
const PARAMETER =
  /\[{1,2}(?:\.\.\.)?(\w+)(?:=\w+)?\]{1,2}|(?<=\/):(\w+)(?:\([^)]*\))?[?*+]?|\{(\w+)[?}:][^/]*|<(?:\w+:)?(\w+)>|\(\?P<(\w+)>[^)]*\)|(?<=\/)\*\w*/g;

/** Fills in a path's parameters, using the sender's name where a parameter asks for the provider. */
export const withParameters = (path: string, sender: string): string =>
  path.replaceAll(PARAMETER, (...groups: unknown[]) => {
    const name = groups.slice(1, 6).find((one) => one !== undefined) as string | undefined;
    if (name !== undefined && /id$|num|uuid|key|token/i.test(name)) return "1";
    return sender === "" ? (name ?? "1") : sender;
  });
