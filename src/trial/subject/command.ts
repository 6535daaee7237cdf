import { misuse, unreachable } from "../../errors/errors.ts";
import { isAddress } from "../../runtime/http-url.ts";
import { withoutPasswords } from "../../runtime/redact.ts";
import { formatDuration } from "../../timeline/duration.ts";
import { clip } from "../../timeline/text.ts";
import { wallTimer } from "../../world/clock.ts";
import { startProcess } from "./process.ts";

/** The maximum number of bytes read from a command's output. */
export const STATE_BYTES = 16 * 1024 * 1024;
/** The maximum number of characters read from a command's error output. */
const OUTPUT_CHARACTERS = 10_000;

const PURPOSE = {
  state: "The command must print the subscriber's state as JSON and exit with code 0.",
  reset: "The command must exit with code 0 once the subscriber's state is empty.",
  seed: "The command must exit with code 0 once the copy of the database contains the data that your server needs.",
};

/** An address starts with a scheme before `//`, as in `jdbc:mysql://…`, or is a single word, as in `file:shop.db`. */
const ADDRESS = /^([a-z][a-z0-9+.-]+):(?:\S*\/\/|\S*$)/i;

const INSTEAD = {
  state:
    "Use sqlite:shop.db, postgres://…, mysql://…, an http address, inbox:<name>, or a shell command: for another database, one that prints its rows as JSON.",
  reset: "Use an http address, or a shell command: for a database, one that removes its rows.",
  seed: "Use a shell command that adds rows, such as npm run db:seed.",
};

/**
 * Refuses to run an address as a shell command. Prints only its scheme, because it may contain a password. @throws
 * SandboxError `bad_request`
 */
export function refuseAddress(what: keyof typeof PURPOSE, text: string): void {
  const scheme = ADDRESS.exec(text)?.[1];
  if (scheme !== undefined && !isAddress(text))
    throw misuse(`The ${what} cannot be an address with the scheme ${clip(scheme, 40)}.`, INSTEAD[what]);
}

/**
 * Runs a shell command.
 * @param running gets a function that stops the command while it runs
 * @param env variables in addition to those of this process
 * @param within see `startProcess`
 * @returns the output of a command that prints a state
 * @throws SandboxError `unreachable` unless it exits with code 0 in time; `bad_request` for an address
 */
export async function runCommand(
  what: keyof typeof PURPOSE,
  command: string,
  timeout: number,
  running: Set<() => void> = new Set(),
  env: Record<string, string> = {},
  within: readonly string[] = [],
): Promise<string> {
  refuseAddress(what, command);
  return new Promise((resolve, reject) => {
    const shell = startProcess(command, { env, within, readsOutput: what === "state", leavesWork: true });
    const { child } = shell;
    const kill = () => shell.kill();
    let [state, output] = ["", ""];
    child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      state += text;
      if (state.length <= STATE_BYTES) return;
      fail(`printed more than ${STATE_BYTES} characters`);
      kill();
    });
    child.stderr!.setEncoding("utf8").on("data", (text: string) => {
      output = (output + text).slice(-OUTPUT_CHARACTERS);
    });
    const fail = (how: string) => {
      const said = output.trim().split("\n").at(-1);
      reject(
        unreachable(
          `The ${what} command ${how}: ${withoutPasswords(command)}`,
          withoutPasswords(said ?? "") || PURPOSE[what],
        ),
      );
    };
    const expire = wallTimer(timeout, () => {
      fail(`did not exit within ${formatDuration(timeout)}`);
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
    // Processes that a reset leaves in the background may keep the command's output open, so only the command's exit
    // counts.
    child.once(what === "state" ? "close" : "exit", (code, signal) => {
      cancel();
      child.stderr!.destroy();
      if (code === 0) resolve(state);
      else fail(code === null ? `was stopped by ${signal}` : `exited with code ${code}`);
    });
  });
}
