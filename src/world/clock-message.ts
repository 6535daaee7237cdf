import type { ClockState } from "./clock.ts";
import { iso, isoOrNull } from "./duration.ts";
import type { Timer } from "./timers.ts";
import type { World } from "./world.ts";

/** Where the clock stands. It is no journal entry: one jump and many small ones leave the same journal. */
export interface ClockMessage {
  type: "clock";
  data: ClockState & {
    /** The next instant at which something is due, ISO 8601. */
    next_due: string | null;
    /** The same without what belongs to the seeded past; null if nothing else is due. */
    next_own_due: string | null;
    /** The newest journal entry; smaller than an earlier one after the world went back. */
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

/** @param nextOwn the first timer that is not about the seeded past alone */
export function clockMessage(
  { clock, timers, journal, scheduler }: World,
  nextOwn: Timer | undefined,
): ClockMessage {
  const advance = scheduler.progress();
  return {
    type: "clock",
    data: {
      ...clock.state(),
      next_due: isoOrNull(timers.first()?.due),
      next_own_due: isoOrNull(nextOwn?.due),
      last_seq: journal.lastSeq(),
      advance: advance ? { ...advance, from: iso(advance.from), to: isoOrNull(advance.to) } : null,
    },
  };
}
