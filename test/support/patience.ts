/** A request and what follows from it take a hundredth of it, on a busy machine, too. */
const PATIENCE_MS = 60_000;

export interface Waiting {
  /** Checks the waits: to be called whenever something has come. */
  check(): void;
  /** Resolves once the condition holds. Rejects when nothing has come for a minute, with the text. */
  until(holds: () => boolean, missing: () => string): Promise<void>;
}

/** Waits of a test for what comes piece by piece, which fail by saying what came in its place. */
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
