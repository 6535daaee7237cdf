import { type ChildProcess, execFile, spawn } from "node:child_process";
import type { Socket as DatagramSocket } from "node:dgram";
import type { Server, Socket } from "node:net";
import { delimiter } from "node:path";
import { promisify } from "node:util";
import { pathOf } from "../../../runtime/package.ts";
import type { Place } from "../hosts.ts";
import type { Answer, Request } from "./inside.ts";

const INSIDE = { source: "src/trial/outside/network/inside.ts", built: "dist/network-inside.js" };
/** The folders that contain `ip`, which may be missing from an unprivileged user's PATH. */
const SYSTEM_PATHS = ["/usr/sbin", "/sbin"];

/**
 * Continues in a second network, whose socket table has the small size requested in the first one. Each look at
 * `/proc/…/net/tcp` reads the whole table, which takes milliseconds for a table of the machine's size. Before Linux
 * 6.1, the table stays large.
 */
const SMALL_TABLE = `echo 1024 2>/dev/null >/proc/sys/net/ipv4/tcp_child_ehash_entries; exec unshare --net -- "$@"`;

const run = promisify(execFile);

/** The process that keeps a network alive, and opens sockets in it for this process. */
export interface Holder {
  /** A process in the network, through which `/proc` shows the network's sockets. */
  pid: number;
  /** The wrapper command, with its arguments, that runs another command in the network. */
  enter: readonly string[];
  listen(place: Place): Promise<Server>;
  /** Connects to a place. Nothing has been read from the socket yet. */
  connect(place: Place): Promise<Socket>;
  bind(place: Place): Promise<DatagramSocket>;
  /** Passes command lines to the `ip` program. */
  configure(lines: readonly string[]): Promise<void>;
  close(): void;
}

/**
 * Starts a process in its own network. It ends with this process, however this one ends.
 * @throws Error with the reason if the system does not allow it
 */
export async function startHolder(): Promise<Holder> {
  // Root needs no user namespace, and keeps all of its privileges.
  const isRoot = process.getuid?.() === 0;
  const flags = isRoot ? ["--net"] : ["--user", "--map-current-user", "--keep-caps", "--net"];
  const path = [process.env.PATH, ...SYSTEM_PATHS].filter(Boolean).join(delimiter);
  const inside = ["sh", "-c", SMALL_TABLE, "sh", process.execPath, pathOf(INSIDE)];
  const child = spawn("unshare", [...flags, "--", ...inside], {
    stdio: ["ignore", "ignore", "pipe", "ipc"],
    // Keep a terminal's signals away: they end the trial, which then ends this process.
    detached: true,
    env: { PATH: path, NODE_NO_WARNINGS: "1" },
  });
  const ask = createAsking(child);
  const pid = child.pid!;
  const holder: Holder = {
    pid,
    enter: [
      ...["nsenter", "--target", String(pid), "--net"],
      ...(isRoot ? [] : ["--user", "--preserve-credentials"]),
      "--",
    ],
    listen: (listen) => ask({ listen }),
    connect: (connect) => ask({ connect }),
    bind: (bind) => ask({ bind }),
    configure: (lines) => ask({ configure: `${lines.join("\n")}\n` }),
    close: () => void (child.connected && child.disconnect()),
  };
  try {
    // This fails if `ip` is missing or lacks the privileges.
    await holder.configure(["link set lo up"]);
    const [program = "", ...args] = holder.enter;
    await run(program, [...args, "true"]).catch(({ stderr, message }) => {
      throw new Error(stderr?.trim().split("\n")[0] || message);
    });
    return holder;
  } catch (error) {
    holder.close();
    throw error;
  }
}

function createAsking(child: ChildProcess) {
  const waiting = new Map<number, { resolve(handle: never): void; reject(error: Error): void }>();
  let [asked, stderr] = [0, ""];
  let ended: Error | undefined;
  /** Keeps this process alive only while a request is waiting for the child. */
  function hold(): void {
    if (waiting.size > 0) child.channel?.ref();
    else child.channel?.unref();
  }
  function end(reason: string): void {
    ended ??= new Error(reason);
    for (const { reject } of waiting.values()) reject(ended);
    waiting.clear();
  }
  child.stderr!.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  child.once("error", ({ message }) => end(message));
  child.once("close", () => end(stderr.trim().split("\n")[0] || "the process that held it has ended"));
  child.on("message", ({ id, error }: Answer, handle) => {
    const asking = waiting.get(id);
    waiting.delete(id);
    hold();
    if (error === undefined) asking?.resolve(handle as never);
    else asking?.reject(new Error(error));
  });
  child.unref();
  (child.stderr as unknown as { unref(): void }).unref();

  return <T>(request: Request): Promise<T> =>
    new Promise<T>((resolve, reject) => {
      if (ended) return reject(ended);
      asked += 1;
      waiting.set(asked, { resolve, reject });
      hold();
      child.send({ ...request, id: asked }, () => undefined);
    });
}
