import {
  type DatabaseVariable,
  type Place,
  type ServerForms,
  serverUrl,
  serverValue,
} from "../database-variable.ts";

/** Go's `shop:secret@tcp(localhost:3306)/shop?parseTime=true`, optionally with a scheme. */
const GO = /^([a-z][a-z0-9]*:\/\/)?((?:[^@]|@(?=.*@))*@)?(?:tcp6?|unix)\([^)]*\)\/([^?]*)(\?.*)?$/is;
const GO_TLS = /^(?:tls|allowFallbackToPlaintext)=/i;

const MYSQL: ServerForms = {
  url: /^(?:\w+:)?(?:\w*mysql\w*|mariadb)[a-z0-9+.-]*:/i,
  scheme: "mysql",
  notHandedOn:
    /^(?:ssl|use_?ssl$|require_?ssl$|verify_?server_?certificate$|tls|enabled?tls|server_?ssl_?cert$|unix_?socket$|socket(?:path)?$|local_?socket$|host$|port$)/i,
  // Other drivers fall back to no encryption if the server does not offer it.
  unencrypted: (scheme) => (/^(?:jdbc|r2dbc):mysql/i.test(scheme) ? "sslMode=DISABLED" : undefined),
  off: "DISABLED",
  ownForm(present, { host, port, database }) {
    const [all, scheme = "", user = "", , query = ""] = GO.exec(present) ?? [];
    if (all === undefined) return undefined;
    const left = query
      .slice(1)
      .split("&")
      .filter((one) => one !== "" && !GO_TLS.test(one));
    const end = left.length > 0 ? `?${left.join("&")}` : "";
    return `${scheme}${user}tcp(${host}:${port})/${encodeURIComponent(database)}${end}`;
  },
};

/** @see serverValue */
export const mysqlValue = (variable: DatabaseVariable, address: string, place: Place): string | undefined =>
  serverValue(MYSQL, variable, address, place);

/** Changes a URL's location and turns encryption off; undefined if the URL cannot be parsed. */
export const mysqlUrlAt = (address: string, place: Place): string | undefined =>
  serverUrl(MYSQL, address, place);
