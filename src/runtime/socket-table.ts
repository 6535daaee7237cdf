import { plainAddress } from "./plain-address.ts";
import { readIfThere } from "./read-if-there.ts";

/** A TCP socket in a network, as Linux lists it in `/proc`. */

/** A socket, with its own address and the address of the other side. */
export interface TcpSocket {
  host: string;
  port: number;
  remote: { host: string; port: number };
  state: "connecting" | "listening";
  inode: string;
}

const STATES = { "02": "connecting", "0A": "listening" } as const;

/** The addresses of sockets that accept connections on all addresses of their machine. */
export const WILDCARDS: readonly string[] = ["0.0.0.0", "::"];

/**
 * The sockets that are connecting or listening; empty on systems that do not list them. Linux takes milliseconds to list
 * them, however few there are.
 * @param pid a process in the network; by default, this process
 */
export const openingSockets = (pid: number | "self" = "self"): TcpSocket[] =>
  ["tcp", "tcp6"].flatMap((file) =>
    readIfThere(`/proc/${pid}/net/${file}`)
      .split("\n")
      .slice(1)
      .flatMap((line) => {
        const [, local = "", remote = "", code, , , , , , inode] = line.trim().split(/\s+/);
        const state = STATES[code as keyof typeof STATES];
        return state ? [{ ...placeIn(local), remote: placeIn(remote), state, inode: inode! }] : [];
      }),
  );

export const listeningSockets = (pid?: number): TcpSocket[] =>
  openingSockets(pid).filter(({ state }) => state === "listening");

/**
 * Numbers that differ from earlier ones if a socket has been opened, connected or closed since, and that cost little to
 * read. If as many sockets have been opened as closed, the numbers may be the same.
 * @returns undefined if the system does not count sockets
 */
export function socketCounts(pid: number): string | undefined {
  const read = (file: string) => readIfThere(`/proc/${pid}/net/${file}`);
  const inUse = /^TCP: inuse \d+/m.exec(read("sockstat"))?.[0];
  const inUse6 = /^TCP6: inuse \d+/m.exec(read("sockstat6"))?.[0];
  // How many connections were opened, accepted, refused and reset, and how many there are.
  const connections = /^Tcp: (?:-?\d+ ){4}((?:\d+ ){5})/m.exec(read("snmp"))?.[1];
  return inUse && connections && [inUse, inUse6, connections].join();
}

/** Parses an address such as `0100007F:0BB8`, whose words are in the machine's byte order. */
function placeIn(text: string): { host: string; port: number } {
  const [words = "", port = ""] = text.split(":");
  const bytes = (words.match(/.{8}/g) ?? []).flatMap((word) => word.match(/../g)!.reverse());
  const host =
    bytes.length === 4
      ? bytes.map((byte) => Number.parseInt(byte, 16)).join(".")
      : plainAddress(bytes.join("").match(/.{4}/g)!.join(":"));
  return { host, port: Number.parseInt(port, 16) };
}
