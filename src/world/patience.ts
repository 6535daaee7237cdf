import type { Clock } from "./clock.ts";

/** Real milliseconds for a subscriber that already timed out in the same advance: enough if it has recovered. */
const AFTER_TIMEOUT_MS = 250;

/**
 * How long outgoing requests may stay open, in real time. An advance blocks until each request is answered or times
 * out, so a peer gets `settleTimeout` until its first timeout, and after that only a moment, until it responds again.
 * The journal is the same either way: a timeout at its virtual instant.
 */
export interface Patience {
  /** Real milliseconds that a request to `peer` may stay open: its timeout, or less while an advance waits for it. */
  for(peer: string, timeout: number): number;
  /** Records how a request to `peer` ended. Any response counts as a recovery. */
  note(peer: string, timedOut: boolean): void;
  /** Called around each advance. */
  begin(): void;
  end(): void;
}

export function createPatience(clock: Clock, settleTimeout: number): Patience {
  /** The peers whose last request timed out; set only while an advance runs. */
  let silent: Set<string> | undefined;
  return {
    for(peer, timeout) {
      if (!silent && clock.running) return timeout;
      return Math.min(timeout, settleTimeout, silent?.has(peer) ? AFTER_TIMEOUT_MS : timeout);
    },
    note(peer, timedOut) {
      if (timedOut) silent?.add(peer);
      else silent?.delete(peer);
    },
    begin() {
      silent = new Set();
    },
    end() {
      silent = undefined;
    },
  };
}
