import type { World } from "../world/world.ts";

/**
 * Removes expired rows occasionally, when others are written: a table that only grows would fill the disk of a sandbox that runs
 * for months. Readers ignore expired rows, so the time of removal does not matter.
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
