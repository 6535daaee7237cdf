import { type Hint, SandboxError } from "../errors/errors.ts";

/** What a command, an option or an argument was given that it does not take. */
export const misuse = (message: string, hint: Hint): SandboxError =>
  new SandboxError("bad_request", message, hint);
