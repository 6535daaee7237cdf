import type { CallsMessage } from "../operations/records.ts";
import type { ClockMessage } from "../world/clock-message.ts";
import type { JournalEntry, JournalNotice } from "../world/journal.ts";

/** Never sends a client data faster than the client reads it. */
export interface Pace {
  /** Whether the client has read enough to be sent more. */
  isReady(): boolean;
  /** Calls `run` once the client is ready. If the same function is passed twice, it is called once. */
  whenReady(run: () => void): void;
}

/** A connection that follows a world. */
export interface Follower extends Pace {
  send: (message: JournalEntry | JournalNotice | ClockMessage | CallsMessage) => void;
  /** Closes the connection immediately because its world has been closed. */
  destroy: () => void;
}

/** @param isReady whether the client has read enough to be sent more */
export function createPace(isReady: () => boolean) {
  const waiting = new Set<() => void>();
  const whenReady = (run: () => void) => {
    if (isReady()) run();
    else waiting.add(run);
  };
  return {
    isReady,
    whenReady,
    /** Call this when the client has read something. */
    advance(): void {
      const runs = [...waiting];
      waiting.clear();
      for (const run of runs) whenReady(run);
    },
    /** Call this when the client has disconnected. */
    stop: () => waiting.clear(),
  };
}
