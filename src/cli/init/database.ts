import { existsSync } from "node:fs";
import { join, posix } from "node:path";
import { type Found, findAll, type Hit, type Source } from "./sources.ts";

/** A project's database, as described in a configuration. */
export interface Database {
  kind: "postgres" | "sqlite" | "other";
  /** A source of the state for `explore`; for Postgres without its variable. */
  state: Found;
  /** The environment variable from which the server reads its address. */
  variable: Found;
  /** The file that sets that variable on this machine. */
  envFile: string | undefined;
}

/** The name of a variable that code in any of the languages reads, or a file sets. */
export const VARIABLE =
  /(?:env|ENV|environ|[gG]etenv|fetch|get)\W{1,3}([A-Z][A-Z0-9_]{3,})\b|\b([A-Z][A-Z0-9_]{3,})\b(?=[^{}]{0,1000}\}\s*=\s*(?:process|import\.meta|Bun)\b)|^(?:export )?([A-Z][A-Z0-9_]{3,})=/gm;
const OF_DATABASE =
  /^(?!.*(?:PUBLIC|REDIS|MONGO))(?=.*(?:DATABASE|POSTGRES|PG|DB|SQLITE|NEON)).*(?:URL|URI|DSN|CONNECTION|FILE|PATH|DATABASE)/;
const DECLARED = /(?:provider\s*=|dialect:)\s*["'](postgres|sqlite|mysql|mongodb|sqlserver)/g;
const POSTGRES =
  /(?<![\w-])(?:pg|postgres|psycopg\w*(?:-binary)?|asyncpg|pq|pgx|@neondatabase\/serverless)(?![\w-])/;
const POSTGRES_URL = /postgres(?:ql)?(?:\+\w+)?:\/\/|pgsql/;
const SQLITE_FILE = /["'`=](?:sqlite:(?:\/\/\/)?|file:)?((?:\.{0,2}\/)?[\w./-]+\.(?:db|sqlite3?))\b/g;

/**
 * Finds the database that the server uses, and the source of its address.
 * @param stateUrl replaces a database that is not found
 */
export function findDatabase(sources: Source[], manifests: Source[], stateUrl: string): Database {
  const [declared] = findAll(DECLARED, sources);
  const [file] = findAll(SQLITE_FILE, sources);
  const isPostgres = declared
    ? declared.value === "postgres"
    : manifests.some(({ text }) => POSTGRES.test(text)) ||
      sources.some(({ text }) => POSTGRES_URL.test(text));
  const variables = findAll(VARIABLE, sources);
  // A variable on the same line as a file name is read in preference to the name.
  const variable =
    variables.find(({ at }) => at === file?.at) ?? variables.find(({ value }) => OF_DATABASE.test(value));
  const name = variable?.value ?? "DATABASE_URL";
  const set = findAll(new RegExp(`^(?:export )?${name}=["']?([^"'\\s#]+)`, "gm"), sources);
  const here = set.find(({ source }) => /^\.env(?:\.local)?$/.test(source.path));
  const common = { variable: variable ?? { value: name }, envFile: here?.source.path };
  if (isPostgres) {
    const example = set.find((one) => one !== here && POSTGRES_URL.test(one.value));
    const state = example ?? { value: "postgres://localhost:5432/postgres" };
    return { kind: "postgres", state, ...common };
  }
  const isSqlite = declared
    ? declared.value === "sqlite"
    : file || manifests.some(({ text }) => /sqlite/i.test(text));
  if (isSqlite) {
    const named = file ? { ...file, value: pathOf(file) } : { value: here?.value ?? "app.db" };
    // Prisma's paths are relative to its schema.
    const inPrisma = join("prisma", named.value);
    const path = existsSync(inPrisma) ? inPrisma : named.value.replace(/^\.\//, "");
    return { kind: "sqlite", state: { ...named, value: `sqlite:${path}` }, ...common };
  }
  return { kind: "other", state: { value: stateUrl }, ...common };
}

/** The path of a file. A path relative to the code's folder, as after `__DIR__`, is not absolute. */
const pathOf = ({ value, source }: Hit): string =>
  value.startsWith("/") && !existsSync(value) ? posix.join(posix.dirname(source.path), value) : value;
