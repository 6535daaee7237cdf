import {
  type Credentials,
  type DatabaseVariable,
  type Place,
  plainUrl,
  type ServerForms,
  serverUrl,
  serverValue,
} from "../database-variable.ts";

/** Go's `shop:secret@tcp(localhost:3306)/shop?parseTime=true`, optionally with a scheme. */
const GO = /^([a-z][a-z0-9]*:\/\/)?((?:[^@]|@(?=.*@))*@)?(?:tcp6?|unix)\([^)]*\)\/([^?]*)(\?.*)?$/is;
const GO_PLACE = /^(?:[a-z][a-z0-9]*:\/\/)?(?:(.*)@)?(tcp6?|unix)\(([^)]*)\)\/([^?]*)/is;
const GO_TLS = /^(?:tls|allowFallbackToPlaintext)=/i;

const MYSQL: ServerForms = {
  url: /^(?:\w+:)?(?:\w*mysql\w*|mariadb)[a-z0-9+.-]*:/i,
  scheme: "mysql",
  notHandedOn:
    /^(?:ssl|use_?ssl$|require_?ssl$|verify_?server_?certificate$|tls|enabled?tls|server_?ssl_?cert$|unix_?socket$|socket(?:path)?$|local_?socket$|host$|port$)/i,
  // Other drivers fall back to no encryption if the server does not offer it.
  unencrypted: (scheme) => (/^(?:jdbc|r2dbc):mysql/i.test(scheme) ? "sslMode=DISABLED" : undefined),
  off: "DISABLED",
  ownForm(present, { host, port, database, user, password }) {
    const [all, scheme = "", own = "", , query = ""] = GO.exec(present) ?? [];
    if (all === undefined) return undefined;
    const as = user === undefined ? own : `${user}:${password ?? ""}@`;
    const left = query
      .slice(1)
      .split("&")
      .filter((one) => one !== "" && !GO_TLS.test(one));
    const end = left.length > 0 ? `?${left.join("&")}` : "";
    return `${scheme}${as}tcp(${host}:${port})/${encodeURIComponent(database)}${end}`;
  },
  // PHP's DSN, and the list of .NET's clients. SQL Server's list has no such keys.
  list: /^(?:mysql:(?!\/\/)|(?=(?:.*;)?\s*Server\s*=)(?=(?:.*;)?\s*Database\s*=)(?=(?:.*;)?\s*(?:uid|sslmode|port)\s*=))(.+)$/is,
  ownUrl(address) {
    const [all, credentials = "", network = "", place = "", database = ""] = GO_PLACE.exec(address) ?? [];
    if (all === undefined) return undefined;
    const [, user = "", password = ""] = /^([^:]*):?(.*)$/s.exec(credentials)!;
    const isSocket = network === "unix";
    const url = new URL(`mysql://localhost/${database}`);
    if (isSocket) url.searchParams.set("socket", place);
    else if (place !== "") url.host = place;
    [url.username, url.password] = [encodeURIComponent(user), encodeURIComponent(password)];
    return url.href;
  },
};

/** @see serverValue */
export const mysqlValue = (variable: DatabaseVariable, address: string, place: Place): string | undefined =>
  serverValue(MYSQL, variable, address, place);

/** Changes a URL's location and turns encryption off; undefined if the URL cannot be parsed. */
export const mysqlUrlAt = (address: string, place: Place): string | undefined =>
  serverUrl(MYSQL, address, place);

/** @see plainUrl */
export const mysqlUrl = (address: string, credentials: Credentials): string | undefined =>
  plainUrl(MYSQL, address, credentials);
