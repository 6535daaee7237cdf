import { readlinkSync, realpathSync } from "node:fs";
import { basename, delimiter, join, resolve } from "node:path";
import { readIfThere } from "../../runtime/read-if-there.ts";
import { unlessThrown } from "../../runtime/unless-thrown.ts";
import { listenersOn } from "./listeners.ts";
import { type Program, parentOf } from "./process.ts";

/**
 * The program that a server's command ends up running. `npm run`, tsx, `nest start` and the like take time to start it, and
 * often more than the server itself, so a trial that starts the server hundreds of times skips them.
 */

/** The channel to a parent in Node, which a process without that parent must not look for. */
const CHANNEL = ["NODE_CHANNEL_FD", "NODE_CHANNEL_SERIALIZATION_MODE"];

/** What text contains in place of bytes that are not UTF-8. */
const NO_UTF_8 = "\ufffd";

/**
 * Finds the program that listens, if the other programs of a command do nothing but wait for it.
 * @param root the command's first process
 * @param family its running processes
 * @param network a process in their network; by default, this process
 * @returns undefined if another program runs beside the server, or if the system does not show how it was started
 */
export function ownProgram(
  root: number,
  family: readonly number[],
  port: number,
  network?: number,
): Program | undefined {
  /** The processes of the family that led to a process, the nearest first. */
  const waysTo = (pid: number): number[] => {
    const parent = parentOf(pid);
    return parent !== undefined && family.includes(parent) ? [parent, ...waysTo(parent)] : [];
  };
  const listening = listenersOn(port, family, network);
  const server = listening.find((pid) => !waysTo(pid).some((one) => listening.includes(one)));
  if (server === undefined) return undefined;
  const wrappers = waysTo(server);
  const isPart = (pid: number) => pid === server || wrappers.includes(pid) || waysTo(pid).includes(server);
  // The command's first process may have become the server itself, as with `go build && exec ./server`.
  return [server, ...wrappers].includes(root) && family.every(isPart) ? programOf(server) : undefined;
}

/** How a process was started; undefined if it has changed its title since. */
function programOf(pid: number): Program | undefined {
  // Each entry ends with a null character, and may itself be empty.
  const read = (file: string) => readIfThere(`/proc/${pid}/${file}`).split("\0").slice(0, -1);
  const link = (file: string) => unlessThrown(() => readlinkSync(`/proc/${pid}/${file}`));
  const [name = "", ...args] = read("cmdline");
  const env = Object.fromEntries(
    read("environ").flatMap((variable) => {
      const [, key = "", value = ""] = /^([^=]+)=(.*)$/s.exec(variable) ?? [];
      return CHANNEL.includes(key) ? [] : [[key, value]];
    }),
  );
  const [cwd, exe] = [link("cwd"), link("exe")];
  const isReadable = ![name, ...args, ...Object.values(env)].some((text) => text.includes(NO_UTF_8));
  if (cwd === undefined || exe === undefined || !isReadable) return undefined;
  // A symbolic link, such as the one in a virtual environment of Python, decides what the program does.
  const places = name.includes("/")
    ? [resolve(cwd, name)]
    : (env.PATH ?? "").split(delimiter).map((folder) => join(resolve(cwd, folder), basename(name)));
  const program = places.find((place) => unlessThrown(() => realpathSync(place)) === exe);
  return program === undefined ? undefined : { program, args, env, cwd };
}
