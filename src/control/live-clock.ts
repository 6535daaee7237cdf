import type { Sandbox } from "../sandbox.ts";
import { type ClockState, wallTimer } from "../world/clock.ts";
import { iso, isoOrNull } from "../world/duration.ts";

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
    /** The advance in progress. */
    advance: {
      /** Where it began, ISO 8601. */
      from: string;
      /** Where it ends, ISO 8601; null with `until`, where what happens decides. */
      to: string | null;
      /** Journal entries that it caused so far. */
      entries: number;
      /** Attempts whose results it waits for. */
      waiting: number;
      /** Whether its end was asked for. */
      ending: boolean;
    } | null;
  };
}

function clockMessage({ world }: Sandbox): ClockMessage {
  const advance = world.scheduler.progress();
  return {
    type: "clock",
    data: {
      ...world.clock.state(),
      next_due: isoOrNull(world.timers.first()?.due),
      last_seq: world.journal.lastSeq(),
      advance: advance ? { ...advance, from: iso(advance.from), to: isoOrNull(advance.to) } : null,
    },
  };
}

/**
 * Tells where the clock stands now, and again whenever it was moved or set, something else is due next, or an advance
 * got further.
 * @returns the end of it
 */
export function followClock(sandbox: Sandbox, send: (message: ClockMessage) => void): () => void {
  const { clock, journal } = sandbox.world;
  let last = "";
  let moved = false;
  let cancel: (() => void) | undefined;

  function tell(): void {
    cancel = undefined;
    const message = clockMessage(sandbox);
    const { next_due, advance } = message.data;
    const state = JSON.stringify([next_due, advance]);
    if (!moved && state === last) return;
    moved = false;
    last = state;
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
  const stop = () => {
    cancel?.();
    stopClock();
    stopJournal();
    forget();
  };
  // A world that ends has no clock to read, and its listeners' connections close a moment later.
  const forget = sandbox.onClose(stop);
  moved = true;
  tell();
  return stop;
}
