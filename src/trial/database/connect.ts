import type { Dialect } from "./dialect.ts";
import { isPostgres, sqliteFile } from "./source.ts";

interface ConnectOptions {
  /** The user's name for the database, if the source is a copy of it. */
  shown?: string | undefined;
  /** Whether it is only read. Then it has no shelf. */
  readonly?: boolean | undefined;
}

/** Connects to a database with its shelf. @throws SandboxError `not_found`, `bad_request`, `unreachable` */
export async function connect(source: string, options: ConnectOptions = {}): Promise<Dialect> {
  if (isPostgres(source)) return (await import("./postgres/dialect.ts")).connectPostgres(source, options);
  return (await import("./sqlite/dialect.ts")).connectSqlite(sqliteFile(source), options);
}

/** Runs work on a new connection, and closes it. */
export async function using<Result>(
  opening: Promise<Dialect> | Dialect,
  work: (dialect: Dialect) => Promise<Result>,
): Promise<Result> {
  const dialect = await opening;
  return dialect.inTurn(() => work(dialect)).finally(dialect.end);
}
