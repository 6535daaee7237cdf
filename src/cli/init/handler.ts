import { existsSync, readdirSync, readFileSync } from "node:fs";
import { posix } from "node:path";
import { secretVariable } from "../../senders/secret-variable.ts";
import { type Database, findDatabase, VARIABLE } from "./database.ts";
import type { Project } from "./project.ts";
import { type Found, findAll, type Hit, readData, readSources, type Source } from "./sources.ts";

export interface Handler {
  /** The senders of its webhooks; a name is empty if unknown. */
  senders: { name: Found; url: Found; secret: Found }[];
  start: Found;
  database: Database;
  /** Commands that CI runs first: they install packages, build, and create tables. */
  prepare: string[];
  isNode: boolean;
}

/** Traces in a project that show that it handles a sender's webhooks. */
interface Traces {
  packages: string[];
  /** A pattern in the code. */
  code: string;
  /** The usual name of the secret's variable. */
  secret: string;
  path?: string;
  /** Senders with the same signature, which take precedence if they left traces of their own. */
  behind?: string[];
}

interface Language {
  sources: string;
  /** Commands that install packages, by the name of the manifest. */
  manifests: Record<string, string>;
  servers: { code: string; start: string; port: number }[];
}

type Sender = Pick<Traces, "secret" | "path"> & { name: string; at?: string; hit?: Hit | undefined };

const ROUTE =
  /\b(?:post|all|use|on|route|path\w*|url|handle\w*|match)\b["'\])]*\s*(?:\(|={1,3}|:)?\s*["'`](?:POST )?(\/?[\w.:-]*(?:\/[\w.:-]*)*)["'`]/gi;
/** A route defined by a file, as in Next. */
const FILE_ROUTE =
  /(?:^|\/)(?:(?:app|routes)((?:\/[^/]+)*)\/(?:route|\+server)\.[jt]s|pages(\/api\/.+)\.[jt]s|server(?:\/routes)?((?:\/[^/]+)+?)(?:\.post)?\.ts|public(\/.+\.php))$/;
const PORT =
  /(?:\bport["'\])]*\s*(?:\?\?|\|\||[,=:]|\bor\b)\s*|\blisten\w*\(\s*["'`]?[\w.]*:?)(?:Number\()?["'`]?(?!5432|3306|6379|27017)(\d{4,5})\b/gi;
const NO_SECRET = /SECRET_KEY$|API_KEY|CLIENT|SESSION|JWT|AUTH_SECRET|COOKIE|PUBLIC|^HTTP_/;

/** Looks for the webhook handler. In a project without JavaScript, a handler is assumed, and its sender may be unknown. */
export function findHandler(project: Project, port?: number): Handler | undefined {
  const { languages, tables }: { languages: Language[]; tables: Record<string, string> } =
    readData("projects");
  const names = languages.flatMap((one) => Object.keys(one.manifests));
  let sources = readSources(names);
  const manifests = names
    .filter((path) => existsSync(path))
    .map((path) => ({ path, text: readFileSync(path, "utf8") }));
  const described = ownSenders();
  let senders = described.length > 0 ? described : findSenders(sources, manifests);
  if (senders.length === 0) {
    // In a monorepo, the handler may be in one of the packages.
    sources = readSources();
    senders = findSenders(sources, manifests);
  }
  const isOf = ({ sources: ending, manifests: names }: Language, path: string) =>
    path in names || new RegExp(`\\.(?:${ending})$`).test(path);
  const first = senders[0]?.hit?.source.path ?? manifests[0]?.path ?? "package.json";
  const language = languages.find((one) => isOf(one, first)) ?? languages.at(-1)!;
  const isNode = "package.json" in language.manifests;
  if (isNode && senders.length === 0) return undefined;

  const own = sources.filter(({ path }) => isOf(language, path));
  const taken = (senders.length > 0 ? senders : [{ name: "", secret: "WEBHOOK_SECRET" }]).map((sender) => ({
    sender,
    route: routeOf(sender, own),
  }));
  const servers = language.servers.flatMap((one) =>
    findAll(new RegExp(one.code, "gm"), own).map((found) => ({ ...one, found })),
  );
  const alike = servers.filter(({ code }) => code === servers[0]!.code);
  const server =
    alike.find(({ found }) => found.source.path === taken[0]!.route.at?.replace(/:\d+$/, "")) ?? servers[0];
  const written = isNode ? project.port : undefined;
  const listening = written ?? findAll(PORT, [...own, ...sources])[0]?.value ?? server?.port ?? 3000;
  const origin = `http://127.0.0.1:${port ?? listening}`;
  const database = findDatabase(sources, manifests, `${origin}/state`);
  const scripted = isNode ? project.start : undefined;
  const installs = Object.entries(language.manifests).find(([path]) => existsSync(path))?.[1] ?? "true";
  const makesTables = Object.entries(tables).find(([path]) => existsSync(path))?.[1];
  return {
    senders: taken.map(({ sender: { at, ...sender }, route }) => ({
      name: { value: sender.name, ...(at ? { at } : sender.hit && { at: sender.hit.at }) },
      url: { ...route, value: origin + route.value },
      secret: secretOf(sender, sources),
    })),
    start: scripted ?? { value: "npm start", ...(server && startOf(server)) },
    ...{ database, isNode },
    prepare: [
      installs,
      // A build may import files that this command generates.
      ...(makesTables ? [makesTables.replace("{{variable}}", database.variable.value)] : []),
      ...(scripted && project.builds ? ["{{script}} build"] : []),
    ],
  };
}

function ownSenders(): Sender[] {
  const files = existsSync("senders") ? readdirSync("senders") : [];
  return files.flatMap((file) => {
    const name = /^(.+)\.ya?ml$/.exec(file)?.[1];
    const at = `senders/${file}`;
    const isSender = name && /^signature:/m.test(readFileSync(at, "utf8"));
    return isSender ? { name: `./${at}`, at, secret: secretVariable(name) } : [];
  });
}

/** The senders whose webhooks the code verifies, or else those whose packages are listed. */
function findSenders(sources: Source[], manifests: Source[]): Sender[] {
  const found = Object.entries<Traces>(readData("senders")).map(([name, { packages, code, ...rest }]) => {
    const hits = findAll(new RegExp(code, "gi"), sources);
    const file = (hits.find(({ source }) => routesOf(source).length > 0) ?? hits[0])?.source;
    const names = packages.map((one) => one.replaceAll(".", "\\.")).join("|");
    const listed = manifests.flatMap((one) =>
      findAll(
        one.path === "package.json"
          ? new RegExp(`"(?:${names})"\\s*:\\s*"(?:[\\^~>=<*\\d]|latest|[a-z]+:)`, "g")
          : new RegExp(`(?<![\\w/@.-])(?:${names})(?![\\w-])`, "g"),
        [one],
      ),
    );
    return { name, ...rest, verified: hits.findLast(({ source }) => source === file), listed: listed[0] };
  });
  const areVerified = found.some(({ verified }) => verified);
  const chosen = found.filter(({ verified, listed }) => (areVerified ? verified : listed));
  return chosen
    .filter(({ behind = [] }) => !chosen.some(({ name }) => behind.includes(name)))
    .map(({ verified, listed, ...sender }) => ({ ...sender, hit: verified ?? listed }));
}

function routesOf(source: Source): Hit[] {
  const path = FILE_ROUTE.exec(`/${source.path}`)?.slice(1).find(Boolean);
  // Next's folders in parentheses are not part of an address.
  if (path) return [{ value: path.replaceAll(/\/\([^)]*\)/g, ""), at: source.path, source, index: 0 }];
  const hasSlashes = !/\.(?:py|rb|php)$/.test(source.path);
  return findAll(ROUTE, [source]).flatMap((hit) =>
    /\w/.test(hit.value) && (!hasSlashes || hit.value.startsWith("/"))
      ? [{ ...hit, value: hit.value.replace(/^\/?/, "/") }]
      : [],
  );
}

/** The route of a sender's webhooks: in the file that verifies them, or else a route with a fitting name. */
function routeOf({ name, path, hit }: Sender, sources: Source[]): Found {
  const fits = ({ value }: Found) => (/hook/i.test(value) ? 2 : 0) + (name && value.includes(name) ? 1 : 0);
  const own = hit && sources.includes(hit.source) ? routesOf(hit.source) : [];
  // The nearest route before the verification, else the first after it.
  const distance = ({ index }: Hit) => (index <= hit!.index ? hit!.index - index : 1e9 + index);
  const [nearest] = own.sort((a, b) => fits(b) - fits(a) || distance(a) - distance(b));
  const prefix = hit && mountOf(hit.source, sources);
  if (nearest) return { ...nearest, value: posix.join(prefix ?? "/", nearest.value) };
  const all = sources.flatMap(routesOf).filter((one) => fits(one) > 0);
  const [best] = all.sort((a, b) => fits(b) - fits(a));
  return best ?? { value: prefix ?? path ?? "/webhooks" };
}

/** The path at which another file mounts this file's routes. */
function mountOf({ path, text }: Source, sources: Source[]): string | undefined {
  const prefix = /(?:Blueprint|Router)\(.*prefix\s*[=:]\s*["'](\/[^"']*)["']/.exec(text)?.[1];
  const module = posix.basename(path.replace(/\/index\.\w+$/, "")).replace(/\.\w+$/, "");
  const imported = new RegExp(
    `import\\s+(?:\\{\\s*)?(\\w+).*from\\s+["'].*\\b${module}(?:\\.\\w+)?["']|(\\w+)\\s*=\\s*require\\(["'].*\\b${module}(?:\\.\\w+)?["']|from\\s+[\\w.]*\\b${module}\\s+import\\s+(\\w+)`,
  );
  for (const source of sources.filter((one) => one.path !== path)) {
    const names = imported.exec(source.text)?.slice(1).filter(Boolean) ?? [];
    const named = [...names, module].join("|");
    const mount = new RegExp(
      `\\b(?:use|route|register\\w*|include_router)\\((?=.*\\b(?:${named})\\b).*["'](/[^"']*)["']`,
    );
    const [, at] = mount.exec(source.text) ?? [];
    if (at !== undefined) return posix.join(at, prefix ?? "/");
  }
  return prefix;
}

/** The variable of a sender's secret, preferably one that is read near the verification. */
function secretOf({ name, secret, hit }: Sender, sources: Source[]): Found {
  const fits = ({ value, source }: Hit) =>
    NO_SECRET.test(value) || !/SECRET|SIGN|HOOK|TOKEN/.test(value)
      ? 0
      : (source === hit?.source ? 2 : 0) +
        (/HOOK|SIGN/.test(value) ? 2 : 0) +
        (value.includes("SECRET") ? 1 : 0) +
        (value === secret || (name && value.includes(name.toUpperCase())) ? 1 : 0);
  const [best] = findAll(VARIABLE, sources).sort((a, b) => fits(b) - fits(a));
  return best && fits(best) > 2 ? best : { value: secret };
}

function startOf({ start, found }: Language["servers"][number] & { found: Hit }): Found {
  const { path } = found.source;
  const value = start
    .replace("{file}", path)
    .replace("{folder}", posix.dirname(path).replace(/^\.$/, ""))
    .replace("{module}", path.replace(/\.\w+$/, "").replaceAll("/", "."))
    .replace("{1}", found.value);
  return { value, at: found.at };
}
