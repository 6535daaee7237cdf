import {
  type DatabaseVariable,
  type Place,
  type ServerForms,
  serverUrl,
  serverValue,
} from "../database-variable.ts";

/** `shop:secret@tcp(localhost:3306)/shop?parseTime=true` of Go, also with a scheme before it. */
const GO = /^([a-z][a-z0-9]*:\/\/)?((?:[^@]|@(?=.*@))*@)?(?:tcp6?|unix)\([^)]*\)\/([^?]*)(\?.*)?$/is;
const GO_TLS = /^(?:tls|allowFallbackToPlaintext)=/i;

const MYSQL: ServerForms = {
  url: /^(?:\w+:)?(?:\w*mysql\w*|mariadb)[a-z0-9+.-]*:/i,
  scheme: "mysql",
  notHandedOn:
    /^(?:ssl|use_?ssl$|require_?ssl$|verify_?server_?certificate$|tls|enabled?tls|server_?ssl_?cert$|unix_?socket$|socket(?:path)?$|local_?socket$|host$|port$)/i,
  // The others are content without encryption where a server has none.
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

/** A URL with another place and without encryption; undefined for one that cannot be read. */
export const mysqlUrlAt = (address: string, place: Place): string | undefined =>
  serverUrl(MYSQL, address, place);
