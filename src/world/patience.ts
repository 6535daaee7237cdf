import type { Clock } from "./clock.ts";

/** Real milliseconds for a subscriber that has timed out in the same advance: enough for a subscriber that works again. */
const AFTER_TIMEOUT_MS = 250;

/** How long requests to the outside may stay open, in real time. */
export type Patience = ReturnType<typeof createPatience>;

/**
 * While an advance runs, nothing moves until a request is answered or given up. So a peer gets `settleTimeout` until it
 * times out, and after that only a moment, until it answers. What is recorded is the same either way: a time-out, at
 * its virtual instant.
 */
export function createPatience(clock: Clock, settleTimeout: number) {
  /** The peers that timed out last; kept only while an advance runs. */
  let silent: Set<string> | undefined;
  return {
    /** Real milliseconds that a request to `peer` may stay open: its time-out, or less while nothing else can move. */
    for(peer: string, timeout: number): number {
      if (!silent && clock.running) return timeout;
      return Math.min(timeout, settleTimeout, silent?.has(peer) ? AFTER_TIMEOUT_MS : timeout);
    },
    /** Records how a request to `peer` ended; any answer counts as one. */
    note(peer: string, timedOut: boolean): void {
      if (timedOut) silent?.add(peer);
      else silent?.delete(peer);
    },
    /** An advance begins. */
    begin(): void {
      silent = new Set();
    },
    /** It ended. */
    end(): void {
      silent = undefined;
    },
  };
}
