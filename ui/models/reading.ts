import { createModel, effect, type ReadonlySignal, signal } from "@preact/signals";
import type { JournalEntry } from "../api-types.ts";
import type { Live } from "../live.ts";
import { refreshOn } from "./refresh.ts";

export type Reading<Value> = ReturnType<typeof createReading<Value>>;

/**
 * Something that is read when asked; what was shown stays until then.
 * @param work gets whether the page asks by itself
 */
export function createReading<Value>(work: (quiet: boolean) => Promise<Value>) {
  const value = signal<Value | undefined>(undefined);
  const error = signal<Error | undefined>(undefined);
  const busy = signal(false);
  let asked = 0;

  async function read(quiet = false): Promise<void> {
    asked += 1;
    const request = asked;
    busy.value = true;
    try {
      const found = await work(quiet);
      if (request !== asked) return;
      value.value = found;
      error.value = undefined;
    } catch (reason) {
      if (request !== asked) return;
      error.value = reason as Error;
    }
    busy.value = false;
  }

  return {
    value: value as ReadonlySignal<Value | undefined>,
    error: error as ReadonlySignal<Error | undefined>,
    busy: busy as ReadonlySignal<boolean>,
    read,
  };
}

/** Something that is read at once, and again whenever the journal says that it may have changed. */
export function createLiveReading<Value>(
  live: Live,
  matters: (entry: JournalEntry) => boolean,
  work: () => Promise<Value>,
) {
  const LiveReading = createModel(() => {
    const reading = createReading(work);
    effect(() => refreshOn(live, matters, reading.read));
    void reading.read();
    return reading;
  });
  return new LiveReading();
}
