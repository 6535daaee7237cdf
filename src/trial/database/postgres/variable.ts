import {
  type Credentials,
  type DatabaseVariable,
  type Place,
  plainUrl,
  type ServerForms,
  serverUrl,
  serverValue,
} from "../database-variable.ts";

const POSTGRES: ServerForms = {
  url: /^(?:\w+:)?(?:\w*postgres|pgsql|postgis|pg|ecto|cockroach|timescale)[a-z0-9+.-]*:/i,
  scheme: "postgresql",
  notHandedOn: /^(?:ssl|channel_?binding$|gssencmode$|host(?:addr)?$|port$)/i,
  unencrypted(scheme) {
    if (/^r2dbc:/i.test(scheme)) return "sslMode=disable";
    if (/\+asyncpg/i.test(scheme)) return "ssl=disable";
    return /\+(?!psycopg)/i.test(scheme) ? undefined : "sslmode=disable";
  },
  off: "disable",
  // PHP's DSN, libpq's list and Npgsql's.
  list: /^(?:pgsql:(?!\/\/)|(?=.*\bdbname\s*=)(?=(?:\s*[a-z_]+\s*=\s*(?:'[^']*'|[^\s;']*))+\s*$)|(?=(?:.*;)?\s*Host\s*=)(?=.*;\s*Database\s*=))(.+)$/is,
};

/** @see serverValue */
export const postgresValue = (
  variable: DatabaseVariable,
  address: string,
  place: Place,
): string | undefined => serverValue(POSTGRES, variable, address, place);

/** Changes a URL's location and turns encryption off; undefined if the URL cannot be parsed. */
export const urlAt = (address: string, place: Place): string | undefined =>
  serverUrl(POSTGRES, address, place);

/** @see plainUrl */
export function postgresUrl(address: string, credentials: Credentials): string | undefined {
  const plain = plainUrl(POSTGRES, address, credentials);
  // JDBC's name for the schema.
  return plain?.replace(/([?&])currentSchema=/, "$1schema=");
}
