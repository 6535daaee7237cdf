import { isAbsolute, sep } from "node:path";
import { fileURLToPath } from "node:url";

export interface StackFrame {
  path: string;
  line: number;
  column: number;
}

const FRAME = /(?:\(|at (?:async )?)((?:file:\/\/)?[^\s()]+):(\d+):(\d+)\)?$/;

/** The stack frames that point to files, the innermost first. */
export const framesOf = (stack: string): StackFrame[] =>
  stack.split("\n").flatMap((line) => {
    const [, place = "", row, column] = FRAME.exec(line.trim()) ?? [];
    const path = place.startsWith("file:") ? fileURLToPath(place) : place;
    return isAbsolute(path) ? [{ path, line: Number(row), column: Number(column) }] : [];
  });

/** Whether a file belongs to an installed package rather than to the user. */
export const isInstalled = (path: string): boolean => path.includes(`${sep}node_modules${sep}`);
