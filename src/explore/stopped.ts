import type { StopReason } from "./exploration.ts";

/** Why a run was ended before its end. */
export class Stopped extends Error {
  override readonly cause: StopReason;

  constructor(cause: StopReason) {
    super(cause);
    this.cause = cause;
  }
}
