import { mysqlValue } from "../../trial/database/mysql/variable.ts";
import { postgresValue } from "../../trial/database/postgres/variable.ts";
import { type Database, variablesOf } from "./database.ts";
import { addressOf, type Part, type ServerKind } from "./database-kinds.ts";

/** The databases that the templates for a CI job start as a service. */
const SERVICES: Record<ServerKind, Record<Part, string>> = {
  postgres: { host: "127.0.0.1", port: "5432", user: "postgres", password: "postgres", database: "postgres" },
  mysql: { host: "127.0.0.1", port: "3306", user: "root", password: "mysql", database: "app" },
};
const VALUE_FOR = { postgres: postgresValue, mysql: mysqlValue };
/** Turns encryption off, which a client on the same machine does not use anyway. */
const UNENCRYPTED = /[?&]ssl(?:mode)?=disable$/i;

/** The URL of a CI job's database service. */
export const serviceAddress = (kind: ServerKind): string => addressOf(kind, (part) => SERVICES[kind][part]);

/** A CI job's variables with the location of its database service, each in the format that the server reads. */
export function serviceVariables(kind: ServerKind, database: Database): [name: string, value: string][] {
  const { parts, variable, format } = database;
  const service = SERVICES[kind];
  if (parts) return Object.entries(parts).map(([part, { name }]) => [name, service[part as Part]]);
  const all = variablesOf(database);
  // Options in an address on this machine may be private.
  const present = format?.replace(/\?.*$/, "");
  return all.map((name) => {
    const own = { name, present: name === variable.value ? present : undefined, all };
    const place = { ...service, port: Number(service.port) };
    return [name, VALUE_FOR[kind](own, serviceAddress(kind), place)?.replace(UNENCRYPTED, "") ?? ""];
  });
}
