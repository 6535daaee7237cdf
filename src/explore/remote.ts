import { spawn } from "node:child_process";
import { SandboxError } from "../errors/errors.ts";
import { formatDuration } from "../story/duration.ts";
import { clip } from "../story/text.ts";
import { createDispatcher } from "../webhooks/dispatcher.ts";
import { unanswered } from "../webhooks/failures.ts";
import { wallTimer } from "../world/clock.ts";
import type { Json } from "./state.ts";
import type { Subject } from "./subscriber.ts";

/** How much of a state is read. */
const STATE_BYTES = 16 * 1024 * 1024;
/** How much of the error output of a reset command is read. */
const OUTPUT_CHARACTERS = 10_000;

export interface RemoteOptions {
  /** Where it takes webhooks. */
  url: string;
  /** Answers a GET with its state as JSON. */
  stateUrl: string;
  /** A URL that takes a POST, or a shell command. */
  resetBy: string;
  /** Real milliseconds that a reset and an answer may take. */
  timeout: number;
}

/** A subscriber that is a server, with its state and its reset. */
export function remoteSubject({ url, stateUrl, resetBy, timeout }: RemoteOptions): Subject {
  const state = remoteState(timeout);
  const reset = remoteReset(timeout);
  return {
    ...{ url, handler: undefined, stateUrl, resetBy },
    reset: () => reset.run(resetBy),
    state: () => state.read(stateUrl),
    close() {
      state.close();
      reset.close();
    },
  };
}

/** Calls URLs with what deliveries are sent with. */
function createCaller(timeout: number) {
  const dispatcher = createDispatcher();
  return {
    async call(address: string, method: "GET" | "POST") {
      const { origin, pathname, search } = new URL(address);
      const { error, detail, responseCode, responseBody, responseSize } = await dispatcher.send({
        lane: origin,
        origin,
        path: pathname + search,
        method,
        headers: { accept: "application/json, */*" },
        body: method === "POST" ? "" : null,
        bodyLimit: STATE_BYTES,
        timeout: () => timeout,
      }).result;
      const problem = error === null ? undefined : (detail ?? unanswered(responseCode, timeout));
      const check = responseCode === null ? "See whether your server runs at this address. " : "";
      return { problem, check, body: responseBody ?? Buffer.alloc(0), size: responseSize ?? 0 };
    },
    close: () => dispatcher.close(),
  };
}

/** Resets subscribers by a POST to a URL, or by a shell command. */
export function remoteReset(timeout: number) {
  const { call, close } = createCaller(timeout);
  const running = new Set<() => void>();
  return {
    /** @throws SandboxError `unreachable` unless it succeeds in time */
    async run(by: string): Promise<void> {
      if (!isUrl(by)) return runCommand(by, timeout, running);
      const { problem, check } = await call(by, "POST");
      if (problem !== undefined)
        throw new SandboxError(
          "unreachable",
          `The reset URL ${by} ${problem}.`,
          `${check}It has to answer a POST with 2xx once the subscriber's state is empty.`,
        );
    },
    /** Ends a command that still runs. */
    close() {
      for (const kill of running) kill();
      return close();
    },
  };
}

/** Reads the states of subscribers. */
export function remoteState(timeout: number) {
  const { call, close } = createCaller(timeout);
  return {
    /** @throws SandboxError `unreachable`; `invalid_state` for what is not JSON, or too much of it */
    async read(url: string): Promise<Json> {
      const { problem, check, body, size } = await call(url, "GET");
      if (problem !== undefined)
        throw new SandboxError(
          "unreachable",
          `The state URL ${url} ${problem}.`,
          `${check}It has to answer a GET with 2xx and the subscriber's state as JSON.`,
        );
      if (size > body.length)
        throw new SandboxError(
          "invalid_state",
          `The state URL ${url} answers with ${size} bytes; the most that is read is ${STATE_BYTES}.`,
          "Answer with less of the state: what must not depend on the order of deliveries.",
        );
      const text = body.toString("utf8");
      try {
        return JSON.parse(text);
      } catch {
        throw new SandboxError(
          "invalid_state",
          `The state URL ${url} does not answer with JSON, but with ${JSON.stringify(clip(text, 60))}.`,
          "It has to answer with the subscriber's state as JSON, for example every order with its status.",
        );
      }
    },
    close,
  };
}

export const isUrl = (text: string): boolean => /^https?:\/\//i.test(text);

/**
 * Runs a shell command.
 * @param running what ends it, as long as it runs
 * @throws SandboxError `unreachable` unless it ends with code 0 in time
 */
function runCommand(command: string, timeout: number, running: Set<() => void>): Promise<void> {
  return new Promise((resolve, reject) => {
    // A group of its own, so that what the shell started is ended with it.
    const grouped = process.platform !== "win32";
    const child = spawn(command, { shell: true, stdio: ["ignore", "ignore", "pipe"], detached: grouped });
    let output = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      output = (output + text).slice(-OUTPUT_CHARACTERS);
    });
    const fail = (how: string) => {
      const said = output.trim().split("\n").at(-1);
      reject(
        new SandboxError(
          "unreachable",
          `The reset command ${how}: ${command}`,
          said || "It has to end with code 0 once the subscriber's state is empty.",
        ),
      );
    };
    const kill = () => {
      child.stderr.destroy();
      if (child.exitCode !== null || child.signalCode !== null) return;
      if (grouped && child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
      else child.kill("SIGKILL");
    };
    const expire = wallTimer(timeout, () => {
      fail(`did not end within ${formatDuration(timeout)}`);
      kill();
    });
    const cancel = () => {
      expire();
      running.delete(kill);
    };
    running.add(kill);
    child.once("error", (error) => {
      cancel();
      fail(`cannot be started (${error.message})`);
    });
    // What it left running in the background may hold its output open, so its exit counts.
    child.once("exit", (code, signal) => {
      cancel();
      child.stderr.destroy();
      if (code === 0) resolve();
      else fail(code === null ? `was ended by ${signal}` : `ended with code ${code}`);
    });
  });
}
