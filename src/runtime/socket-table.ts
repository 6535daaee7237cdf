import { plainAddress } from "./plain-address.ts";
import { readIfThere } from "./read-if-there.ts";

/** A TCP socket in a network, as Linux lists it in `/proc`. */

/** A socket, with its own address and the address of the other side. */
export interface TcpSocket {
  host: string;
  port: number;
  remote: { host: string; port: number };
  inode: string;
}

const STATES = { connecting: "02", listening: "0A" };

/** The addresses of sockets that accept connections on all addresses of their machine. */
export const WILDCARDS: readonly string[] = ["0.0.0.0", "::"];

/**
 * The sockets in a state; empty on systems that do not list them.
 * @param pid a process in the network; by default, this process
 */
export const socketsThat = (state: keyof typeof STATES, pid: number | "self" = "self"): TcpSocket[] =>
  ["tcp", "tcp6"].flatMap((file) =>
    readIfThere(`/proc/${pid}/net/${file}`)
      .split("\n")
      .slice(1)
      .flatMap((line) => {
        const [, local = "", remote = "", is, , , , , , inode] = line.trim().split(/\s+/);
        return is === STATES[state] ? [{ ...placeIn(local), remote: placeIn(remote), inode: inode! }] : [];
      }),
  );

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
