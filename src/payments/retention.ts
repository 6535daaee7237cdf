import type { World } from "../world/world.ts";

/**
 * Removes expired rows now and then, as others are written: a table that only grows would eventually fill the disk of a
 * sandbox that runs for months. Reads ignore expired rows, so it does not matter when they are removed.
 * @param every virtual milliseconds between two sweeps
 * @param remove gets the current virtual time
 */
export function createSweep(
  { store, clock }: Pick<World, "store" | "clock">,
  every: number,
  remove: (now: number) => void,
): () => void {
  const state = store.untilRestore(() => ({ nextAt: Number.NEGATIVE_INFINITY }));
  return () => {
    const now = clock.now();
    if (now < state().nextAt) return;
    state().nextAt = now + every;
    remove(now);
  };
}
