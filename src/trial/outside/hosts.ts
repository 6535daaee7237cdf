import { isIP } from "node:net";
import { plainAddress } from "../../runtime/plain-address.ts";
import { readIfThere } from "../../runtime/read-if-there.ts";

/**
 * Determines which hosts belong to this machine and its private networks. The preload uses this file in the user's process.
 */

/** A host and its port. The name is in lower case, without a trailing dot or brackets. */
export interface Place {
  host: string;
  port: number;
}

const PORTS: Record<string, number> = { http: 80, https: 443 };

export const plainHost = (host: string): string =>
  host
    .toLowerCase()
    .replace(/^\[|\]$/g, "")
    .replace(/\.$/, "");

/** A place as people write it, without the default port of HTTP or HTTPS. */
export const placeText = ({ host, port }: Place): string => {
  const name = host.includes(":") ? `[${host}]` : host;
  return Object.values(PORTS).includes(port) ? name : `${name}:${port}`;
};

/** Parses `api.acme.io:443`, `[2001:db8::1]:443` or `api.acme.io`. @param port the default */
export function placeIn(text: string, port: number): Place {
  const [, host = text, own] = /^(\[[^\]]*\]|[^:]*)(?::(\d+))?$/.exec(text) ?? [];
  return { host: plainHost(host), port: own === undefined ? port : Number(own) };
}

export function placeOf({ protocol, hostname, port }: URL): Place {
  return { host: plainHost(hostname), port: Number(port || PORTS[protocol.slice(0, -1)]) };
}

/** An API's hosts, for `isListed`. */
export const hostsOf = ({ base, hosts }: { base: string; hosts: readonly string[] }): string[] => [
  placeText(placeOf(new URL(base))),
  ...hosts,
];

/**
 * Whether a place matches one of the names: `api.acme.io`, `*.acme.io` for all hosts under it, or `*` for any; a port
 * restricts the match.
 */
export const isListed = ({ host, port }: Place, names: readonly string[]): boolean =>
  names.some((name) => {
    const { host: own, port: only } = placeIn(name, port);
    return (
      only === port && (own === "*" || own === host || (own.startsWith("*.") && host.endsWith(own.slice(1))))
    );
  });

/**
 * Whether a host is this machine or in a private network, such as docker compose's. Names are judged by their spelling and
 * the hosts file, because a DNS query would already leave the machine.
 */
export function isOwnHost(given: string | null | undefined): boolean {
  const host = plainHost(given ?? "");
  if (host === "" || isIP(host.replace(/%.*/, "")) !== 0) return host === "" || isOwnAddress(host);
  // The system parses numbers such as 134744072 and 0x8080808 as addresses.
  if (/^(?:0x[\da-f]+|\d+)$/.test(host)) return false;
  if (!host.includes(".") || /(?:^|\.)localhost$|\.docker\.internal$/.test(host)) return true;
  hostsFile ??= readHostsFile();
  return hostsFile.has(host);
}

function isOwnAddress(address: string): boolean {
  const plain = plainAddress(address);
  if (isIP(plain) !== 4) return /^(?:::1?|f[cd].*|fe80.*)$/.test(plain);
  const [first = 0, second = 0] = plain.split(".").map(Number);
  return (
    [0, 10, 127].includes(first) ||
    (first === 172 && second >= 16 && second < 32) ||
    (first === 192 && second === 168)
  );
}

let hostsFile: ReadonlySet<string> | undefined;

/** The names that the hosts file maps to a local address. */
function readHostsFile(): ReadonlySet<string> {
  const file = process.platform === "win32" ? "C:\\Windows\\System32\\drivers\\etc\\hosts" : "/etc/hosts";
  // A container may not have a hosts file.
  const lines = readIfThere(file).split("\n");
  return new Set(
    lines.flatMap((line) => {
      const [address = "", ...names] = line.replace(/#.*/, "").trim().split(/\s+/);
      return isIP(address) !== 0 && isOwnAddress(address) ? names.map(plainHost) : [];
    }),
  );
}
