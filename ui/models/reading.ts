import { type ReadonlySignal, signal } from "@preact/signals";

export type Reading<Value> = ReturnType<typeof createReading<Value>>;

/** A value that is loaded on demand. The previous value is kept until the new one arrives. */
export function createReading<Value>(work: () => Promise<Value>) {
  const value = signal<Value | undefined>(undefined);
  const error = signal<Error | undefined>(undefined);
  let asked = 0;

  async function read(): Promise<void> {
    asked += 1;
    const request = asked;
    try {
      const found = await work();
      if (request !== asked) return;
      value.value = found;
      error.value = undefined;
    } catch (reason) {
      if (request !== asked) return;
      error.value = reason as Error;
    }
  }

  return {
    value: value as ReadonlySignal<Value | undefined>,
    error: error as ReadonlySignal<Error | undefined>,
    read,
  };
}
