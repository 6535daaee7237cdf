import type { Sandbox } from "../sandbox.ts";
import { type ClockState, wallTimer } from "../world/clock.ts";
import { isoOrNull } from "../world/duration.ts";

/** Changes of the clock within so many real milliseconds are told together: an advance makes many. */
const TOGETHER_MS = 50;

/** Where the clock stands. It is no journal entry: one jump and many small ones leave the same journal. */
export interface ClockMessage {
  type: "clock";
  data: ClockState & {
    /** The next instant at which something is due, ISO 8601. */
    next_due: string | null;
    /** The newest journal entry; smaller than one that was heard of when the world went back. */
    last_seq: number;
  };
}

export function clockMessage({ world }: Sandbox): ClockMessage {
  return {
    type: "clock",
    data: {
      ...world.clock.state(),
      next_due: isoOrNull(world.timers.first()?.due),
      last_seq: world.journal.lastSeq(),
    },
  };
}

/**
 * Tells where the clock stands now, and again whenever it was moved or set, or something else is due next.
 * @returns the end of it
 */
export function followClock(sandbox: Sandbox, send: (message: ClockMessage) => void): () => void {
  const { clock, journal } = sandbox.world;
  let next: string | null;
  let moved = false;
  let cancel: (() => void) | undefined;

  function tell(): void {
    cancel = undefined;
    const message = clockMessage(sandbox);
    if (!moved && message.data.next_due === next) return;
    moved = false;
    next = message.data.next_due;
    send(message);
  }

  const tellSoon = () => {
    cancel ??= wallTimer(TOGETHER_MS, tell);
  };
  const stopClock = clock.onChange(() => {
    moved = true;
    tellSoon();
  });
  const stopJournal = journal.subscribe(tellSoon);
  moved = true;
  tell();
  return () => {
    cancel?.();
    stopClock();
    stopJournal();
  };
}
