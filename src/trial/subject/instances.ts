import { createServer as createListener } from "node:net";
import { invalidState } from "../../errors/errors.ts";
import { listenAt } from "../../runtime/listen.ts";
import { http } from "../../runtime/node-http.ts";
import { wallSleep } from "../../world/clock.ts";
import { endAll } from "./remote-state.ts";
import { type ServerProcess, type ServerStart, startServer } from "./server.ts";

/**
 * How many times to check whether a process has ended, and the interval in real milliseconds. A number of checks allows
 * for delays on a busy machine, which a time limit would not.
 */
const LOOKS = 100;
const LOOK_MS = 5;

/** A subscriber that an exploration starts, restarts and stops. */
export interface OwnedServer extends Pick<ServerProcess, "hasEnded" | "isListening" | "ports" | "output"> {
  /** Called between two runs. Sends the next request to the server's first process, if it has several. */
  begin(): void;
  /** Stops the server as a deploy would, and starts it again. */
  restart(): Promise<void>;
  /** Kills the server in the middle of its work, and starts it again. @param ended awaited before the restart */
  crash(ended?: () => Promise<void>): Promise<void>;
  /** Stops the server, even during a restart. */
  close(): Promise<void>;
}

/**
 * Whether a server that closed a connection without a response has exited: a process closes its connections before it
 * disappears.
 */
export async function isEnding({ hasEnded }: Pick<OwnedServer, "hasEnded">): Promise<boolean> {
  for (let looks = 0; !hasEnded() && looks < LOOKS; looks += 1) await wallSleep(LOOK_MS);
  return hasEnded();
}

/**
 * Starts a server as one or several processes. Several processes have their own ports behind the server's address, and take
 * turns handling requests.
 * @throws SandboxError like `startServer`
 */
export async function startInstances(own: ServerStart, count: number): Promise<OwnedServer> {
  const { url } = own;
  const started: ServerProcess[] = [];
  const front = count === 1 ? undefined : await openFront(url, await freePorts(count));
  let isClosed = false;
  async function close(): Promise<void> {
    isClosed = true;
    front?.close();
    await endAll(
      started.map(
        ({ end }) =>
          () =>
            end("SIGTERM"),
      ),
    );
  }
  try {
    for (const address of front?.addresses ?? [url])
      started.push(await startServer({ ...own, url: address }));
  } catch (error) {
    await close();
    throw error;
  }
  async function startAgain(by: "SIGTERM" | "SIGKILL", ended?: () => Promise<void>): Promise<void> {
    await Promise.all(started.map(({ end }) => end(by)));
    await ended?.();
    // The budget may run out during a restart, which is then not awaited.
    if (isClosed) return;
    await Promise.all(started.map(({ start }) => start()));
  }
  return {
    begin() {
      front?.begin();
      for (const one of started) one.begin();
    },
    hasEnded: () => started.some((one) => one.hasEnded()),
    isListening: () => started.every((one) => one.isListening()),
    ports: () => started.flatMap((one) => one.ports()),
    output: {
      last: () => joined(started.map(({ output }) => output.last())),
      listen() {
        const heard = started.map(({ output }) => output.listen());
        return async () => joined(await Promise.all(heard.map((read) => read())));
      },
    },
    restart: () => startAgain("SIGTERM"),
    crash: (ended) => startAgain("SIGKILL", ended),
    close,
  };
}

/** What several processes printed, without duplicates. */
const joined = (texts: readonly string[]): string => [...new Set(texts)].filter(Boolean).join("\n");

/**
 * Listens at an address on behalf of the processes behind it. @throws SandboxError `invalid_state` if the address is taken
 */
async function openFront(url: string, ports: readonly number[]) {
  const { hostname, port } = new URL(url);
  let next = 0;
  const front = http.createServer((call, response) => {
    const { method, url: path, headers } = call;
    const own = ports[next % ports.length]!;
    next += 1;
    const inner = http.request({ host: "127.0.0.1", port: own, method, path, headers }, (answer) => {
      response.writeHead(answer.statusCode!, answer.rawHeaders);
      answer.pipe(response);
      answer.once("error", () => response.destroy());
    });
    inner.once("error", () => response.destroy());
    call.pipe(inner);
  });
  const where = { port: Number(port || 80), host: hostname.replace(/^\[|\]$/g, "") };
  await listenAt(front, where).catch((error: Error) => {
    throw invalidState(
      `Cannot listen on port ${port} for the ${ports.length} processes that --start starts: ${error.message}.`,
      "Stop the program that is listening there.",
    );
  });
  return {
    addresses: ports.map((own) => Object.assign(new URL(url), { host: `127.0.0.1:${own}` }).href),
    begin(): void {
      next = 0;
    },
    close(): void {
      front.closeAllConnections();
      front.close();
    },
  };
}

/** Ports on this machine that are currently free. */
export async function freePorts(count: number): Promise<number[]> {
  const listeners = Array.from({ length: count }, () => createListener());
  const ports = await Promise.all(listeners.map((one) => listenAt(one, { port: 0, host: "127.0.0.1" })));
  await Promise.all(listeners.map((one) => new Promise((resolve) => one.close(resolve))));
  return ports;
}
