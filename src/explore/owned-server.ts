import { type ChildProcess, spawn } from "node:child_process";
import { connect } from "node:net";
import { SandboxError } from "../errors/errors.ts";
import { formatDuration } from "../timeline/duration.ts";
import { wallNow, wallSleep, wallTimer } from "../world/clock.ts";
import { SECOND } from "../world/duration.ts";

/** How long a server may take until it accepts connections. */
const START_MS = 30 * SECOND;
/** How long it may take to end when it is asked to, before it is killed. */
const END_MS = 5 * SECOND;
const POLL_MS = 10;
/** How much of its output is shown when it fails. */
const LAST_LINES = 12;
const OUTPUT_CHARACTERS = 10_000;

/** A subscriber's process that an exploration starts, restarts and ends. */
export interface OwnedServer {
  /** Ends it as a deploy does, and starts it again. */
  restart(): Promise<void>;
  /** Kills it in the middle of its work, and starts it again. */
  crash(): Promise<void>;
  /** Ends it. */
  close(): Promise<void>;
}

/**
 * Starts a server by a shell command, and waits until it accepts connections. It gets PORT.
 * @param url where it takes webhooks
 * @param env further variables of its environment
 * @throws SandboxError `invalid_state` if the port is taken, `unreachable` with its last output if it ends or takes too long
 */
export async function startServer(
  command: string,
  url: string,
  env: Record<string, string>,
): Promise<OwnedServer> {
  const { hostname, port } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, "");
  const number = Number(port || 80);
  const grouped = process.platform !== "win32";
  let child: ChildProcess;
  let output = "";
  if (await accepts(host, number))
    throw new SandboxError(
      "invalid_state",
      `Something answers at port ${number} already, and --start starts a server there.`,
      "End it, or leave out --start to explore it.",
    );

  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;

  function signal(name: NodeJS.Signals): void {
    if (hasEnded() || child.pid === undefined) return;
    try {
      if (grouped) process.kill(-child.pid, name);
      else child.kill(name);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
    }
  }

  const failed = (how: string) => {
    const lines = output.trimEnd().split("\n");
    const error = lines.findIndex((line) => /^\S*Error\b/.test(line));
    const said = lines
      .slice(error < 0 ? -LAST_LINES : error)
      .slice(0, LAST_LINES)
      .join("\n");
    return new SandboxError(
      "unreachable",
      `The server ${how}: ${command}`,
      said === "" ? `It has to accept connections at port ${number}, which is in PORT.` : said,
    );
  };

  async function start(): Promise<void> {
    output = "";
    // A group of its own, so that what the shell started is ended with it.
    child = spawn(command, {
      shell: true,
      stdio: ["ignore", "pipe", "pipe"],
      detached: grouped,
      env: { ...process.env, PORT: String(number), ...env },
    });
    for (const stream of [child.stdout!, child.stderr!])
      stream.setEncoding("utf8").on("data", (text: string) => {
        output = (output + text).slice(-OUTPUT_CHARACTERS);
      });
    const began = wallNow();
    while (!(await accepts(host, number))) {
      if (hasEnded()) throw failed(`ended with ${child.signalCode ?? `code ${child.exitCode}`}`);
      if (wallNow() - began > START_MS) {
        signal("SIGKILL");
        throw failed(`does not accept connections at port ${number} within ${formatDuration(START_MS)}`);
      }
      await wallSleep(POLL_MS);
    }
  }

  /** Resolves once the process, and what it started, has left its port. */
  async function end(by: NodeJS.Signals): Promise<void> {
    signal(by);
    const kill = wallTimer(END_MS, () => signal("SIGKILL"));
    while (!hasEnded() || (await accepts(host, number))) await wallSleep(POLL_MS);
    kill();
  }

  const endWithProcess = () => signal("SIGKILL");
  process.once("exit", endWithProcess);
  const close = async (): Promise<void> => {
    process.off("exit", endWithProcess);
    if (!hasEnded()) await end("SIGTERM");
  };
  await start().catch(async (error) => {
    await close();
    throw error;
  });
  return {
    async restart() {
      await end("SIGTERM");
      await start();
    },
    async crash() {
      await end("SIGKILL");
      await start();
    },
    close,
  };
}

/** Whether something accepts connections there. */
function accepts(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port });
    const end = (accepted: boolean) => {
      socket.destroy();
      resolve(accepted);
    };
    socket.once("connect", () => end(true)).once("error", () => end(false));
  });
}
