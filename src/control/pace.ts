import type { CallsMessage } from "../operations/records.ts";
import type { ClockMessage } from "../world/clock-message.ts";
import type { JournalEntry, JournalNotice } from "../world/journal.ts";

/** A client that is sent no more than it reads. */
export interface Pace {
  /** Whether the client has caught up enough for more. */
  isReady(): boolean;
  /** Calls `run` once the client is ready. Waiting twice with the same function calls it once. */
  whenReady(run: () => void): void;
}

/** A connection that follows a world. */
export interface Follower extends Pace {
  send: (message: JournalEntry | JournalNotice | ClockMessage | CallsMessage) => void;
  /** Closes the connection immediately because its world ends. */
  destroy: () => void;
}

/** @param isReady whether the client's backlog is small enough */
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
