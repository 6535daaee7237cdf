import { type Hint, SandboxError } from "../errors/errors.ts";

/**
 * Why a caller may not control the sandbox: it is on another machine, is a page of another site, or has no token or a wrong
 * one.
 */
export type RefusalReason = "machine" | "site" | "token";

/** A caller that may not control the sandbox. */
export class RefusedCaller extends SandboxError {
  readonly reason: RefusalReason;

  constructor(reason: RefusalReason, message: string, hint: Hint) {
    super("forbidden", message, hint);
    this.reason = reason;
  }
}
