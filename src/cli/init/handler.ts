import { existsSync } from "node:fs";
import { posix } from "node:path";
import { type Database, findDatabase } from "./database.ts";
import { fileRoute, withParameters } from "./file-routes.ts";
import { withImported } from "./imports.ts";
import type { KnownValue } from "./known.ts";
import { type Leaf, leavesOf } from "./leaves.ts";
import { createMounts } from "./mounts.ts";
import { findPort } from "./port.ts";
import { type Preparation, prepareOf, type Tables } from "./prepare.ts";
import { type Project, readProject } from "./project.ts";
import { findSecret } from "./secret.ts";
import { findSenders, type HandledSender, ownSenders, type Signature } from "./senders.ts";
import { type Found, placeOf, readData, readSources, readText, type Source } from "./sources.ts";
import { findStart, isOf, type Language, portOfScript } from "./start.ts";
import { literally } from "./text.ts";
import { traceRoutes } from "./trace.ts";
import { type Variable, variablesIn } from "./variables.ts";

/**
 * What a project's sources reveal about its webhook handler. These are only candidates; running the server shows which
 * ones are right.
 */
export interface Handler {
  /** The senders whose webhooks the project handles. An unknown sender has an empty name. */
  senders: {
    name: Found;
    url: Found;
    secret: Found;
    /**
     * All paths that may receive its webhooks and all variables that may hold its secret, the most likely ones first.
     */
    routes: string[];
    secrets: string[];
    /** Whether the first path belongs to code that verifies the sender's signature. */
    isTraced: boolean;
    /** The signature scheme of a sender that the package does not include. */
    signature?: Signature | undefined;
    files: readonly Source[];
    /** The names by which the project looks up its own rows. */
    known?: KnownValue[];
  }[];
  start: Found;
  database: Database;
  prepare: Preparation;
  isNode: boolean;
  /** The server's files. */
  sources: readonly Source[];
}

const MOST_ROUTES = 12;

/**
 * Finds the webhook handler. A project without JavaScript is assumed to have one, possibly from an unknown sender.
 * @param port overrides the one in the sources
 */
export function findHandler(project: Project, port?: number): Handler | undefined {
  const { languages, tables }: { languages: Language[]; tables: Tables } = readData("projects");
  const names = languages.flatMap((one) => Object.keys(one.manifests));
  const all = readSources();
  const baseOf = createBases(names);
  const inBase = (base: string) => all.filter(({ path }) => baseOf(path) === base);
  const bases = [...new Set(all.map(({ path }) => baseOf(path)))];
  const manifestsIn = (base: string) =>
    names.flatMap((name) => {
      const text = readText(`${base}${name}`);
      return text === undefined ? [] : [{ path: `${base}${name}`, text, bare: text }];
    });
  const read = readRoutes(all, [
    ...project.needs,
    ...bases.filter(Boolean).flatMap((base) => readProject(base).needs),
  ]);
  const described = ownSenders();
  const own = described.length > 0 ? described : findSenders(inBase(""), manifestsIn(""), read.trace);
  const isReached = own.some(({ hit, routes }) => hit || routes.length > 0) || described.length > 0;
  // In a monorepo, the handler may be in any package.
  const nested = isReached ? [] : findSenders(all, [], read.trace);
  const senders = nested.length > 0 ? nested : own;
  // A handler written by init receives the platform's webhooks.
  const isPlatform = all.some(({ text }) => text.includes("SANDGLASS_WEBHOOK_SECRET"));
  const [hook] = senders.length === 0 && !isPlatform ? [...read.hooks(inBase("")), ...read.hooks(all)] : [];
  const at =
    senders[0]?.routes[0]?.route.source.path ??
    senders[0]?.hit?.source.path ??
    hook?.at?.replace(/:\d+$/, "");
  const base = at === undefined ? "" : baseOf(at);
  const manifests = base === "" ? manifestsIn("") : [...manifestsIn(base), ...manifestsIn("")];
  const language = languageOf(
    languages,
    at ?? manifests[0]?.path ?? all.find(({ path }) => !path.startsWith(".env"))?.path ?? "package.json",
  );
  const isNode = "package.json" in language.manifests;
  if (isNode && senders.length === 0 && hook === undefined) return undefined;

  const served = base === "" ? project : isNode ? readProject(base) : undefined;
  // The server's folder comes first. At the root, other servers' folders are excluded.
  const sources =
    base === ""
      ? [...inBase(""), ...all.filter(({ path }) => isShared(path) && baseOf(path) !== "")]
      : [...inBase(base), ...all.filter(({ path }) => baseOf(path) !== base)];
  const variables = variablesIn(sources);
  const started = findStart(language, sources, base, at, isNode ? served : undefined);
  const taken =
    senders.length > 0
      ? senders
      : [{ name: { value: "" }, secret: "WEBHOOK_SECRET", routes: [] } satisfies HandledSender];
  const routes = taken.map((sender) =>
    read.routesOf(
      sender,
      sources.filter(({ path }) => isOf(language, path)),
    ),
  );
  const isFile = taken[0]!.routes[0] !== undefined && !("on" in taken[0]!.routes[0].route);
  const within =
    isFile && isNode
      ? sources.filter(({ path }) => /(?:vite|nuxt|astro|svelte)\.config/.test(path))
      : sources;
  const script = isNode ? (served?.script ?? "") : "";
  const written = isNode ? served?.port : undefined;
  const listening: Found = written
    ? { value: written }
    : (findPort(isFile && isNode ? [] : variables.filter(takesPort(started.start.value)), within) ?? {
        value: String(portOfScript(script) ?? started.port ?? 3000),
      });
  const origin = `http://127.0.0.1:${port ?? listening.value}`;
  const database = findDatabase(sources, manifests, variables, base);
  const known = taken.map(({ name }) => name.value);
  return {
    senders: taken.map((sender, index) => {
      const others = known.filter((one) => one !== sender.name.value);
      const { secret, all: secrets } = findSecret(
        { ...sender, name: sender.name.value, usual: sender.secret, others },
        variables,
      );
      const paths = routes[index]!;
      const [first] = paths as [Found];
      return {
        ...{ name: sender.name, signature: sender.signature, secret, secrets },
        url: { value: origin + first.value, at: first.at },
        routes: paths.map(({ value }) => value),
        isTraced: sender.routes.length > 0,
        files: withImported(filesOf(sender, sources), sources),
      };
    }),
    ...{ start: started.start, database, isNode, sources },
    prepare: prepareOf(language, base, database, tables, isNode ? served : undefined),
  };
}

const filesOf = ({ hit, routes, name }: HandledSender, sources: readonly Source[]): Source[] => {
  const path = name.at?.replace(/:\d+$/, "");
  const own = [...(hit ? [hit.source] : []), ...routes.map(({ route }) => route.source)];
  return own.length > 0 ? own : sources.filter((one) => one.path === path);
};

/** A command that mentions `$PORT` passes the port to the server itself. */
const takesPort =
  (command: string) =>
  ({ value }: Variable): boolean =>
    value === "PORT" || !command.includes("$PORT");

/** Code shared by a monorepo's packages. */
const isShared = (path: string): boolean => /(?:^|\/)(?:packages|libs?)\//.test(path);

const languageOf = (languages: readonly Language[], path: string): Language =>
  languages.find((one) => isOf(one, path)) ?? languages.at(-1)!;

/** Finds the folder of the project that a file belongs to: the nearest folder with a manifest. */
function createBases(names: readonly string[]): (path: string) => string {
  const known = new Map<string, string>([[".", ""]]);
  const baseOf = (folder: string): string => {
    const found =
      known.get(folder) ??
      (names.some((name) => existsSync(`${folder}/${name}`)) ? `${folder}/` : baseOf(posix.dirname(folder)));
    known.set(folder, found);
    return found;
  };
  return (path) => baseOf(posix.dirname(path));
}

/** Finds all routes in the sources, and the routes that lead to a given place. */
function readRoutes(sources: readonly Source[], needs: readonly string[]) {
  const constants = createConstants(sources);
  const pathsOf = createMounts(sources, constants);
  const leaves = new Map<Source, Leaf[]>();
  const leavesIn = (source: Source): readonly Leaf[] => {
    const known = leaves.get(source) ?? leavesOf(source, constants);
    leaves.set(source, known);
    return known;
  };
  const isServed =
    !existsSync("artisan") &&
    !sources.some(({ path }) => /(?:^|\/)(?:public|www|htdocs|web)\/index\.php$/.test(path));
  const basePath = sources.find(({ path }) => /(?:^|\/)next\.config\.\w+$/.test(path));
  const next = basePath && /\bbasePath\s*:\s*["'`](\/[^"'`]+)/.exec(basePath.text)?.[1];
  const ofFile = (source: Source) => {
    const path = fileRoute(source, needs, isServed);
    return path !== undefined && next && needs.includes("next") ? next + path : path;
  };
  const trace = (hit: { source: Source; index: number }) =>
    traceRoutes(hit, { sources, leavesIn, fileRoute: ofFile });
  const fits = (path: string, name: string) =>
    (/hook/i.test(path) ? 2 : 0) + (name && path.toLowerCase().includes(name) ? 1 : 0);

  /** All routes in the given sources whose names suggest that they receive webhooks. */
  const hooks = (within: readonly Source[], name = ""): Found[] =>
    within
      .flatMap((source) => {
        const file = ofFile(source);
        return [
          ...(file === undefined ? [] : [{ value: file, at: source.path }]),
          ...leavesIn(source)
            .filter(({ path }) => /\w/.test(path))
            .flatMap((leaf) => pathsOf(leaf).map((value) => ({ value, at: placeOf(leaf) }))),
        ];
      })
      .filter(({ value }) => fits(value, name) > 0)
      .toSorted((a, b) => fits(b.value, name) - fits(a.value, name));

  /** The paths where a sender's webhooks may arrive, most likely first. */
  function routesOf({ name, path, routes }: HandledSender, within: readonly Source[]): Found[] {
    const plain = name.value.replace(/^.*\/|\.ya?ml$/g, "");
    const traced = routes.flatMap(({ route }) =>
      "on" in route
        ? pathsOf(route).map((value) => ({ value, at: placeOf(route) }))
        : [{ value: route.path, at: route.source.path }],
    );
    const sorted = traced.toSorted((a, b) => fits(b.value, plain) - fits(a.value, plain));
    const others = hooks(within, plain);
    const all = [
      ...sorted,
      ...(sorted.length === 0 && path ? [{ value: path }] : []),
      ...others,
      { value: path ?? "/webhooks" },
    ];
    const filled = all.map((one) => ({ ...one, value: withParameters(one.value, plain) }));
    return filled
      .filter(({ value }, at) => filled.findIndex((one) => one.value === value) === at)
      .slice(0, MOST_ROUTES);
  }

  return { trace, hooks, routesOf };
}

/** Looks up the value of a constant such as `API_PREFIX` or `settings.API_V1_STR`, first in the same file, then anywhere. */
function createConstants(sources: readonly Source[]) {
  const texts = new Map<string, string | undefined>();
  return (name: string, source: Source): string | undefined => {
    const last = name.split(".").at(-1)!;
    const key = `${source.path} ${name}`;
    if (texts.has(key)) return texts.get(key);
    const pattern = new RegExp(
      `(?<![\\w$.])${literally(last)}["']?\\s*(?::\\s*[\\w.]+\\s*)?:?[=:]\\s*(?:[\\w.]+\\(?["']?\\w*["']?\\)?\\s*(?:\\?\\?|\\|\\||,|\\bor\\b)\\s*)?["'\`](/?[\\w./{}:-]*)["'\`]`,
    );
    const isCapital = /^[A-Z]/.test(last) || name.includes(".");
    const found = [source, ...(isCapital ? sources : [])]
      .map(({ text }) => pattern.exec(text)?.[1])
      .find((one) => one !== undefined);
    texts.set(key, found);
    return found;
  };
}
