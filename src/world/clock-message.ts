import type { AdvanceProgress } from "./advance.ts";
import type { ClockState } from "./clock.ts";
import { iso, isoOrNull } from "./duration.ts";
import type { Timer } from "./timers.ts";
import type { World } from "./world.ts";

/** The clock's current state. It is not a journal entry, because one jump and many small ones must give the same journal. */
export interface ClockMessage {
  type: "clock";
  data: ClockState & {
    /** The next instant at which something is due, ISO 8601. */
    next_due: string | null;
    /** The next instant at which something unrelated to the seeded history is due; null if there is none. */
    next_own_due: string | null;
    /** The seq of the newest journal entry. It decreases if the world is restored. */
    last_seq: number;
    /** The advance in progress, with its start and end as ISO 8601. */
    advance: (Omit<AdvanceProgress, "from" | "to"> & { from: string; to: string | null }) | null;
  };
}

/** @param nextOwn the first timer that does not concern only seeded history */
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
