import type { World } from "../world/world.ts";

/**
 * Removes expired rows from time to time, when other rows are written: otherwise the table would grow until it fills
 * the disk of a sandbox that runs for months. Reads ignore expired rows, so it does not matter when they are removed.
 * @param every how many virtual milliseconds apart two sweeps are
 * @param remove deletes the expired rows; gets the current virtual time
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
