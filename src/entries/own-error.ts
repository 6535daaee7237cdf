import { SandboxError } from "../errors/errors.ts";

/** Converts an error from the main context to a class that the test file knows. */
export function asOwnError(error: unknown): unknown {
  const { name, code, message, hint, status } = error as SandboxError;
  return name === SandboxError.name ? new SandboxError(code, message, hint, status) : error;
}
