import { wallNow } from "../world/clock.ts";

/** npm forwards a Ctrl-C that the terminal has already sent to the program, so both count as one. */
const SAME_KEY_MS = 250;

/** Callbacks for when standard output ends. */
const outputWatchers = new Set<() => void>();

/** Reports that standard output can no longer be written. @returns whether a command will then exit on its own */
export function announceOutputEnd(): boolean {
  for (const watcher of outputWatchers) watcher();
  return outputWatchers.size > 0;
}

/**
 * Resolves when the user wants the program to end (Ctrl-C, SIGTERM, a closed terminal), so that it can clean up. A
 * second Ctrl-C ends it immediately.
 * @param orOutputEnds also resolve when standard output can no longer be written, for commands that must clean up;
 * otherwise the process then exits immediately
 */
export function stopRequested({ orOutputEnds = false } = {}): Promise<void> {
  return new Promise((resolve) => {
    let first: number | undefined;
    const stop = () => {
      if (first === undefined) {
        first = wallNow();
        resolve();
      } else if (wallNow() - first > SAME_KEY_MS) process.exit(130);
    };
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, stop);
    if (orOutputEnds) outputWatchers.add(resolve);
  });
}
