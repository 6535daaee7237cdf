/**
 * The maximum wait. Even on a busy machine, a request and everything that follows from it take a hundredth of this
 * time.
 */
const PATIENCE_MS = 60_000;

export interface Waiting {
  /** Checks whether the waits are over. Call it whenever something has arrived. */
  check(): void;
  /** Resolves when the condition holds. Rejects with the text if nothing has arrived for a minute. */
  until(holds: () => boolean, missing: () => string): Promise<void>;
}

/**
 * Creates waits for a test in which things arrive one at a time. If a wait fails, the error says what arrived instead.
 */
export function createWaiting(): Waiting {
  const waits = new Set<() => void>();
  return {
    check: () => {
      for (const wait of waits) wait();
    },
    until: (holds, missing) =>
      new Promise((resolve, reject) => {
        if (holds()) return resolve();
        const giveUp = () => {
          waits.delete(wait);
          reject(new Error(`Nothing came for ${PATIENCE_MS / 1_000} s: ${missing()}`));
        };
        let timer = setTimeout(giveUp, PATIENCE_MS);
        const wait = () => {
          clearTimeout(timer);
          if (!holds()) {
            timer = setTimeout(giveUp, PATIENCE_MS);
            return;
          }
          waits.delete(wait);
          resolve();
        };
        waits.add(wait);
      }),
  };
}
