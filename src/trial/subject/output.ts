import { stripVTControlCharacters } from "node:util";
import { withoutPasswords } from "../../runtime/redact.ts";
import { clip } from "../../timeline/text.ts";
import { afterPendingIo } from "../../world/clock.ts";

/** How many lines of a server's output to show. */
const LAST_LINES = 12;
const MOST_CHARACTERS = 10_000;
const MOST_SHOWN = 200;
const IS_ERROR = /^\S*(?:Error|Exception)\b/;
/** Starts a Python traceback, whose first line without indentation states the error. */
const IS_TRACEBACK = /^Traceback \(most recent call last\)/;
const MENTIONS_ERROR = /\b(?:error|exception|panic|fatal|uncaught)\b/i;
/** Matches a line that only logs a request, such as `"POST /webhooks HTTP/1.1" 500`. */
const IS_ACCESS_LOG =
  /"(?:POST|GET|PUT) \S+ HTTP\/|^(?:POST|GET|PUT) \/\S* \d{3}\b|\[\d{3}\]: POST \S+$|\] \S+:\d+ (?:Accept|Clos)/;

export interface ServerOutput {
  add(text: string): void;
  /** Forgets the output of an earlier process. */
  clear(): void;
  /** The last lines so far, without those that only log requests, or the first lines of an error if there is one. */
  last(): string;
  /** Returns a function that reads the last lines printed from now on. */
  listen(): () => Promise<string>;
}

export function createOutput(): ServerOutput {
  let output = "";
  let printed = 0;
  return {
    add(text) {
      output = (output + text).slice(-MOST_CHARACTERS);
      printed += text.length;
    },
    clear() {
      output = "";
    },
    last: () => lastLines(output),
    listen() {
      const before = printed;
      return async () => {
        // A server prints before it responds, but its output may arrive after the response.
        await new Promise<void>((resolve) => afterPendingIo(resolve));
        return printed === before ? "" : lastLines(output.slice(before - printed));
      };
    },
  };
}

function lastLines(output: string): string {
  const lines = stripVTControlCharacters(output)
    .trimEnd()
    .split(/\r?\n/)
    .filter((line) => !IS_ACCESS_LOG.test(line));
  const error = errorAt(lines);
  return lines
    .slice(error < 0 ? -LAST_LINES : error)
    .slice(0, LAST_LINES)
    .map(withoutPasswords)
    .join("\n");
}

/** The index of the line that states the first error; -1 if no line does. */
function errorAt(lines: readonly string[]): number {
  const traceback = lines.findIndex((line) => IS_TRACEBACK.test(line));
  const stated = lines.findIndex((line, index) =>
    traceback >= 0 ? index > traceback && /^\S/.test(line) : IS_ERROR.test(line),
  );
  return stated >= 0 ? stated : lines.findIndex((line) => MENTIONS_ERROR.test(line));
}

/** The last lines as the end of advice; empty if there are none. */
export const outputWords = (lines: string): string =>
  lines === "" ? "" : `The last lines of its output:\n${lines}`;

/**
 * The most informative of the last lines, as the end of a sentence: `, and printed: TypeError: …`; empty if there are
 * none.
 */
export function printedWords(printed: string): string {
  const lines = printed.split("\n").filter((line) => line.trim() !== "");
  const error = errorAt(lines);
  const [stated, ...rest] = lines.slice(error >= 0 ? error : -1);
  if (stated === undefined) return "";
  const line = stated.trim();
  // A multi-line message, such as Prisma's, states the actual error at its end.
  const stack = rest.findIndex((one) => /^\s+at /.test(one));
  const told = line.endsWith(":") && (stack < 0 ? rest : rest.slice(0, stack)).at(-1);
  return `, and printed: ${clip(told ? `${line} ${told.trim()}` : line, MOST_SHOWN)}`;
}
