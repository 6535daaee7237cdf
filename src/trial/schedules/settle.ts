import { wallNow, wallSleep } from "../../world/clock.ts";
import { SECOND } from "../../world/duration.ts";
import type { Json } from "../subject/state.ts";

/** How long a subscriber that keeps working after its responses may take until its state shows the result. */
export const SETTLES_WITHIN_MS = 2 * SECOND;
export const POLL_MS = 10;
/** The maximum time that one read counts for: on a busy machine, the subscriber gets no more CPU time than this process. */
const MOST_COUNTED_MS = 4 * POLL_MS;
/** However slowly the state is read, the wait takes at most this many times as long as intended. */
const MOST_STRETCHED = 5;

/** A state, and the real milliseconds until it was reached. */
export type Settled = { state: Json; lag: number };

/**
 * Reads the state until it equals the expected one or time runs out.
 * @param quietFor how long the subscriber has been idle; the time does not run while it is working
 */
export async function awaitState(
  read: () => Promise<Json>,
  isAwaited: (state: Json) => boolean,
  patience: number,
  quietFor: () => number = () => Number.POSITIVE_INFINITY,
): Promise<Settled> {
  const began = wallNow();
  let [counted, lag] = [0, 0];
  for (;;) {
    const state = await read();
    const before = lag;
    lag = wallNow() - began;
    counted += Math.min(lag - before, MOST_COUNTED_MS);
    const hasPassed = (limit: number): boolean => counted >= limit || lag >= MOST_STRETCHED * limit;
    // Accept a change that arrived during the read: this process may have been too busy to see it earlier.
    const hasHadTime = hasPassed(patience) && (quietFor() >= patience || hasPassed(SETTLES_WITHIN_MS));
    if (hasHadTime || isAwaited(state)) return { state, lag };
    await wallSleep(POLL_MS);
  }
}

/** Reads the state until it equals the expected one, or has changed and then stayed unchanged for a while. */
export async function settleState(
  read: () => Promise<Json>,
  isEqual: (one: Json, other: Json) => boolean,
  { empty, awaited, quiet }: { empty: Json; awaited: Json; quiet: number },
): Promise<Settled> {
  const began = wallNow();
  let state = await read();
  let lag = 0;
  if (quiet === 0) return { state, lag };
  const isEmpty = () => empty !== undefined && isEqual(empty, state);
  const isThere = () => awaited !== undefined && isEqual(awaited, state);
  const patience = () => (isEmpty() ? SETTLES_WITHIN_MS : Math.min(SETTLES_WITHIN_MS, 2 * lag + quiet));
  while (!isThere() && wallNow() - began < patience()) {
    // Back off: the longer the state stays unchanged, the less often it is read.
    await wallSleep(Math.max(POLL_MS, (wallNow() - began) / 10));
    const next = await read();
    if (!isEqual(state, next)) lag = wallNow() - began;
    state = next;
  }
  return { state, lag };
}
