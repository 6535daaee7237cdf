import { wallNow } from "../world/clock.ts";

/** npm passes a Ctrl-C on to a program that has it from the terminal already: that is still one Ctrl-C. */
const SAME_KEY_MS = 250;

/**
 * Resolves when the user wants the program to end (Ctrl-C, SIGTERM, a closed terminal), so that it can
 * clean up. A second Ctrl-C ends it at once.
 */
export function stopRequested(): Promise<void> {
  return new Promise((resolve) => {
    let first: number | undefined;
    const stop = () => {
      if (first === undefined) {
        first = wallNow();
        resolve();
      } else if (wallNow() - first > SAME_KEY_MS) process.exit(130);
    };
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, stop);
  });
}
