/**
 * New values for variables that configure a server's database. Each variable keeps its current format: a part of the
 * address, or some kind of URL.
 */

/** Where a server finds the copy of its database. */
export interface Place {
  host: string;
  port: number;
  database: string;
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

const partIn = (name: string): Part | undefined => PARTS.find(([, pattern]) => pattern.test(name))?.[0];

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
  if (part === "user" || part === "password") return present || credentials[part] || undefined;
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
  { host, port, database }: Place,
): string | undefined {
  const [, outer = "", inner = ""] = /^((?:jdbc|r2dbc):)?(.*)$/is.exec(address)!;
  // JDBC's short form has no host. If there are several hosts, any one will do here.
  const single = inner
    .replace(/^(postgresql):(?!\/\/)/i, "$1://localhost/")
    .replace(/^(\w+):[a-z]+:\/\//i, "$1://")
    .replace(/(:\/\/(?:[^/?#@]*@)?[^/?#,@]*),[^/?#@]*/, "$1");
  if (!URL.canParse(single)) return undefined;
  const url = new URL(single);
  url.host = `${host}:${port}`;
  url.pathname = `/${encodeURIComponent(database)}`;
  const left = url.search
    .slice(1)
    .split("&")
    .filter((one) => one !== "" && !notHandedOn.test(decodeURIComponent(one.split("=")[0]!)));
  url.search = [...left, unencrypted(`${outer}${url.protocol}`)].filter(Boolean).join("&");
  return outer + url.href;
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
  ["sslmode", /^(?:ssl[ -]?mode|channel[ _]binding)$/i],
];

/** Changes the location in a list of keys and values, and nothing else. */
function listAt({ off }: ServerForms, present: string, { host, port, database }: Place): string {
  const isDivided = present.includes(";");
  const values: Partial<Record<Part, string>> = { host, port: String(port), database, sslmode: off };
  const missing = new Map<Part, string>([
    ["host", host],
    ["port", String(port)],
    ["database", database],
  ]);
  const pattern = isDivided
    ? /([a-z][\w ]*?)(\s*=\s*)("[^"]*"|'[^']*'|[^;]*)/gi
    : /([a-z]\w*)(\s*=\s*)('(?:\\.|[^'\\])*'|\S*)/gi;
  const led = present.replace(pattern, (all, key: string, equals: string) => {
    const part = LIST_KEYS.find(([, keys]) => keys.test(key))?.[0];
    if (part === undefined) return all;
    if (part === "socket") return "";
    missing.delete(part);
    return `${key}${equals}${values[part]}`;
  });
  // .NET's keys are capitalized.
  const isAdo = /(?:^|;)\s*[A-Z]/.test(present);
  const names: Partial<Record<Part, string>> = isAdo
    ? { host: "Host", port: "Port", database: "Database" }
    : { database: "dbname" };
  const more = [...missing].map(([part, value]) => `${names[part] ?? part}=${value}`);
  const separator = isDivided ? ";" : " ";
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
