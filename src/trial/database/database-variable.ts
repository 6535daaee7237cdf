/**
 * The formats of database addresses in a server's variables: a part of the address, or some kind of URL or list. A
 * variable's new value keeps the format of its current one, and a trial reads each format as its `state`.
 */

/** Where a server finds the copy of its database. */
export interface Place {
  host: string;
  port: number;
  database: string;
  /** The user and password, if they also change. */
  user?: string;
  password?: string;
}

export interface DatabaseVariable {
  name: string;
  /** The variable's current value. */
  present: string | undefined;
  /** The names of all variables. If they include `DB_USERNAME`, `DB_DATABASE` is a database name. */
  all: readonly string[];
}

type Part = "host" | "port" | "socket" | "user" | "password" | "sslmode" | "database";

/** The first match counts, so that a user name is not mistaken for a database name. */
const PARTS: readonly (readonly [Part, RegExp])[] = [
  ["host", /(?:HOST(?:ADDR|_?NAME)?|SERVER)$/i],
  ["port", /PORT$/i],
  ["socket", /SOCKET$/i],
  ["user", /(?:USER(?:_?NAME)?|LOGIN)$/i],
  ["password", /(?:PASS(?:WORD|WD)?|PWD)$/i],
  ["sslmode", /SSL_?MODE$/i],
  ["database", /(?:NAME|_DB|^PGDATABASE)$/i],
];

export const partIn = (name: string): Part | undefined =>
  PARTS.find(([, pattern]) => pattern.test(name))?.[0];

/** The part that an unset variable holds. Next to `DB_USERNAME`, `DB_DATABASE` is a name; alone, it may be a URL. */
function partByName({ name, all }: DatabaseVariable): Part | undefined {
  const [, prefix] = /^(.+)DATABASE$/i.exec(name) ?? [];
  const isName = prefix !== undefined && all.some((one) => one.startsWith(prefix) && partIn(one));
  return isName ? "database" : partIn(name);
}

/** The connection formats of a kind of database server. */
export interface ServerForms {
  /** Matches the URLs that this kind's clients use. */
  url: RegExp;
  /** The scheme in JDBC URLs. */
  scheme: string;
  /** URL parameters that concern encryption or override the host. */
  notHandedOn: RegExp;
  /** The URL parameter that turns encryption off, if one is needed. Drivers reject unknown parameters. */
  unencrypted(scheme: string): string | undefined;
  /** The value that turns encryption off, in a separate variable or in a list. */
  off: string;
  /** Converts a format specific to this kind; undefined for any other format. */
  ownForm?(present: string, place: Place): string | undefined;
  /** Matches a list of keys and values that only this kind's clients read. Its first group is the list. */
  list: RegExp;
  /** Converts a format specific to this kind to a URL; undefined for any other format. */
  ownUrl?(address: string): string | undefined;
}

/** The user and password of a database, for formats without them. */
export interface Credentials {
  user?: string | undefined;
  password?: string | undefined;
}

const IS_URL = /^(?:\w+:)?[a-z][a-z0-9+.-]*:\/\/|^jdbc:/i;
const HOST_AND_PORT = /^(?:[\w.-]+|\[[\da-f:]+\]):\d+$/i;
/** `Host=localhost;Database=shop` in ADO.NET, `pgsql:host=localhost;dbname=shop` in PHP, `host=localhost dbname=shop` in libpq. */
const IS_LIST = /(?:^|[:;\s])[a-z][\w ]*=/i;
const ADO_NAME = /^ConnectionStrings?(?:__|:)/i;
const JDBC_NAME = /JDBC|DATASOURCE_URL$/i;

/**
 * @param address the user's database URL, for parts that a variable lacks
 * @returns undefined if the variable keeps its value
 */
export function serverValue(
  forms: ServerForms,
  variable: DatabaseVariable,
  address: string,
  place: Place,
): string | undefined {
  const { name, present } = variable;
  const own = present && forms.ownForm?.(present, place);
  if (own) return own;
  if (present && IS_URL.test(present))
    return (
      serverUrl(forms, forms.url.test(present) ? present : address, place) ?? serverUrl(forms, address, place)
    );
  if (present && IS_LIST.test(present)) return listAt(forms, present, place);
  const { username, password } = new URL(address);
  const credentials = { user: decodeURIComponent(username), password: decodeURIComponent(password) };
  const part = present ? (partIn(name) ?? "database") : partByName(variable);
  if (part === "user" || part === "password")
    return place[part] ?? (present || credentials[part] || undefined);
  if (present && part !== "port" && HOST_AND_PORT.test(present)) return `${place.host}:${place.port}`;
  // Clear the socket, which would take precedence over the host.
  if (part === "socket") return present && "";
  if (part !== undefined) return { ...place, port: String(place.port), sslmode: forms.off }[part];
  if (ADO_NAME.test(name)) return listOf({ ...place, ...credentials });
  const url = serverUrl(forms, address, place)!;
  return JDBC_NAME.test(name) ? jdbcOf(forms, url, credentials) : url;
}

/** The file in the variable's current format: `file:./shop.db?mode=rw` becomes `file:/…/work.db?mode=rw`. */
export function sqliteValue(variable: DatabaseVariable, file: string): string | undefined {
  const { name, present } = variable;
  if (!present) {
    if (["host", "port", "socket", "user", "password", "sslmode"].includes(partByName(variable)!))
      return undefined;
    if (ADO_NAME.test(name)) return `Data Source=${file}`;
    return JDBC_NAME.test(name) ? `jdbc:sqlite:${file}` : name === "DATABASE_URL" ? `file:${file}` : file;
  }
  if (SQLITE_LIST.test(present)) return present.replace(SQLITE_LIST, (_, key: string) => `${key}${file}`);
  const part = partIn(name);
  if (part !== undefined && part !== "database") return undefined;
  const [, scheme = "", , query = ""] = SQLITE_URL.exec(present) ?? [];
  return `${scheme}${file}${query}`;
}

const SQLITE_LIST = /((?:^|;)\s*(?:data ?source|filename|database|uri)\s*=\s*)("[^"]*"|[^;]*)/i;
const SQLITE_URL =
  /^((?:file|(?:jdbc:)?sqlite3?(?:\+\w+)?|libsql)(?::\/\/\/?(?=\/?[^/]|$)|:))?([^?]*)(\?.*)?$/;

/** Changes a URL's location and turns encryption off; undefined if the URL cannot be parsed. */
export function serverUrl(
  { notHandedOn, unencrypted }: ServerForms,
  address: string,
  { host, port, database, user, password = "" }: Place,
): string | undefined {
  const { outer, url } = parsed(address) ?? {};
  if (!url) return undefined;
  url.host = `${host}:${port}`;
  url.pathname = `/${encodeURIComponent(database)}`;
  const given: Record<string, string> = user === undefined ? {} : { user, password };
  if (user !== undefined && outer === "")
    [url.username, url.password] = [encodeURIComponent(user), encodeURIComponent(password)];
  const left = url.search
    .slice(1)
    .split("&")
    .map((one) =>
      one.replace(/^(user|password)=.*/, (all, name: string) =>
        given[name] === undefined ? all : `${name}=${encodeURIComponent(given[name])}`,
      ),
    )
    .filter((one) => one !== "" && !notHandedOn.test(decodeURIComponent(one.split("=")[0]!)));
  url.search = [...left, unencrypted(`${outer}${url.protocol}`)].filter(Boolean).join("&");
  return outer + url.href;
}

/** @returns the address without the prefix of Java's clients, and that prefix; undefined if it cannot be parsed */
function parsed(address: string): { outer: string; url: URL } | undefined {
  const [, outer = "", inner = ""] = /^((?:jdbc|r2dbc):)?(.*)$/is.exec(address)!;
  // JDBC's short form has no host. If there are several hosts, any one will do here.
  const single = inner
    .replace(/^(postgresql):(?!\/\/)/i, "$1://localhost/")
    .replace(/^(\w+):[a-z]+:\/\//i, "$1://")
    .replace(/(:\/\/(?:[^/?#@]*@)?[^/?#,@]*),[^/?#@]*/, "$1");
  return URL.canParse(single) ? { outer, url: new URL(single) } : undefined;
}

/**
 * The plain URL for an address in another client's format: `postgresql+asyncpg://…`, `jdbc:…`, or a list.
 * @returns undefined if this kind's clients have no such format
 */
export function plainUrl(forms: ServerForms, address: string, credentials: Credentials): string | undefined {
  const own = forms.ownUrl?.(address);
  if (own) return own;
  const list = forms.list.exec(address)?.[1];
  const url =
    list === undefined
      ? forms.url.test(address) && URL_START.test(address) && parsed(address)?.url
      : urlOfList(forms, list);
  if (!url) return undefined;
  const given = { ...credentials };
  for (const name of ["user", "password"] as const) {
    given[name] = url.searchParams.get(name) ?? given[name];
    url.searchParams.delete(name);
  }
  const plain = new URL(url.href.replace(/^[^:]+/, forms.scheme));
  plain.username ||= encodeURIComponent(given.user ?? "");
  plain.password ||= encodeURIComponent(given.password ?? "");
  return plain.href;
}

/** The start of a URL with a host, or of JDBC's short form. */
const URL_START = /^[^/?#]*:\/\/|^jdbc:postgresql:/i;

function urlOfList({ scheme }: ServerForms, list: string): URL | undefined {
  const values: Partial<Record<Part, string>> = {};
  for (const [, key = "", , value = ""] of list.matchAll(pairsIn(list))) {
    const part = LIST_KEYS.find(([, keys]) => keys.test(key))?.[0];
    if (part !== undefined) values[part] = value.trim().replace(/^(["'])(.*)\1$/, "$2");
  }
  const { host = "", port = "", socket = host.startsWith("/") ? host : undefined } = values;
  const place = socket === undefined ? `${host || "localhost"}${port && `:${port}`}` : "localhost";
  const address = `${scheme}://${place}/${encodeURIComponent(values.database ?? "")}`;
  if (values.database === undefined || !URL.canParse(address)) return undefined;
  const url = new URL(address);
  for (const name of ["user", "password"] as const)
    if (values[name]) url[name === "user" ? "username" : name] = encodeURIComponent(values[name]);
  if (socket !== undefined) url.searchParams.set(scheme === "mysql" ? "socket" : "host", socket);
  return url;
}

function jdbcOf(
  { scheme, unencrypted }: ServerForms,
  url: string,
  credentials: { user: string; password: string },
): string {
  const plain = new URL(url.replace(/^[^:]+/, scheme));
  const off = unencrypted(`jdbc:${scheme}:`);
  if (off && !plain.search) plain.search = off;
  for (const [name, value] of Object.entries(credentials)) if (value) plain.searchParams.set(name, value);
  [plain.username, plain.password] = ["", ""];
  return `jdbc:${plain.href}`;
}

const LIST_KEYS: readonly (readonly [Part, RegExp])[] = [
  ["host", /^(?:host(?:addr)?|server|data ?source|addr(?:ess)?|network address)$/i],
  ["port", /^port$/i],
  ["socket", /^(?:unix_socket|socket)$/i],
  ["database", /^(?:database|initial catalog|dbname|db)$/i],
  ["user", /^(?:user(?:name| ?id)?|uid)$/i],
  ["password", /^(?:password|pwd)$/i],
  ["sslmode", /^(?:ssl[ -]?mode|channel[ _]binding)$/i],
];

const isDivided = (list: string): boolean => list.includes(";");

/** Matches a list's pairs: key, equals sign, value. */
const pairsIn = (list: string): RegExp =>
  isDivided(list)
    ? /([a-z][\w ]*?)(\s*=\s*)("[^"]*"|'[^']*'|[^;]*)/gi
    : /([a-z]\w*)(\s*=\s*)('(?:\\.|[^'\\])*'|\S*)/gi;

/** Changes the location in a list of keys and values, and nothing else. */
function listAt(
  { off }: ServerForms,
  present: string,
  { host, port, database, ...credentials }: Place,
): string {
  const values: Partial<Record<Part, string>> = {
    ...{ host, port: String(port), database, sslmode: off },
    ...credentials,
  };
  const missing = new Map<Part, string>([
    ["host", host],
    ["port", String(port)],
    ["database", database],
  ]);
  const led = present.replace(pairsIn(present), (all, key: string, equals: string) => {
    const part = LIST_KEYS.find(([, keys]) => keys.test(key))?.[0];
    if (part === "socket") return "";
    if (part === undefined || values[part] === undefined) return all;
    missing.delete(part);
    return `${key}${equals}${values[part]}`;
  });
  // .NET's keys are capitalized.
  const isAdo = /(?:^|;)\s*[A-Z]/.test(present);
  const names: Partial<Record<Part, string>> = isAdo
    ? { host: "Host", port: "Port", database: "Database" }
    : { database: "dbname" };
  const more = [...missing].map(([part, value]) => `${names[part] ?? part}=${value}`);
  const separator = isDivided(present) ? ";" : " ";
  return [led.replace(/;\s*$/, ""), ...more].join(separator);
}

const listOf = ({
  host,
  port,
  database,
  user,
  password,
}: Place & { user: string; password: string }): string =>
  Object.entries({ Host: host, Port: port, Database: database, Username: user, Password: password })
    .flatMap(([key, value]) =>
      value === "" ? [] : `${key}=${String(value).includes(";") ? `"${value}"` : value}`,
    )
    .join(";");
