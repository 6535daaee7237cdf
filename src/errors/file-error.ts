import { getSystemErrorMessage } from "node:util";
import { type Hint, misuse, type SandboxError } from "./errors.ts";

/** The system's reason in words, such as `no such file or directory`. */
export function reasonOf(error: unknown): string {
  const { errno, message, syscall, code, path } = error as NodeJS.ErrnoException;
  if (syscall === "mkdir" && code === "EEXIST") return `${path} is a file, not a folder`;
  return errno === undefined ? message : getSystemErrorMessage(errno);
}

/**
 * The error for a file or folder that cannot be read or written.
 * @param does the verb, such as `read` or `write to`
 */
export const fileError = (does: string, file: string, error: unknown, hint: Hint): SandboxError =>
  misuse(`Cannot ${does} ${file}: ${reasonOf(error)}.`, hint);
