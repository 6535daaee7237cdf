import type { JournalEntry } from "../api-types.ts";
import type { Live } from "../live.ts";
import type { Stage } from "./stage.ts";

/**
 * The live connection for what shows the present alone, such as lists: it hands an entry on once the stage shows
 * everything, so that no list is ahead of the line.
 */
export function createStagedLive(live: Live, stage: Stage): Live {
  const listeners = new Set<(entries: JournalEntry[]) => void>();
  let waiting: JournalEntry[] = [];

  function handOn(): void {
    const entries = waiting;
    waiting = [];
    if (entries.length > 0) for (const listener of listeners) listener(entries);
  }

  live.onEntries((entries) => {
    const first = waiting.length === 0;
    waiting = waiting.concat(entries);
    if (first) stage.whenShown(handOn);
  });
  live.onReplaced(() => {
    waiting = [];
  });

  return {
    ...live,
    onEntries(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
