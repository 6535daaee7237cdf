import { existsSync } from "node:fs";
import { posix } from "node:path";
import type { Project } from "./project.ts";
import { type Found, findAll, firstThere, type Hit, type Source } from "./sources.ts";

/** How to start a server, by language. */

export interface Language {
  sources: string;
  /** The install commands, by manifest name. */
  manifests: Record<string, string>;
  servers: { file?: string; code?: string; start: string; port: number }[];
}

export const isOf = ({ sources: ending, manifests }: Language, path: string): boolean =>
  posix.basename(path) in manifests || new RegExp(`\\.(?:${ending})$`).test(path);

/** The default ports of programs in package.json scripts. */
const SCRIPTS: readonly (readonly [RegExp, number])[] = [
  [/\bvite preview\b/, 4173],
  [/\b(?:remix-serve|react-router-serve|next|nuxt|nuxi)\b/, 3000],
  [/\bastro\b/, 4321],
  [/\bwrangler\b/, 8787],
  [/\bnetlify dev\b/, 8888],
  [/\b(?:vite|svelte-kit|react-router dev|remix vite:dev)\b/, 5173],
];

export const portOfScript = (script: string): number | undefined =>
  SCRIPTS.find(([pattern]) => pattern.test(script))?.[1];

/**
 * How to run a Python program in the project's own environment. A virtual environment may be absent elsewhere, such as in
 * CI, so its folder only comes first.
 */
const RUNNERS: readonly (readonly [string, string])[] = [
  ["uv.lock", "uv run "],
  ["poetry.lock", "poetry run "],
  ["Pipfile.lock", "pipenv run "],
  [".venv/bin/python3", "PATH=.venv/bin:$PATH "],
  ["venv/bin/python3", "PATH=venv/bin:$PATH "],
];

export interface Started {
  start: Found;
  port: number | undefined;
}

/**
 * The command that starts the server.
 * @param base the server's folder with a trailing slash
 * @param handler the file with the route
 */
export function findStart(
  language: Language,
  sources: readonly Source[],
  base: string,
  handler: string | undefined,
  project: Project | undefined,
): Started {
  const within = base === "" ? "" : `cd ${base.replace(/\/$/, "")} && `;
  if (handler !== undefined && /(?:^|\/)supabase\/functions\//.test(handler))
    return { start: { value: "supabase functions serve", at: handler }, port: 54321 };
  if (project?.start) {
    const isBun = firstThere(`${base}bun.lock`, `${base}bun.lockb`, "bun.lock", "bun.lockb") !== undefined;
    const value = isBun ? project.start.value.replace(/^npm run/, "bun run") : project.start.value;
    return { start: { ...project.start, value: within + value }, port: undefined };
  }
  const own = sources.filter(({ path }) => path.startsWith(base) && isOf(language, path));
  const servers = language.servers.flatMap((one): (typeof one & { hit?: Hit })[] => {
    if (one.file !== undefined && !existsSync(`${base}${one.file}`)) return [];
    if (one.code === undefined) return [one];
    return findAll(new RegExp(one.code, "gm"), own).map((hit) => ({ ...one, hit }));
  });
  const alike = servers.filter(({ code }) => code === servers[0]?.code);
  const near = (path: string) =>
    path === handler ? 0 : /(?:^|\/)(?:main|app|server|index)\.\w+$/.test(path) ? 1 : 2;
  const server = alike.toSorted((a, b) => near(a.hit?.source.path ?? "") - near(b.hit?.source.path ?? ""))[0];
  if (!server) return { start: { value: `${within}npm start` }, port: undefined };
  const runner =
    language.sources === "py" ? (RUNNERS.find(([file]) => existsSync(`${base}${file}`))?.[1] ?? "") : "";
  const command = filled(server.start, server.hit, base, handler, sources);
  return {
    start: { value: `${within}${runner}${command}`, at: server.hit?.at ?? `${base}${server.file}` },
    port: server.port,
  };
}

const ROOTS = ["public", "www", "htdocs", "web"];

function filled(
  start: string,
  hit: Hit | undefined,
  base: string,
  handler: string | undefined,
  sources: readonly Source[],
): string {
  const path = (hit?.source.path ?? "").slice(base.length);
  const folder = posix.dirname(path).replace(/^\.$/, "");
  const root =
    ROOTS.find((one) => handler?.startsWith(`${base}${one}/`)) ??
    ROOTS.find((one) =>
      sources.some((source) => source.path.startsWith(`${base}${one}/`) && source.path.endsWith(".php")),
    );
  // Imports of code in src/ omit that folder, unless the folder is itself a package.
  const isSrc =
    path.startsWith("src/") &&
    !sources.some(
      (source) => source.path === `${base}src/__init__.py` || /^\s*from src\b/m.test(source.text),
    );
  const module = (isSrc ? path.slice(4) : path).replace(/(?:\/__init__)?\.\w+$/, "").replaceAll("/", ".");
  return start
    .replaceAll("{name}", posix.basename(folder) || "server")
    .replaceAll("{file}", path.replace(/\/__init__\.py$/, ""))
    .replaceAll("{folder}", folder)
    .replaceAll("{root}", root ?? "")
    .replaceAll("{src}", isSrc ? " --app-dir src" : "")
    .replaceAll("{module}", module)
    .replaceAll("{1}", hit?.value ?? "");
}
