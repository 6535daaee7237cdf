import type { World } from "../world/world.ts";

/**
 * Removes rows that have had their time, now and then as others are written: a table that only grows would fill the
 * disk of a sandbox that runs for months. Readers leave such rows out by themselves, so when they go shows nowhere.
 * @param every virtual milliseconds between two looks
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
