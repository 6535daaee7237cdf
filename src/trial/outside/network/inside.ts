import { spawnSync } from "node:child_process";
import dgram from "node:dgram";
import net from "node:net";
import type { Place } from "../hosts.ts";

/**
 * Runs in a started server's network, which exists as long as it contains a process. Opens sockets there on request and
 * hands them to the trial's process, so their data does not pass through this one.
 */

/** What the trial's process requests. */
export type Request =
  | { listen: Place }
  | { connect: Place }
  /** A datagram socket, for a name server. */
  | { bind: Place }
  /** Command lines for the `ip` program. */
  | { configure: string };

/** The reply to a request, with the socket attached or the error that occurred. */
export interface Answer {
  id: number;
  error?: string;
}

function answer(id: number, handle?: net.Server | net.Socket | dgram.Socket, close?: () => void): void {
  // Close this process's own socket once it has been handed over.
  process.send!({ id }, handle as net.Socket, undefined, close);
}

/** @returns the program's first error message; undefined if there was no error */
function configure(lines: string): string | undefined {
  const { status, stderr, error } = spawnSync("ip", ["-batch", "-"], { input: lines, encoding: "utf8" });
  return status === 0 ? undefined : `ip: ${error?.message ?? stderr.trim().split("\n")[0]}`;
}

process.on("disconnect", () => process.exit());
process.on("message", ({ id, ...request }: Request & { id: number }) => {
  const fail = (error: string | undefined) => process.send!({ id, ...(error && { error }) });
  const failed = ({ message }: Error) => void fail(message);
  if ("listen" in request) {
    const server = net.createServer().once("error", failed);
    server.listen(request.listen, () => answer(id, server, () => server.close()));
  } else if ("connect" in request) {
    const socket = net.connect(request.connect).once("error", failed);
    // Do not read here: whatever the other side sends belongs to the trial's process.
    socket.pause().once("connect", () => answer(id, socket));
  } else if ("bind" in request) {
    const { port, host } = request.bind;
    const socket = dgram.createSocket("udp4").once("error", failed);
    socket.bind(port, host, () => answer(id, socket, () => socket.close()));
  } else fail(configure(request.configure));
});
