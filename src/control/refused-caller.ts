import { type Hint, SandboxError } from "../errors/errors.ts";

/**
 * Why a caller may not control the sandbox: it is on another machine, it is a page of another site, or its token is
 * missing or wrong.
 */
export type RefusalReason = "machine" | "site" | "token";

/** Thrown if the caller may not control the sandbox. */
export class RefusedCaller extends SandboxError {
  readonly reason: RefusalReason;

  constructor(reason: RefusalReason, message: string, hint: Hint) {
    super("forbidden", message, hint);
    this.reason = reason;
  }
}
