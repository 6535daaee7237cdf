import { readdirSync, readlinkSync } from "node:fs";
import { basename } from "node:path";
import { plainAddress } from "../../runtime/plain-address.ts";
import { readIfThere } from "../../runtime/read-if-there.ts";
import { listeningSockets, WILDCARDS } from "../../runtime/socket-table.ts";
import { unlessThrown } from "../../runtime/unless-thrown.ts";

/** Which process listens on a port, according to Linux's `/proc`. */

/** A process, identified the way a user would look it up. */
export interface Listener {
  pid: number;
  command: string;
}

/** Programs that listen on behalf of a container. They are started by its runtime, not by the command. */
const FOR_CONTAINERS =
  /^(?:docker|containerd|rootless|podman|conmon|netavark|aardvark|slirp4netns|pas[st]t|gvproxy|vpnkit|lima|colima|wslrelay)/;

/**
 * Finds the process, outside a given family, that gets an address's connections.
 * @param address a numeric address that has accepted a connection
 * @param family the processes of a command
 * @returns undefined if the family itself listens there, if it is a container's proxy, or if the system does not show
 * which process listens
 */
export function strangerAt(address: string, port: number, family: readonly number[]): Listener | undefined {
  const sockets = socketsAt(address, port);
  for (const pid of family) for (const socket of socketsOf(pid)) sockets.delete(socket);
  if (sockets.size === 0) return undefined;
  for (const name of entriesOf("/proc")) {
    if (!/^\d+$/.test(name) || !socketsOf(Number(name)).some((socket) => sockets.has(socket))) continue;
    const argv = readIfThere(`/proc/${name}/cmdline`).split("\0");
    const program = argv[0] ? basename(argv[0]) : readIfThere(`/proc/${name}/comm`).trim();
    if (FOR_CONTAINERS.test(program)) return undefined;
    return { pid: Number(name), command: argv.join(" ").trim() || program };
  }
  return undefined;
}

/**
 * The ports on which processes listen; empty if the system does not show them.
 * @param pid a process in their network; by default, this process
 */
export function portsOf(family: readonly number[], pid?: number): number[] {
  const own = new Set(family.flatMap(socketsOf));
  const ports = listeningSockets(pid).flatMap(({ port, inode }) => (own.has(inode) ? [port] : []));
  return [...new Set(ports)].sort((a, b) => a - b);
}

/**
 * Those of a family's processes that listen on a port; empty if the system does not show them.
 * @param pid a process in their network; by default, this process
 */
export function listenersOn(port: number, family: readonly number[], pid?: number): number[] {
  const sockets = listeningSockets(pid).filter((socket) => socket.port === port);
  return family.filter((one) => socketsOf(one).some((own) => sockets.some(({ inode }) => inode === own)));
}

/** The listening sockets that get an address's connections: its own, or else those of all addresses. */
function socketsAt(address: string, port: number): Set<string> {
  const at = plainAddress(address);
  const sockets = listeningSockets().filter((socket) => socket.port === port);
  const own = sockets.filter(({ host }) => host === at);
  const all = sockets.filter(({ host }) => WILDCARDS.includes(host));
  return new Set((own.length > 0 ? own : all).map(({ inode }) => inode));
}

const socketsOf = (pid: number): string[] =>
  entriesOf(`/proc/${pid}/fd`).flatMap((name) => {
    // The socket may have been closed in the meantime.
    const target = unlessThrown(() => readlinkSync(`/proc/${pid}/fd/${name}`));
    return /^socket:\[(\d+)\]$/.exec(target ?? "")?.[1] ?? [];
  });

/** Processes of other users, and those that have ended, cannot be inspected. */
const entriesOf = (folder: string): string[] => unlessThrown(() => readdirSync(folder)) ?? [];
