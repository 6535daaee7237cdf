import type { Source } from "./sources.ts";

/** Routes that the place of a file declares, in the frameworks that have them. */

interface FileRouting {
  /** A package that shows the framework; undefined for what needs none. */
  needs?: RegExp;
  /** The first group is the path. */
  files: RegExp;
  /** Rewrites that path. */
  path?: (path: string) => string;
}

/** Dots divide the segments of Remix's flat routes; `_` in front hides one, and behind it leaves the layout. */
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

/** Folders of Next's pages may not be routes, but code that they use. */
const NOT_SERVED = /\/(?:middleware|utils?|lib|plugins|_[^/]*)\//;

/**
 * The path that the place of a file gives it; undefined for none.
 * @param needs the packages of the project
 * @param isServed whether PHP serves every file of the folder, as its own server does
 */
export function fileRoute({ path }: Source, needs: readonly string[], isServed = false): string | undefined {
  for (const { needs: by, files, path: rewrite } of ROUTINGS) {
    if (by !== undefined && !needs.some((name) => by.test(name))) continue;
    const found = files.exec(path)?.[1];
    if (found === undefined || NOT_SERVED.test(found)) continue;
    const whole = (rewrite?.(found) ?? found)
      .replace(/^\/?/, "/")
      // Folders in parentheses are not part of an address, nor are parallel routes.
      .replaceAll(/\/(?:\([^)/]*\)|@[^/]+)/g, "");
    return whole === "" ? "/" : whole;
  }
  if (isServed && path.endsWith(".php") && !path.includes("/src/")) return `/${path}`;
  return undefined;
}

/** The name of a path's parameter: `[provider]`, `:provider`, `{provider}`, `<str:provider>`, `*`. */
const PARAMETER =
  /\[{1,2}(?:\.\.\.)?(\w+)(?:=\w+)?\]{1,2}|(?<=\/):(\w+)(?:\([^)]*\))?[?*+]?|\{(\w+)[?}:][^/]*|<(?:\w+:)?(\w+)>|\(\?P<(\w+)>[^)]*\)|(?<=\/)\*\w*/g;

/** A path with a value for each parameter: the sender's name, where one says whose webhooks they are. */
export function withParameters(path: string, sender: string): { path: string; isFilled: boolean } {
  let isFilled = false;
  const filled = path.replaceAll(PARAMETER, (...groups: unknown[]) => {
    isFilled = true;
    const name = groups.slice(1, 6).find((one) => one !== undefined) as string | undefined;
    if (name !== undefined && /id$|num|uuid|key|token/i.test(name)) return "1";
    return sender === "" ? (name ?? "1") : sender;
  });
  return { path: filled, isFilled };
}
