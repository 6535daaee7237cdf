import { spawnSync } from "node:child_process";
import dgram from "node:dgram";
import net from "node:net";
import type { Place } from "../hosts.ts";

/**
 * Runs in the network of a started server, which exists as long as a process in it. Opens sockets there on request and hands them to
 * the trial's process, so that no byte passes this one.
 */

/** What the trial's process requests. */
export type Request =
  | { listen: Place }
  | { connect: Place }
  /** A socket for datagrams, such as those to a name server. */
  | { bind: Place }
  /** Lines for the program `ip`. */
  | { configure: string };

/** An answer comes with the socket, or says what went wrong. */
export interface Answer {
  id: number;
  error?: string;
}

function answer(id: number, handle?: net.Server | net.Socket | dgram.Socket, close?: () => void): void {
  // The other process has the socket then.
  process.send!({ id }, handle as net.Socket, undefined, close);
}

/** @returns what the program complained about first; undefined for nothing */
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
    // What the other side sends first belongs to the trial's process.
    socket.pause().once("connect", () => answer(id, socket));
  } else if ("bind" in request) {
    const { port, host } = request.bind;
    const socket = dgram.createSocket("udp4").once("error", failed);
    socket.bind(port, host, () => answer(id, socket, () => socket.close()));
  } else fail(configure(request.configure));
});
