import { SandboxError } from "../../errors/errors.ts";

/** The maximum number of rows to read; comparing more would take longer than any exploration. */
export const MOST_ROWS = 50_000;
/** How long to wait for another connection's lock, in real milliseconds. */
export const BUSY_MS = 5_000;
/** Another connection held a lock for longer than that. A trial cannot see whose connection holds it. */
export class Locked extends SandboxError {
  /** @param message the database's own words */
  constructor(shown: string, message: string) {
    super(
      "invalid_state",
      `The database ${shown} cannot be used: ${message}.`,
      `Another connection held a lock for ${BUSY_MS / 1000} s. If it is your server's, one of its requests has not ended its transaction, or hangs: its log may show which.`,
    );
  }
}
