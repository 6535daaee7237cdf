import dns from "node:dns";
import { syncBuiltinESMExports } from "node:module";
import { isIP } from "node:net";
import { isListed, isOwnHost, placeIn, plainHost } from "../hosts.ts";
import type { Line } from "./line.ts";
import { type Method, replaceMethod } from "./replace.ts";

/** The names behind the addresses that this process was given for outside hosts. */
export interface Names {
  /** Returns the name behind such an address, and any other host unchanged. */
  nameOf(host: string): string;
  /** Stops the redirection. Addresses that were already assigned keep their names. */
  close(): void;
}

type Callback = (error: Error | null, ...values: unknown[]) => void;

/**
 * The names behind this process's own addresses, by number. An address always stands for the same name, whichever
 * gateway is in use.
 */
const names: string[] = [];

/** Methods that query a kind of record; all start with `resolve`. */
const RECORD = /^resolve/;

/**
 * Resolves outside names without a name server. Some clients resolve a name and connect to the address, so each name gets
 * its own address, from a range reserved for benchmarks that no host uses.
 * @param only the places whose names are resolved
 */
export function answerNames(line: Line, only: readonly string[]): Names {
  const numberOf = (host: string): number => {
    const name = plainHost(host);
    const known = names.indexOf(name);
    return known < 0 ? names.push(name) - 1 : known;
  };
  const v4 = (host: string) => `198.18.${numberOf(host) >> 8}.${numberOf(host) & 255}`;
  const v6 = (host: string) => `2001:2::${numberOf(host).toString(16)}`;

  /** The results of `lookup`. */
  function addressesOf(host: string, options: unknown): unknown[] {
    const { all = false, family = options } = Object(options) as { all?: boolean; family?: unknown };
    const is6 = family === 6 || family === "IPv6";
    const found = { address: is6 ? v6(host) : v4(host), family: is6 ? 6 : 4 };
    return all ? [[found]] : [found.address, found.family];
  }

  /** A name's records, or the error that there are none. */
  function recordsOf(host: string, method: string, [kind, options]: readonly unknown[]): unknown {
    const type = (method.replace(RECORD, "") || (typeof kind === "string" ? kind : "A")).toUpperCase();
    const { ttl } = Object(method === "resolve" ? options : kind) as { ttl?: boolean };
    if (["4", "A"].includes(type)) return [ttl ? { address: v4(host), ttl: 60 } : v4(host)];
    if (["6", "AAAA"].includes(type)) return [ttl ? { address: v6(host), ttl: 60 } : v6(host)];
    const asked = `the question for the ${type} records of ${plainHost(host)}`;
    return Object.assign(line.refuse(asked), { code: "ENODATA", syscall: `query${type}`, hostname: host });
  }

  // A port on every host, such as a mail port, does not stand for a name.
  const named = only.filter((place) => !/^\*:/.test(place)).map((place) => placeIn(place, 0).host);
  const isNamed = (host: string): boolean => isListed({ host: plainHost(host), port: 0 }, named);
  const isOutside = (host: unknown): host is string =>
    typeof host === "string" && isIP(host) === 0 && !isOwnHost(host) && isNamed(host);

  const undo: (() => void)[] = [];
  function replace(methods: object, answer: (name: string, method: Method) => Method): void {
    for (const name of Object.getOwnPropertyNames(methods))
      if (name === "lookup" || RECORD.test(name))
        undo.push(replaceMethod(methods, name, (method) => answer(name, method)));
  }

  const withCallback = (name: string, method: Method): Method =>
    function (...values) {
      const [host] = values;
      const callback = values.at(-1);
      if (!isOutside(host) || typeof callback !== "function") return method.apply(this, values);
      const given = values.slice(1, -1);
      const found = name === "lookup" ? addressesOf(host, given[0]) : recordsOf(host, name, given);
      if (found instanceof Error) process.nextTick(callback as Callback, found);
      else
        process.nextTick(callback as Callback, null, ...(name === "lookup" ? (found as unknown[]) : [found]));
      return {};
    };
  const promised = (name: string, method: Method): Method =>
    async function (...values) {
      const [host, ...given] = values;
      if (!isOutside(host)) return method.apply(this, values);
      const found = name === "lookup" ? addressesOf(host, given[0]) : recordsOf(host, name, given);
      if (found instanceof Error) throw found;
      const [address, family] = found as unknown[];
      return name === "lookup" && !Array.isArray(address)
        ? { address, family }
        : name === "lookup"
          ? address
          : found;
    };

  for (const methods of [dns, ...prototypesOf(dns.Resolver)]) replace(methods, withCallback);
  for (const methods of [dns.promises, ...prototypesOf(dns.promises.Resolver)]) replace(methods, promised);
  syncBuiltinESMExports();
  return {
    nameOf(host) {
      const [, high, low] = /^198\.18\.(\d+)\.(\d+)$/.exec(host) ?? [];
      const [, own] = /^2001:2::([\da-f]*)$/.exec(host) ?? [];
      const number = high === undefined ? Number.parseInt(own || "0", 16) : Number(high) * 256 + Number(low);
      return (high === undefined && own === undefined ? undefined : names[number]) ?? host;
    },
    close() {
      for (const end of undo) end();
      syncBuiltinESMExports();
    },
  };
}

/** Node defines the methods of resolvers in a base class of the exported one. */
function prototypesOf({ prototype }: { prototype: object }): object[] {
  const above = Object.getPrototypeOf(prototype) as object;
  return above === Object.prototype ? [prototype] : [prototype, above];
}
