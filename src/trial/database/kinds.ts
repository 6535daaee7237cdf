import { existsSync, realpathSync } from "node:fs";
import type { DatabaseKind } from "./kind.ts";
import { mysqlUrl } from "./mysql/variable.ts";
import { postgresUrl } from "./postgres/variable.ts";

const SQLITE = "sqlite:";
const fileIn = (source: string): string => source.slice(SQLITE.length);

const sqlite: DatabaseKind = {
  isAt: (source) => source.startsWith(SQLITE),
  sourceOf(address) {
    const [, file] =
      /^(?:jdbc:)?(?:file|sqlite3?(?:\+\w+)?):(?:\/\/(?:\/(?=\/))?)?([^?]+)/i.exec(address) ?? [];
    if (file === undefined || /^sqlite:(?!\/\/)/.test(address)) return undefined;
    // For SQLAlchemy, a path after `sqlite:///` is relative; for other clients, it is absolute.
    const isRelative = /^sqlite.*:\/{3}(?!\/)/i.test(address) && !existsSync(file);
    return `${SQLITE}${isRelative ? file.slice(1) : file}`;
  },
  exists: (source) => existsSync(fileIn(source)),
  identityOf(source) {
    const file = fileIn(source);
    return existsSync(file) ? realpathSync(file) : file;
  },
  connect: async (source, options) =>
    (await import("./sqlite/dialect.ts")).connectSqlite(fileIn(source), options),
  sizeOf: async (source) => (await import("./sqlite/size.ts")).sizeOfSqlite(fileIn(source)),
  copy: async (source) => (await import("./sqlite/work.ts")).copySqlite(fileIn(source)),
  abandoned: async (dialect) => (await import("./sqlite/work.ts")).abandonedSqlite(dialect),
  companions: {},
  elsewhere: "",
};

const postgres: DatabaseKind = {
  isAt: (source) => /^postgres(?:ql)?:/i.test(source),
  sourceOf: (address, credentials) =>
    /^postgres(?:ql)?:\/\//i.test(address) ? undefined : postgresUrl(address, credentials),
  exists: () => true,
  identityOf: hostPortAndPath,
  connect: async (source, options) =>
    (await import("./postgres/dialect.ts")).connectPostgres(source, options),
  sizeOf: async (source) => (await import("./postgres/size.ts")).sizeOfPostgres(source),
  copy: async (source) => (await import("./postgres/work.ts")).copyPostgres(source),
  abandoned: async (dialect) => (await import("./postgres/work.ts")).abandonedPostgres(dialect),
  openStatements: async (address) => (await import("../statements/postgres/wire.ts")).openStatements(address),
  companions: { PGDATABASE: ["PGHOST", "PGPORT", "PGSSLMODE"] },
  elsewhere: ", and to this schema (?schema=… specifies another one)",
};

const mysql: DatabaseKind = {
  isAt: (source) => /^(?:mysql|mariadb):/i.test(source),
  sourceOf: (address, credentials) =>
    /^(?:mysql|mariadb):\/\/(?!.*\()/i.test(address) ? undefined : mysqlUrl(address, credentials),
  exists: () => true,
  identityOf: hostPortAndPath,
  connect: async (source, options) => (await import("./mysql/dialect.ts")).connectMysql(source, options),
  sizeOf: async (source) => (await import("./mysql/size.ts")).sizeOfMysql(source),
  copy: async (source) => (await import("./mysql/work.ts")).copyMysql(source),
  abandoned: async (dialect) => (await import("./mysql/work.ts")).abandonedMysql(dialect),
  openStatements: async (address) => (await import("../statements/mysql/wire.ts")).openStatements(address),
  companions: {},
  elsewhere: "",
};

export const KINDS: readonly DatabaseKind[] = [sqlite, postgres, mysql];

function hostPortAndPath(source: string): string {
  if (!URL.canParse(source)) return source;
  const { hostname, port, pathname } = new URL(source);
  return `${hostname}:${port}${pathname}`;
}
