import { type ChildProcess, execFile, spawn } from "node:child_process";
import type { Socket as DatagramSocket } from "node:dgram";
import type { Server, Socket } from "node:net";
import { delimiter } from "node:path";
import { promisify } from "node:util";
import { pathOf } from "../../../runtime/package.ts";
import type { Place } from "../hosts.ts";
import type { Answer, Request } from "./inside.ts";

const INSIDE = { source: "src/trial/outside/network/inside.ts", built: "dist/network-inside.js" };
/** Where `ip` is, which the PATH of users without rights may lack. */
const SYSTEM_PATHS = ["/usr/sbin", "/sbin"];

/**
 * Moves on into a second network, whose table of sockets is as small as the first one asks: each look at `/proc/…/net/tcp` reads all of
 * it, which takes milliseconds for a table of the machine's size. Before Linux 6.1, it stays large.
 */
const SMALL_TABLE = `echo 1024 2>/dev/null >/proc/sys/net/ipv4/tcp_child_ehash_entries; exec unshare --net -- "$@"`;

const run = promisify(execFile);

/** The process that holds a network, and opens sockets in it for this process. */
export interface Holder {
  pid: number;
  /** The program, with its arguments, that runs a command in the network. */
  enter: readonly string[];
  listen(place: Place): Promise<Server>;
  /** Connects to a place. The socket is not read before. */
  connect(place: Place): Promise<Socket>;
  bind(place: Place): Promise<DatagramSocket>;
  /** Passes lines to the program `ip`. */
  configure(lines: readonly string[]): Promise<void>;
  close(): void;
}

/**
 * Starts a process in a network of its own. It ends with this process, however this one ends.
 * @throws Error with the reason why the system does not allow it
 */
export async function startHolder(): Promise<Holder> {
  // Root needs no further user, and keeps all of its rights.
  const isRoot = process.getuid?.() === 0;
  const flags = isRoot ? ["--net"] : ["--user", "--map-current-user", "--keep-caps", "--net"];
  const path = [process.env.PATH, ...SYSTEM_PATHS].filter(Boolean).join(delimiter);
  const inside = ["sh", "-c", SMALL_TABLE, "sh", process.execPath, pathOf(INSIDE)];
  const child = spawn("unshare", [...flags, "--", ...inside], {
    stdio: ["ignore", "ignore", "pipe", "ipc"],
    // The signals of a terminal end the trial, which then ends this process.
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
    // `ip` complains here if it is missing, or has not the rights.
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
  /** It keeps this process alive only while something awaits it. */
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
