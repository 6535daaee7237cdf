import { readFileSync } from "node:fs";
import type { ConnectionOptions } from "node:tls";
import { misuse } from "../../../errors/errors.ts";
import { withoutPasswords } from "../../../runtime/redact.ts";

const PORT = 3306;

/** A parsed `mysql://` or `mariadb://` URL. */
export interface MysqlAddress {
  user: string;
  password: string;
  database: string;
  /** Where the server listens: a host and port, or a socket. */
  place: { host: string; port: number } | { path: string };
  /** How the connection is encrypted; undefined if it is not encrypted. */
  tls: ConnectionOptions | undefined;
}

/** @throws SandboxError `bad_request` for an invalid URL, or one without a database */
export function readAddress(address: string): MysqlAddress {
  const shown = withoutPasswords(address);
  const url = URL.canParse(address) ? new URL(address) : undefined;
  const database = decodeURIComponent(url?.pathname.slice(1) ?? "");
  if (!url || database === "")
    throw misuse(
      `${shown} is not a database URL.`,
      "For example: --state mysql://shop:password@localhost:3306/shop",
    );
  const parameters = new Map([...url.searchParams].map(([name, value]) => [plain(name), value]));
  const socket = parameters.get("socketpath") ?? parameters.get("unixsocket") ?? parameters.get("socket");
  return {
    user: decodeURIComponent(url.username) || "root",
    password: decodeURIComponent(url.password),
    database,
    place:
      socket === undefined
        ? { host: url.hostname.replace(/^\[|\]$/g, "") || "localhost", port: Number(url.port || PORT) }
        : { path: socket },
    tls: tlsOf(parameters),
  };
}

const plain = (name: string): string => name.toLowerCase().replaceAll(/[^a-z]/g, "");

const OFF = /^(?:disabled?|false|0|off|no|preferred|trust)?$/i;
const VERIFIED = /^(?:verify.*|strict)$/i;

/** The TLS options from a URL's parameters, in the usual clients' notation. */
function tlsOf(parameters: ReadonlyMap<string, string>): ConnectionOptions | undefined {
  const mode =
    parameters.get("sslmode") ??
    parameters.get("sslaccept") ??
    parameters.get("usessl") ??
    parameters.get("ssl") ??
    parameters.get("tls");
  if (mode === undefined || OFF.test(mode)) return undefined;
  const authority = parameters.get("sslca") ?? parameters.get("sslcert");
  return {
    rejectUnauthorized: VERIFIED.test(mode),
    ...(authority !== undefined && { ca: readFileSync(authority) }),
  };
}
