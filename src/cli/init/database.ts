import { existsSync } from "node:fs";
import { posix } from "node:path";
import { isServer, type ServerKind, serverAt, usualAddress } from "./database-kinds.ts";
import { hasUser, type Parts, partsIn, partsOf, withValues } from "./database-parts.ts";
import { type Found, findAll, type Hit, type Source } from "./sources.ts";
import { settingOf, type Variable } from "./variables.ts";

/** A project's database, as described in a configuration. */
export interface Database {
  kind: ServerKind | "sqlite" | "url" | "other" | "none";
  /** The name of an unsupported kind of database, such as MongoDB. */
  name?: string | undefined;
  /**
   * The state source for `explore`; empty for a project without a database. The URL of a database server in a variable
   * takes precedence.
   */
  state: Found;
  /** The environment variable with the database's URL. */
  variable: Found;
  /** If the server does not read a URL: the variables with the URL's parts, and their default values. */
  parts?: Parts | undefined;
  /** The variables with the user and password, if the address in `variable` has neither. */
  credentials?: readonly string[] | undefined;
  /** An address in the format of `variable`; undefined if the sources contain none. */
  format?: string | undefined;
  /** The variable with the URL of the HTTP API in front of the database. */
  gate?: Found | undefined;
  /** The file that sets those variables on this machine. */
  envFile: string | undefined;
}

/** The variables from which the server reads its database's address. */
export const variablesOf = ({ parts, variable, credentials = [] }: Database): string[] =>
  parts ? Object.values(parts).map(({ name }) => name) : [variable.value, ...credentials];

const OF_DATABASE =
  /^(?!DB_CONNECTION$|.*(?:PUBLIC|REDIS|MONGO|SUPABASE|SHADOW|TEST|DEBUG|AMQP|DIRECT))(?=.*(?:DATABASE|POSTGRES|(?<![A-Z])PG|DB|SQLITE|NEON|SQL))(?:.*(?:URL|URI|DSN|CONNECTION(?:_STRING)?|FILE|PATH|DATABASE))$/;
const KINDS: Record<string, string> = {
  ...{
    postgres: "postgres",
    postgresql: "postgres",
    pg: "postgres",
    pgsql: "postgres",
    postgis: "postgres",
    postgresql_psycopg2: "postgres",
  },
  ...{
    sqlite: "sqlite",
    sqlite3: "sqlite",
    "better-sqlite3": "sqlite",
    turso: "sqlite",
    libsql: "sqlite",
    d1: "D1",
  },
  ...{
    mysql: "mysql",
    mysql2: "mysql",
    mariadb: "mysql",
    trilogy: "mysql",
    singlestore: "SingleStore",
    mongodb: "MongoDB",
    sqlserver: "SQL Server",
    mssql: "SQL Server",
  },
};
/** The places that declare the kind of database, the most reliable first. */
const DECLARED = [
  /\b(?:driver\s*:\s*["'](d1)|drizzle-orm\/(d1)["'])/g,
  /\bdatasource\b[^}]*?\bprovider\s*=\s*["'](\w+)/g,
  /['"]ENGINE['"]\s*:\s*['"]django\.(?:db|contrib\.gis\.db)\.backends\.(\w+)/g,
  /^DB_CONNECTION=["']?(\w+)/gm,
  /\benv\(\s*['"]DB_CONNECTION['"]\s*,\s*['"](\w+)/g,
  /^[ \t]+adapter:[ \t]*(\w+)/gm,
  /\b(?:dialect|type|client)\s*:\s*["'](postgres(?:ql)?|pg|sqlite3?|better-sqlite3|mysql2?|mariadb|mongodb|mssql|turso)["']/g,
];
const SUPABASE = "Supabase";
/** The default of `supabase start`. */
const SUPABASE_DATABASE = "postgres://postgres:postgres@127.0.0.1:54322/postgres";
/** Code patterns that show that a kind of database is opened. */
const OPENED: readonly (readonly [kind: string, pattern: RegExp])[] = [
  [
    "postgres",
    /\bnew\s+(?:pg\.)?(?:Pool|Client)\(|(?:from\s+|require\(\s*)["'](?:pg|postgres|@neondatabase\/serverless|@vercel\/postgres|slonik)["']|\b(?:psycopg2?|asyncpg)\b|["']postgres(?:ql)?(?:\+\w+)?:\/\/|pgx(?:pool)?\.(?:New|Connect)|(?:sql|sqlx)\.(?:Open|Connect|MustConnect)\(\s*"(?:postgres|pgx)"|postgres\.Open\(|lib\/pq"|jackc\/pgx|pgsql:|drizzle-orm\/(?:node-postgres|postgres-js|neon)/g,
  ],
  [
    "sqlite",
    /\bnew\s+(?:Database|DatabaseSync|BetterSqlite3)\(|(?:from\s+|require\(\s*)["'](?:better-sqlite3|node:sqlite|bun:sqlite|sqlite3?|@libsql\/client)["']|\bsqlite3\.(?:connect|Database)\b|\baiosqlite\b|["']sqlite(?:\+\w+)?:|sqlite\.Open\(|(?:sql|sqlx)\.Open\(\s*"sqlite3?"|SQLite3::Database|\bnew SQLite3\(/g,
  ],
  [
    "mysql",
    /\bnew\s+mysqli\(|\bmysqli_connect\(|(?:from\s+|require\(\s*)["'](?:mysql2?(?:\/promise)?|mariadb)["']|\b(?:pymysql|MySQLdb|mysql\.connector)\b|["'](?:mysql|mariadb)(?:\+\w+)?:|mysql\.Open\(|sql\.Open\(\s*"mysql"/g,
  ],
  [
    "MongoDB",
    /(?:from\s+|require\(\s*)["'](?:mongoose|mongodb)["']|\b(?:pymongo|motor\.motor_asyncio|mongoengine|beanie)\b|mongo-driver|MongooseModule|Mongoid/g,
  ],
  [
    SUPABASE,
    /(?:from\s+|require\(\s*)["']@supabase\/(?:supabase-js|ssr|auth-helpers-\w+)["']|jsr:@supabase|esm\.sh\/@supabase|\bfrom supabase import/g,
  ],
  [
    "Firestore",
    /(?:from\s+|require\(\s*)["'](?:firebase-admin[\w/]*|@google-cloud\/firestore)["']|\bfirebase_admin\b/g,
  ],
  ["DynamoDB", /@aws-sdk\/(?:client|lib)-dynamodb|\bdynamodb\b/g],
  ["Convex", /from\s+["']convex\//g],
];
const LISTED: readonly (readonly [kind: string, pattern: RegExp])[] = [
  [
    "postgres",
    /(?<![\w/-])(?:pg|postgres|psycopg\w*(?:-binary)?|asyncpg|@neondatabase\/serverless|pgx)(?![\w-])/,
  ],
  ["mysql", /(?<![\w/-])(?:mysql2?|mariadb|mysqlclient|pymysql|aiomysql)(?![\w-])/i],
  ["sqlite", /(?<![\w-])(?:better-sqlite3|sqlite3?|aiosqlite|go-sqlite3|sqlite3-ruby)(?![\w-])/i],
];
const URL_SCHEME = /^(?:jdbc:)?(postgres(?:ql)?|sqlite|file|libsql|mysql|mariadb|mongodb)(?:\+\w+)?:/;
const SQLITE_FILE =
  /(?:["'`=]|^[ \t]+database:[ \t]*)(?:sqlite(?:\+\w+)?:(?:\/\/\/)?|file:)?((?:\.{0,2}\/)?[\w./-]+\.(?:db|sqlite3?))(?![\w.])/gm;
/**
 * Finds the database that the server uses, and where its URL comes from.
 * @param sources the server's folder first
 * @param base that folder; empty for the current one
 */
export function findDatabase(
  sources: readonly Source[],
  manifests: readonly { text: string }[],
  variables: readonly Variable[],
  base: string,
): Database {
  const own = sources.filter(({ path }) => path.startsWith(base));
  const { kind, hit } = kindOf(own, sources, manifests, variables);
  const file = findFile(own) ?? findFile(sources);
  const parts = isServer(kind) ? partsOf(variables, kind) : undefined;
  const named = variables.filter(({ value }) => OF_DATABASE.test(value));
  // A variable on the same line as a file name takes precedence over it.
  const beside = kind === "sqlite" ? variables.find(({ at }) => at === file?.at) : undefined;
  const url =
    beside ??
    prismaVariable(sources, variables) ??
    named.find(({ source }) => source.path.startsWith(base)) ??
    named[0];
  const isByParts =
    parts !== undefined && (url === undefined || !named.some(({ value }) => isAddress(value, sources)));
  const name = isByParts ? parts.database!.name : (url?.value ?? "DATABASE_URL");
  const set = settingOf(name, sources);
  const common = {
    variable: isByParts ? { value: name } : (url ?? { value: "DATABASE_URL" }),
    envFile: set && !set.isExample ? set.source.path : undefined,
  };
  if (isServer(kind)) {
    // The URL is read from this machine's environment when the configuration is loaded, so it is not written into the
    // configuration.
    const example = set?.isExample && serverAt(set.value) ? set : undefined;
    const inCode = url?.fallback;
    const format = [set?.value, inCode].find((one) => serverAt(one ?? "") !== undefined);
    const { user, password } = isByParts || hasUser(format) ? {} : partsIn(variables, kind);
    return {
      ...{ kind, ...common, parts: isByParts ? withValues(parts, sources) : undefined },
      ...{ credentials: [user, password].flatMap((one) => one?.name ?? []), format },
      state: example ?? { value: serverAt(inCode ?? "") ? inCode! : usualAddress(kind), at: hit?.at },
    };
  }
  if (kind === "sqlite") return { kind, ...common, state: sqliteState(file, url, sources, base, hit) };
  if (kind === SUPABASE) {
    const gate = variables.find((one) => /SUPABASE_URL$/.test(one.value)) ?? { value: "SUPABASE_URL" };
    const setGate = settingOf(gate.value, sources);
    return {
      ...{ kind: "other", name: kind, gate, variable: gate },
      state: { value: SUPABASE_DATABASE, at: hit?.at },
      envFile: setGate && !setGate.isExample ? setGate.source.path : undefined,
    };
  }
  return {
    kind: kind === undefined ? "none" : "other",
    name: kind,
    state: { value: "", at: hit?.at },
    ...common,
  };
}

function kindOf(
  own: readonly Source[],
  sources: readonly Source[],
  manifests: readonly { text: string }[],
  variables: readonly Variable[],
): { kind: string | undefined; hit?: Hit } {
  for (const pattern of DECLARED)
    for (const within of [own, sources]) {
      // An example env file is less reliable than the actual one.
      const hits = findAll(pattern, within).filter(({ value }) => KINDS[value.toLowerCase()]);
      const hit = hits.find(({ source }) => /^\.env$/.test(source.path.split("/").at(-1)!)) ?? hits[0];
      if (hit) return { kind: KINDS[hit.value.toLowerCase()], hit };
    }
  for (const { value } of variables.filter((one) => OF_DATABASE.test(one.value))) {
    const set = settingOf(value, sources);
    const scheme = set && URL_SCHEME.exec(set.value)?.[1];
    if (scheme)
      return { kind: scheme === "file" || scheme === "libsql" ? "sqlite" : KINDS[scheme], hit: set };
  }
  for (const within of [own, sources])
    for (const [kind, pattern] of OPENED) {
      const [hit] = findAll(pattern, within);
      if (hit) return { kind, hit };
    }
  for (const [kind, pattern] of LISTED) if (manifests.some(({ text }) => pattern.test(text))) return { kind };
  const [file] = findAll(SQLITE_FILE, own);
  return file ? { kind: "sqlite", hit: file } : { kind: undefined };
}

const isAddress = (name: string, sources: readonly Source[]): boolean => {
  const set = settingOf(name, sources);
  return set === undefined
    ? !/DATABASE$/.test(name) || name === "DATABASE"
    : URL_SCHEME.test(set.value) || !/DATABASE$/.test(name);
};

const prismaVariable = (sources: readonly Source[], variables: readonly Variable[]): Variable | undefined => {
  const [hit] = findAll(/\bdatasource\b[^}]*?\burl\s*=\s*env\(\s*["'](\w+)/g, sources);
  return (
    hit &&
    (variables.find(({ value, source }) => value === hit.value && source === hit.source) ??
      variables.find(({ value }) => value === hit.value))
  );
};

const findFile = (sources: readonly Source[]): Hit | undefined =>
  findAll(SQLITE_FILE, sources).find(({ value }) => !/(?:^|[./])test\.|backends\./.test(value));

function sqliteState(
  file: Hit | undefined,
  url: Variable | undefined,
  sources: readonly Source[],
  base: string,
  hit: Hit | undefined,
): Found {
  const set = url && settingOf(url.value, sources);
  const fromEnv =
    set && /\.(?:db|sqlite3?)\b|^file:/.test(set.value)
      ? {
          ...set,
          value: set.value.replace(/^(?:sqlite(?:\+\w+)?:(?:\/\/\/)?|file:)/, "").replace(/\?.*$/, ""),
        }
      : undefined;
  const named: Hit | undefined = fromEnv ?? file;
  if (!named) {
    const isLaravel = sources.some(({ path }) => path === `${base}config/database.php`);
    return { value: `sqlite:${base}${isLaravel ? "database/database.sqlite" : "app.db"}`, at: hit?.at };
  }
  const { value, source, at } = named;
  const inCode = posix.dirname(source.path);
  const line = source.text.slice(source.text.lastIndexOf("\n", named.index) + 1, named.index);
  // Code may use a path relative to its own folder (`__DIR__ . "/shop.db"`, `join(__dirname, "../shop.db")`); Prisma
  // uses one relative to its schema's folder.
  const ofLaravel = /\bdatabase_path\(\s*$/.test(line) ? "database" : "";
  const isOfCode =
    (value.startsWith("/") && !existsSync(value)) || /__DIR__|__dirname|import\.meta|__file__/.test(line);
  const prisma = sources.find(({ path }) => path.endsWith("schema.prisma"))?.path;
  const inPrisma = prisma && posix.join(posix.dirname(prisma), value);
  const path = isOfCode
    ? posix.join(inCode, value)
    : inPrisma && !existsSync(posix.join(base, value))
      ? inPrisma
      : value.startsWith("/")
        ? value
        : posix.join(base, ofLaravel, value);
  return { value: `sqlite:${path}`, at };
}
