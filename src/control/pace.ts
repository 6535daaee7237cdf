import type { CallsMessage } from "../operations/records.ts";
import type { ClockMessage } from "../world/clock-message.ts";
import type { JournalEntry, JournalNotice } from "../world/journal.ts";

/** A client that gets no more than it reads. */
export interface Pace {
  /** Whether it has read enough to get more. */
  isReady(): boolean;
  /** Calls `run` as soon as the client is ready; the same function waits only once. */
  whenReady(run: () => void): void;
}

/** A connection that follows a world. */
export interface Follower extends Pace {
  send: (message: JournalEntry | JournalNotice | ClockMessage | CallsMessage) => void;
  /** Closes it at once, as its world ends. */
  destroy: () => void;
}

/** @param isReady whether few enough bytes wait for the client */
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
    /** Call this when the client has left. */
    stop: () => waiting.clear(),
  };
}
