import {
  type DatabaseVariable,
  type Place,
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
