import { connect } from "node:net";
import { invalidState, type SandboxError, unreachable } from "../../errors/errors.ts";
import { withoutPasswords } from "../../runtime/redact.ts";
import { formatDuration } from "../../timeline/duration.ts";
import { clip } from "../../timeline/text.ts";
import { lookup } from "../../webhooks/dispatcher.ts";
import { wallNow, wallSleep, wallTimer } from "../../world/clock.ts";
import { SECOND } from "../../world/duration.ts";
import type { Network } from "../outside/network/network.ts";
import { portsOf, strangerAt } from "./listeners.ts";
import { createOutput, type ServerOutput } from "./output.ts";
import { ownProgram } from "./own-program.ts";
import { type Program, startProcess, type TrialProcess } from "./process.ts";

/** How long a server's port may stay taken after the server has exited. */
const LEAVE_MS = 5 * SECOND;
const POLL_MS = 10;
/** How long a server may take to start without its command, in addition to twice the time of the first start. */
const LEAST_MS = 5 * SECOND;
/** How long a server may take to close a connection that its client has closed. It is ready after that, too. */
const CLOSE_MS = 500;
/** How often to check which ports a server's processes listen on. */
const LOOK_MS = 500;
/** For each error, the port on which the server listens instead. */
const otherPorts = new WeakMap<object, number>();

/** The port on which an unreachable server listens instead; undefined for other errors. */
export const otherPort = (error: unknown): number | undefined => otherPorts.get(Object(error));

export interface ServerProcess {
  output: Pick<ServerOutput, "last" | "listen">;
  /** Whether the server has exited on its own. */
  hasEnded(): boolean;
  /**
   * Whether the server's own processes, and not a container on their behalf, are observed to listen on its port. Only
   * Linux shows this.
   */
  isListening(): boolean;
  /** The ports at which the server can be reached. Only Linux shows them. */
  ports(): readonly number[];
  /** Called between two runs, while the server is idle. */
  begin(): void;
  /** Resolves once the server's process, and those that it started, have left the server's port. */
  end(by: "SIGTERM" | "SIGKILL"): Promise<void>;
  /**
   * Starts the server again after it has exited: without the programs that only start it, if it then listens as quickly as it
   * first did.
   */
  start(): Promise<void>;
}

export interface ServerStart {
  /** A shell command. */
  command: string;
  url: string;
  /** See `startProcess`. */
  within?: readonly string[] | undefined;
  /** Further environment variables. */
  env: Record<string, string>;
  /** The network in which the server runs; by default, this process's network. */
  network?: Network | undefined;
  /** How long the server may take until it accepts connections, in real milliseconds. */
  timeout: number;
  /** How long the server may listen only on other ports, in real milliseconds; defaults to the timeout. */
  elsewhere?: number | undefined;
  /** What else may have kept the server from starting, in words; empty if there is nothing. */
  cause?: () => string;
  /** Cancels the start. */
  signal?: AbortSignal | undefined;
}

/**
 * Starts a server with a shell command, and waits until it accepts connections. The server gets PORT.
 * @throws SandboxError `invalid_state` if another program has the port; `unreachable` with its last output if it exits or
 * takes too long
 */
export async function startServer({
  command,
  within = [],
  url,
  env,
  network,
  timeout,
  elsewhere = timeout,
  cause = () => "",
  signal,
}: ServerStart): Promise<ServerProcess> {
  const { hostname, port } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, "");
  const number = Number(port || 80);
  let running: TrialProcess;
  let runs = 0;
  /** What later starts run in place of the command; null if only the command starts the server. */
  let program: Program | null | undefined;
  /** How long the first start took, in real milliseconds. */
  let firstMs: number | undefined;
  const output = createOutput();
  if (await acceptsAt(host, number))
    throw invalidState(
      `Something is already listening on port ${number}, where your server would be started: ${withoutPasswords(command)}`,
      "Stop it, or omit --start (or subject.start) to test the running server.",
    );

  /** The address at which the server, or another program, accepts connections; undefined if there is none. */
  async function answering(): Promise<string | undefined> {
    await network?.look();
    return acceptsAt(host, number);
  }

  const failed = (how: string) => {
    const said = output.last();
    return unreachable(
      `The server ${how}: ${withoutPasswords(command)}`,
      [
        said === "" ? `The server must accept connections on port ${number}, which is in PORT.` : said,
        cause(),
      ]
        .filter(Boolean)
        .join("\n"),
    );
  };

  function failedElsewhere(within: number): SandboxError {
    const ports = portsOf(running.look(), network?.pid);
    const error = failed(
      ports.length === 0
        ? `does not accept connections on port ${number} within ${formatDuration(within)}, the subject.startTimeout of the configuration`
        : `does not accept connections on port ${number}. It listens on port ${ports.join(" and ")}`,
    );
    if (ports.length > 0) otherPorts.set(error, ports[0]!);
    return error;
  }

  async function start(): Promise<void> {
    if (program) {
      try {
        return await startAs(program, Math.min(timeout, LEAST_MS + 2 * firstMs!));
      } catch (error) {
        if (signal?.aborted) throw error;
        // It needs the programs that started it.
        program = null;
        await running.end("SIGKILL");
      }
    }
    const began = wallNow();
    await startAs(command, timeout);
    firstMs ??= wallNow() - began;
  }

  /** @param timeout how long it may take, in real milliseconds */
  async function startAs(what: string | Program, timeout: number): Promise<void> {
    output.clear();
    // Without this, Python would buffer its output.
    const own = { PORT: String(number), PYTHONUNBUFFERED: "1" };
    running = startProcess(what, {
      ...{ env: { ...own, ...env }, readsOutput: true },
      within: [...(network?.enter ?? []), ...within],
    });
    for (const stream of [running.child.stdout!, running.child.stderr!])
      stream.setEncoding("utf8").on("data", output.add);
    const began = wallNow();
    /** When the server's processes were last checked, and when they were last found not to listen on any port. */
    let [looked, alone] = [began, began];
    let address = await answering();
    for (; address === undefined; address = await answering()) {
      const { exitCode, signalCode } = running.child;
      if (running.hasEnded()) throw failed(`exited with ${signalCode ?? `code ${exitCode}`}`);
      if (signal?.aborted) throw failed("was stopped while it started");
      const now = wallNow();
      if (now - began > timeout) throw failedElsewhere(timeout);
      if (elsewhere < timeout && now - looked > LOOK_MS) {
        looked = now;
        if (portsOf(running.look(), network?.pid).length === 0) alone = now;
        else if (now - alone > elsewhere) throw failedElsewhere(elsewhere);
      }
      await wallSleep(POLL_MS);
    }
    // Without this check, deliveries to a server started by another program would be judged as the user's own.
    const stranger = network?.shows(number) ? undefined : strangerAt(address, number, running.look());
    if (stranger)
      throw invalidState(
        `Port ${number} is taken by process ${stranger.pid}, which is not part of your server: ${withoutPasswords(clip(stranger.command, 100))}. Your server was started by: ${withoutPasswords(command)}`,
        "Stop that process, or give your server an address with another port.",
      );
  }

  async function end(by: "SIGTERM" | "SIGKILL"): Promise<void> {
    await running.end(by);
    for (const began = wallNow(); await answering(); await wallSleep(POLL_MS))
      if (wallNow() - began > LEAVE_MS)
        throw invalidState(
          `Something is still listening on port ${number}, although every process of the server was stopped: ${withoutPasswords(command)}`,
          "Another program has taken the port, or your server delegates to a process that was already running, such as a container. Stop it.",
        );
  }

  function begin(): void {
    runs += 1;
    // Programs that run beside the server may start later than it listens, but not later than its first run.
    if (program !== undefined || runs === 1 || running.hasEnded()) return;
    program = ownProgram(running.child.pid!, running.look(), number, network?.pid) ?? null;
  }

  // Only the first start needs this: the network itself finds ports that open later.
  await network?.join();
  await start().catch(async (error) => {
    running.kill();
    throw error;
  });
  return {
    ...{ output, begin, end, start },
    hasEnded: () => running.hasEnded(),
    isListening: () => portsOf(running.look(), network?.pid).includes(number),
    ports: () =>
      portsOf(running.look(), network?.pid).filter((one) => network === undefined || network.shows(one)),
  };
}

/**
 * Connects, and closes its side immediately, which servers answer by closing theirs. A port that a program only tries to
 * find out whether it is free (as Vite does before it listens) resets the connection instead.
 * @returns the address that accepts connections, or undefined
 */
function acceptsAt(host: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    // The same addresses as for deliveries: some systems have no IPv6 address for localhost.
    const socket = connect({ host, port, lookup });
    /** Where the connection arrived. The socket no longer knows it once both sides are closed. */
    let address: string | undefined;
    const end = (accepted = true) => {
      cancel();
      socket.destroy();
      resolve(accepted ? address : undefined);
    };
    const cancel = wallTimer(CLOSE_MS, end);
    socket.once("connect", () => {
      address = socket.remoteAddress;
      socket.resume().end();
    });
    socket.once("end", end).once("error", () => end(false));
  });
}
