import { stateSource } from "../../trial/database/source.ts";

/** The kinds of databases that a trial can copy, and how they differ in a configuration. */

export type Part = "host" | "port" | "user" | "password" | "database";

/** Each database server's typical values, for settings that a project does not specify. */
const SERVERS = {
  postgres: { host: "127.0.0.1", port: "5432", user: "postgres", password: "", database: "postgres" },
  mysql: { host: "127.0.0.1", port: "3306", user: "root", password: "", database: "app" },
} as const satisfies Record<string, Record<Part, string>>;

export type ServerKind = keyof typeof SERVERS;

export const isServer = (kind: string | undefined): kind is ServerKind =>
  kind !== undefined && Object.hasOwn(SERVERS, kind);

export const isCopied = (kind: string): boolean => kind === "sqlite" || isServer(kind);

export const usualOf = (kind: ServerKind): Record<Part, string> => SERVERS[kind];

export const usualAddress = (kind: ServerKind): string =>
  kind === "postgres" ? "postgres://localhost:5432/postgres" : "mysql://root@localhost:3306/app";

/** The kind of database server that an address in any format refers to; undefined for any other text. */
export function serverAt(address: string): ServerKind | undefined {
  const source = stateSource(address);
  return /^postgres/.test(source) ? "postgres" : /^(?:mysql|mariadb):/.test(source) ? "mysql" : undefined;
}

/** Builds a database URL from its parts. @param part a part's value; empty to omit it */
export function addressOf(kind: ServerKind, part: (name: Part, usual: string) => string): string {
  const text = (name: Part) => part(name, SERVERS[kind][name]);
  const password = text("password");
  return `${kind}://${text("user")}${password && `:${password}`}@${text("host")}:${text("port")}/${text("database")}`;
}
