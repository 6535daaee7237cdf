import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { basename } from "node:path";

/** Which process listens on a port, according to Linux's `/proc`. */

/** A process, as a person would look it up. */
export interface Listener {
  pid: number;
  command: string;
}

/** The state of a socket that listens. */
const LISTEN = "0A";
/** Programs that listen on behalf of a container and are started by its runtime, not by the command. */
const FOR_CONTAINERS =
  /^(?:docker|containerd|rootless|podman|conmon|netavark|aardvark|slirp4netns|pas[st]t|gvproxy|vpnkit|lima|colima|wslrelay)/;

/**
 * The process outside a family that gets an address's connections.
 * @param address a numeric address that has accepted a connection
 * @param family the processes of a command
 * @returns undefined if the family itself listens there, if it is a container's proxy, or if the system does not show who
 * listens
 */
export function strangerAt(address: string, port: number, family: readonly number[]): Listener | undefined {
  const sockets = socketsAt(address, port);
  for (const pid of family) for (const socket of socketsOf(pid)) sockets.delete(socket);
  if (sockets.size === 0) return undefined;
  for (const name of entriesOf("/proc")) {
    if (!/^\d+$/.test(name) || !socketsOf(Number(name)).some((socket) => sockets.has(socket))) continue;
    const argv = read(`/proc/${name}/cmdline`).split("\0");
    const program = argv[0] ? basename(argv[0]) : read(`/proc/${name}/comm`).trim();
    if (FOR_CONTAINERS.test(program)) return undefined;
    return { pid: Number(name), command: argv.join(" ").trim() || program };
  }
  return undefined;
}

/** The ports on which processes listen; none if the system does not show them. */
export function portsOf(family: readonly number[]): number[] {
  const own = new Set(family.flatMap(socketsOf));
  const ports = listeningSockets().flatMap(({ port, inode }) => (own.has(inode) ? [port] : []));
  return [...new Set(ports)].sort((a, b) => a - b);
}

/** The listening sockets that get an address's connections: its own, or else those of all addresses. */
function socketsAt(address: string, port: number): Set<string> {
  const own = new Set<string>();
  const all = new Set<string>();
  const at = bytesOf(address);
  for (const socket of listeningSockets()) {
    if (socket.port !== port) continue;
    const bytes = plain(words(socket.host));
    if (bytes === at) own.add(socket.inode);
    else if (/^0+$/.test(bytes)) all.add(socket.inode);
  }
  return own.size > 0 ? own : all;
}

const listeningSockets = (): { host: string; port: number; inode: string }[] =>
  ["tcp", "tcp6"].flatMap((file) =>
    read(`/proc/net/${file}`)
      .split("\n")
      .slice(1)
      .flatMap((line) => {
        const [, local = "", , state, , , , , , inode] = line.trim().split(/\s+/);
        const [host = "", hex = ""] = local.split(":");
        return state === LISTEN ? [{ host, port: Number.parseInt(hex, 16), inode: inode! }] : [];
      }),
  );

/** The bytes of an address in hexadecimal digits, from words in the machine's byte order. */
const words = (hex: string): string =>
  (hex.match(/.{8}/g) ?? []).map((word) => (word.match(/../g) ?? []).reverse().join("")).join("");

/** Treats IPv4 addresses in IPv6 as IPv4. */
const plain = (hex: string): string => hex.replace(/^0{20}ffff(?=.{8}$)/i, "").toUpperCase();

function bytesOf(address: string): string {
  const hex = (value: number, digits: number) => value.toString(16).padStart(digits, "0");
  if (!address.includes(":"))
    return plain(
      address
        .split(".")
        .map((one) => hex(Number(one), 2))
        .join(""),
    );
  const [head = "", tail] = new URL(`http://[${address.replace(/%.*/, "")}]`).hostname
    .slice(1, -1)
    .split("::");
  const groups = (text = "") =>
    text
      .split(":")
      .filter(Boolean)
      .map((one) => one.padStart(4, "0"));
  const [first, last] = [groups(head), groups(tail)];
  return plain([...first, ...Array(8 - first.length - last.length).fill("0000"), ...last].join(""));
}

const socketsOf = (pid: number): string[] =>
  entriesOf(`/proc/${pid}/fd`).flatMap((name) => {
    try {
      return /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${name}`))?.[1] ?? [];
    } catch {
      // It was closed in the meantime.
      return [];
    }
  });

/** Processes of other users, and those that have ended, show nothing. */
function entriesOf(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function read(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
