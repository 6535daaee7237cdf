import { afterPendingIo } from "../world/clock.ts";

/** Turns of the event loop between two pieces: a plain call takes fewer, with its connection. */
const TURNS_BETWEEN = 4;

let last: Promise<unknown> = Promise.resolve();

/**
 * Runs a long piece of work, such as copying a world: one at a time in a process, and between two of them other work gets its
 * turn. Work in several pieces calls it for each; a piece never waits for another one.
 */
export function inTurn<T>(piece: () => T | Promise<T>): Promise<T> {
  const done = last.then(async () => {
    for (let turn = 0; turn < TURNS_BETWEEN; turn += 1)
      await new Promise<void>((resolve) => afterPendingIo(resolve));
    return piece();
  });
  last = done.catch(() => undefined);
  return done;
}
