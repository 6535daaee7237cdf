import { afterPendingIo } from "../world/clock.ts";

/**
 * How many turns of the event loop run between two pieces of work: enough to handle an ordinary call, including its
 * connection.
 */
const TURNS_BETWEEN = 4;

let last: Promise<unknown> = Promise.resolve();

/**
 * Runs a heavy piece of work, such as copying a world. Only one piece runs at a time in each process, and other work
 * can run in between. Split long work into pieces and call this for each one; a piece must not wait for another.
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
